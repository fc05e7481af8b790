"""Tables of one axis."""

from typing import Any

import torch
from diffusers.models import embeddings

from posref.adapters import Unsupported

ROWS = 4096


def encode(
    positions: Any, *, dim: int, base: float, denominator: str, layout: str, odd: str, dtype: str
) -> Any:
    """Run the function of a grid, or take rows of the module whose columns alternate."""
    if base != 10000 or denominator != "dim" or (dim % 2 and odd != "error"):
        raise Unsupported("the base is 10000, exponents are shares of an even width")
    if layout == "interleaved":
        return alternating(positions, dim, dtype)
    build = embeddings.get_1d_sincos_pos_embed_from_grid
    found = build(dim, positions, flip_sin_to_cos=layout == "cos_sin")
    return found.reshape(*positions.shape, dim).to(getattr(torch, dtype))


def alternating(positions: Any, dim: int, dtype: str) -> Any:
    """Take rows of SinusoidalPositionalEmbedding, which adds its float32 table to what it is given."""
    if dtype == "float64" or positions.is_floating_point():
        raise Unsupported("tables are float32, tokens counted from 0")
    if bool(((positions < 0) | (positions >= ROWS)).any()):
        raise Unsupported(f"{ROWS} rows are asked for")
    table = embeddings.SinusoidalPositionalEmbedding(dim, ROWS)(torch.zeros(1, ROWS, dim))
    return table[0][positions].to(getattr(torch, dtype))


OPERATIONS = {"sinusoidal.encode": encode}
