"""T5's buckets and bias."""

from typing import Any

import torch
from megatron.core.models.common.embeddings.relative_pos_embedding import RelativePositionEmbedding

from posref.adapters import Unsupported
from posref.adapters._torch import counted


def module(heads: int, *, num_buckets: int, max_distance: int, bidirectional: bool) -> Any:
    """Return the module, its weights as they were made."""
    return RelativePositionEmbedding(bidirectional, lambda weight: weight, heads, num_buckets, max_distance)


def bucket(relative_position: Any, **params: Any) -> Any:
    """Run the bucket function."""
    return module(1, **params)._relative_position_bucket(relative_position, **params)


def bias(table: Any, q_positions: Any, k_positions: Any, **params: Any) -> Any:
    """Run the module, whose queries and keys are counted from 0."""
    if not counted(q_positions) or not counted(k_positions):
        raise Unsupported("queries and keys are counted from 0, for all sequences alike")
    found = module(table.shape[1], **params)
    found.relative_attention_bias.weight = torch.nn.Parameter(table)
    return found(len(q_positions), len(k_positions))[0]


OPERATIONS = {"t5.bucket": bucket, "t5.bias": bias}
