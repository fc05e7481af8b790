import torch

from posref.adapters import Unsupported
from posref.testing import assert_conforms


def apply(x, positions, *, rotary_dim, rotary_start, base, pairing, scaling, seq_len):
    if scaling is not None or pairing != "half":
        raise Unsupported("plain frequencies and halves only")
    exponent = torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim
    angle = positions.float()[..., None] / base**exponent
    cos, sin = angle.cos(), angle.sin()
    middle, end = rotary_start + rotary_dim // 2, rotary_start + rotary_dim
    first, second = x[..., rotary_start:middle].float(), x[..., middle:end].float()
    y = x.clone()
    y[..., rotary_start:middle] = first * cos - second * sin
    y[..., middle:end] = first * sin + second * cos
    return y


def test_torch():
    dtypes = ["float32", "bfloat16"]
    assert_conforms(apply, "rope.apply", dtypes, kind="value", library="torch", min_tests=20)
