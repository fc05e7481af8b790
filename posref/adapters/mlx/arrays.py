"""Arrays of MLX: exact values written, exact values read, and a rotary layer run on any positions."""

from math import prod
from typing import Any

import mlx.core as mx
import numpy as np

from posref.adapters import Unsupported


def write(values: np.ndarray, dtype: str) -> Any:
    """Return exact values as an array of `dtype`."""
    return mx.array(values, dtype=getattr(mx, {"bool": "bool_"}.get(dtype, dtype)))


def read(array: Any) -> tuple[str, np.ndarray]:
    """Return the dtype name of an array and its exact values."""
    name = str(array.dtype).removeprefix("mlx.core.")
    short = name in ("bfloat16", "float16")
    values = np.array(array.astype(mx.float32) if short else array)
    return name, values.astype(np.float64) if "float" in name else values


def offset(positions: Any) -> int | None:
    """Return the first of positions that follow each other in one row, else nothing."""
    row = np.array(positions)
    if row.ndim == 1 and row.size and np.array_equal(row, row[0] + np.arange(row.size)):
        return int(row[0])
    return None


def turn(layer: Any, x: Any, positions: Any) -> Any:
    """Run a rotary layer: over a sequence from one offset, else over a batch of single tokens."""
    if "int" not in str(positions.dtype):
        raise Unsupported("an offset is an integer")
    lead, (tokens, width), first = x.shape[:-2], x.shape[-2:], offset(positions)
    if first is not None:
        return layer(x.reshape(1, prod(lead), tokens, width), offset=first).reshape(x.shape)
    flat = mx.broadcast_to(positions, x.shape[:-1]).reshape(prod(x.shape[:-1]))
    return layer(x.reshape(prod(x.shape[:-1]), 1, 1, width), offset=flat).reshape(x.shape)
