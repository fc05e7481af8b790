"""T5's buckets and bias."""

from typing import Any

import torch
import transformers
from transformers.models.t5.modeling_t5 import T5Attention

from posref.adapters import Unsupported
from posref.adapters._torch import counted


def bucket(relative_position: Any, *, num_buckets: int, max_distance: int, bidirectional: bool) -> Any:
    """Run T5's bucket function."""
    return T5Attention._relative_position_bucket(
        relative_position, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance
    )


def t5_bias(
    table: Any,
    q_positions: Any,
    k_positions: Any,
    *,
    num_buckets: int,
    max_distance: int,
    bidirectional: bool,
) -> Any:
    """Run the bias of a T5 attention layer whose queries follow the first ones in a cache."""
    if q_positions.ndim != 1 or k_positions.ndim != 1:
        raise Unsupported("a sequence has positions of its own only by its place in a cache")
    past = int(q_positions[0]) if q_positions.numel() else 0
    if not counted(k_positions) or not counted(q_positions - past):
        raise Unsupported("keys are counted from 0, and queries follow each other")
    config = transformers.T5Config(
        d_model=table.shape[1],
        d_kv=1,
        num_heads=table.shape[1],
        relative_attention_num_buckets=num_buckets,
        relative_attention_max_distance=max_distance,
        is_decoder=not bidirectional,
    )
    layer = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    layer.relative_attention_bias.weight = torch.nn.Parameter(table)
    return layer.compute_bias(len(q_positions), len(k_positions), past_seen_tokens=past)[0]


OPERATIONS = {"t5.bucket": bucket, "t5.bias": t5_bias}
