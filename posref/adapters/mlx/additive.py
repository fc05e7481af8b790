"""Additive encodings of mlx.nn: the sinusoidal layer, ALiBi."""

from typing import Any

import mlx.core as mx
import numpy as np
from mlx import nn

from posref.adapters import Unsupported


def encode(
    positions: Any, *, dim: int, base: float, denominator: str, layout: str, odd: str, dtype: str
) -> Any:
    """Run the sinusoidal layer with a scale of 1, from frequency 1 down to 1 / base."""
    if denominator != "count_minus_1" or layout == "interleaved" or dtype != "float32":
        raise Unsupported("the last frequency is 1 / base, in blocks, in float32")
    if dim % 2 and odd != "error":
        raise Unsupported("an odd width is an error")
    layer = nn.SinusoidalPositionalEncoding(dim, min_freq=1 / base, scale=1.0, cos_first=layout == "cos_sin")
    return layer(positions)


def slopes(
    *, num_heads: int, bias_max: float, head_start: int = 0, head_count: int | None = None, dtype: str
) -> Any:
    """Return the slopes of all heads."""
    if bias_max != 8 or head_start or head_count not in {None, num_heads}:
        raise Unsupported("all heads are built, with the exponent 8")
    return nn.ALiBi.create_alibi_slope(num_heads, getattr(mx, dtype))[:, 0, 0]


def bias(q_positions: Any, k_positions: Any, slopes: Any, *, form: str, future: str, dtype: str) -> Any:
    """Return the matrix of queries that follow an offset, where the given slopes are the layer's own."""
    queries, keys = np.array(q_positions), np.array(k_positions)
    first = int(queries[0]) if queries.ndim == 1 and queries.size else 0
    counted = np.array_equal(queries, first + np.arange(queries.size)) and first >= 0
    if not counted or not np.array_equal(keys, np.arange(keys.size)):
        raise Unsupported("queries follow an offset, keys are counted from 0")
    if form != "neg_abs" or (future == "neg_inf" and keys.size and keys[-1] > first):
        raise Unsupported("the bias is -m|i-j|, and the mask is an array of its own")
    if not mx.array_equal(nn.ALiBi.create_alibi_slope(len(slopes))[:, 0, 0], slopes):
        raise Unsupported("slopes are made from the number of heads, never given")
    size = first + queries.size
    return nn.ALiBi.create_alibi_matrix(size, keys.size, len(slopes), first, getattr(mx, dtype))[0]
