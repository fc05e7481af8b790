"""Tables and rotations of patches in a grid."""

from typing import Any

import torch
from timm.layers.pos_embed_sincos import build_rotary_pos_embed, build_sincos2d_pos_embed

from posref.adapters import Unsupported
from posref.adapters._torch import single

SIDE = 128


def shape(*axes: Any) -> list[int]:
    """Return the grid that holds these coordinates."""
    if any(axis.is_floating_point() or bool(((axis < 0) | (axis >= SIDE)).any()) for axis in axes):
        raise Unsupported(f"a grid of {SIDE} by {SIDE} patches is built")
    return [int(axis.max()) + 1 if axis.numel() else 1 for axis in axes]


def encode(
    rows: Any, cols: Any, *, dim: int, base: float, denominator: str, axis_order: str, layout: str, dtype: str
) -> Any:
    """Look rows of the table up; reversed coordinates are a table of columns of patches."""
    if denominator != "dim" or dtype == "float64":
        raise Unsupported("exponents are shares of the width, tables float32")
    size, reverse = shape(rows, cols), axis_order == "x_first"
    table = build_sincos2d_pos_embed(
        size, dim, base, reverse, layout == "axis_major", dtype=getattr(torch, dtype)
    )
    place = (cols, rows) if reverse else (rows, cols)
    return table.view(*(size[::-1] if reverse else size), dim)[place]


def axial(positions: Any, *, axis_dims: list[int], base: float, frequencies: str, dtype: str) -> Any:
    """Take one column of each pair of the tables of a grid."""
    single(dtype)
    if frequencies != "reset" or len(axis_dims) != 2 or axis_dims[0] != axis_dims[1]:
        raise Unsupported("two axes of one width, each with its own ladder")
    size, (row, col) = shape(*positions.unbind(-1)), positions.unbind(-1)
    sin, cos = build_rotary_pos_embed(size, dim=sum(axis_dims), temperature=base, in_pixels=False)
    return tuple(table.view(*size, -1)[row, col, ::2] for table in (cos, sin))


OPERATIONS = {"sincos2d.encode": encode, "axial_rope.cos_sin": axial}
