"""Biases of scores: ALiBi, T5."""

from typing import Any

import torch
from x_transformers.x_transformers import AlibiPositionalBias, RelativePositionBias

from posref.adapters import Unsupported
from posref.adapters._torch import single


def slopes(
    *, num_heads: int, bias_max: float, head_start: int = 0, head_count: int | None = None, dtype: str
) -> Any:
    """Return the slopes that the module makes."""
    single(dtype)
    if bias_max != 8 or head_start or head_count not in {None, num_heads}:
        raise Unsupported("the exponent reaches 8, and a module makes all its slopes")
    return AlibiPositionalBias(num_heads).slopes.flatten()


def bias(q_positions: Any, k_positions: Any, slopes: Any, *, form: str, future: str, dtype: str) -> Any:
    """Run the module with given slopes on given positions."""
    single(dtype)
    if form != "neg_abs" or future != "keep" or slopes.dtype != torch.float32:
        raise Unsupported("minus the distance, float32 slopes, and no mask")
    module = AlibiPositionalBias(len(slopes), slopes=slopes.tolist())
    return module.forward_custom_pos(q_positions, k_positions)


def bucket(relative_position: Any, *, num_buckets: int, max_distance: int, bidirectional: bool) -> Any:
    """Run the bucket function."""
    return RelativePositionBias._relative_position_bucket(
        relative_position, causal=not bidirectional, num_buckets=num_buckets, max_distance=max_distance
    )


OPERATIONS = {"alibi.slopes": slopes, "alibi.bias": bias, "t5.bucket": bucket}
