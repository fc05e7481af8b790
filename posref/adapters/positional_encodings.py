"""positional-encodings: its sinusoidal table of one axis."""

from importlib.metadata import version
from typing import Any

import torch
from positional_encodings.torch_encodings import PositionalEncoding1D

from posref.adapters import Implementation, Unsupported
from posref.adapters._torch import read, write

ROWS = 4096


def encode(
    positions: Any, *, dim: int, base: float, denominator: str, layout: str, odd: str, dtype: str
) -> Any:
    """Take rows of the encoding of a tensor with as many tokens as are needed."""
    if (base, denominator, layout) != (10000, "dim", "interleaved"):
        raise Unsupported("sines and cosines alternate, the base is 10000, exponents are shares of the width")
    if dim % 2:
        raise Unsupported("an odd width is one column of the next even width less")
    if positions.is_floating_point() or bool(((positions < 0) | (positions >= ROWS)).any()):
        raise Unsupported(f"tokens are counted from 0; {ROWS} are asked for at most")
    tokens = int(positions.max()) + 1 if positions.numel() else 0
    return PositionalEncoding1D(dim)(torch.empty(1, tokens, dim, dtype=getattr(torch, dtype)))[0][positions]


def load() -> Implementation:
    """Return the encoding; it is computed in float32, whatever the dtype of the tensor."""
    return Implementation(
        "positional_encodings",
        {"sinusoidal.encode": encode},
        version=version("positional-encodings"),
        dtypes=("float32", "bfloat16", "float16"),
        write=write,
        read=read,
        remarks={"sinusoidal.encode": "In two and three dimensions columns alternate within each axis."},
    )
