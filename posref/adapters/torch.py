"""PyTorch itself: fused attention with a bias, embedding rows, linear interpolation."""

from typing import Any

import torch
from torch.nn import functional

from posref.adapters import Implementation, Unsupported
from posref.adapters._torch import read, write


def attention(q: Any, k: Any, v: Any, bias: Any, mask: Any, *, scale: float) -> Any:
    """Run scaled_dot_product_attention, which takes one mask: of numbers to add or of truth values."""
    if bias is not None and mask is not None:
        raise Unsupported("there is one argument for a bias or a mask, not one each")
    given = bias if mask is None else mask
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=given, scale=scale)


def lookup(table: Any, positions: Any, *, offset: int = 0) -> Any:
    """Run embedding."""
    if offset or not isinstance(offset, int):
        raise Unsupported("rows are addressed from 0")
    return functional.embedding(positions, table)


def resize(table: Any, *, length: int, align_corners: bool) -> Any:
    """Run interpolate along the rows, every column a channel."""
    columns = functional.interpolate(table.T[None], size=length, mode="linear", align_corners=align_corners)
    return columns[0].T


def load() -> Implementation:
    """Return the functions of torch.nn.functional as an implementation."""
    return Implementation(
        "torch",
        {"attention.output": attention, "learned.lookup": lookup, "learned.resize": resize},
        version=torch.__version__,
        write=write,
        read=read,
    )
