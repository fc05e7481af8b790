import jax
import jax.numpy as jnp

from posref.adapters import Unsupported
from posref.testing import assert_conforms, cases


def apply(x, positions, *, rotary_dim, rotary_start, base, pairing, scaling, seq_len):
    if scaling is not None or pairing != "half":
        raise Unsupported("plain frequencies and halves only")
    exponent = jnp.arange(0, rotary_dim, 2, dtype=jnp.float32) / rotary_dim
    angle = positions.astype(jnp.float32)[..., None] / base**exponent
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    middle, end = rotary_start + rotary_dim // 2, rotary_start + rotary_dim
    first, second = x[..., rotary_start:middle], x[..., middle:end]
    parts = [x[..., :rotary_start], first * cos - second * sin, first * sin + second * cos, x[..., end:]]
    return jnp.concatenate(parts, axis=-1).astype(x.dtype)


def test_jax():
    dtypes = ["float32", "bfloat16"]
    assert_conforms(apply, "rope.apply", dtypes, kind="value", library="jax", min_tests=20)


def test_compiled():
    found = {case.id: case for case in cases("rope.apply", library="jax")}
    case = found["rope-apply-w4-half-b10000-heads-f32"]
    compiled = jax.jit(lambda x, positions: apply(x, positions, **case.params))
    case.check(compiled(**case.inputs))
