"""Distances put into classes: DeBERTa-v2's buckets, the clipped rows of Wav2Vec2-BERT."""

from types import SimpleNamespace
from typing import Any

import torch
from transformers.models.deberta_v2 import modeling_deberta_v2 as deberta
from transformers.models.wav2vec2_bert import modeling_wav2vec2_bert as wav2vec2_bert

from posref.adapters import Unsupported
from posref.adapters._torch import counted


def log_bucket(
    relative_position: Any, *, position_buckets: int, max_relative_positions: int, clamp_first: bool
) -> Any:
    """Run DeBERTa-v2's bucket function."""
    if clamp_first:
        raise Unsupported("positions are not clamped before they are put into buckets")
    found = deberta.make_log_bucket_position(relative_position, position_buckets, max_relative_positions)
    return found.to(torch.long)


def shaw_index(q_positions: Any, k_positions: Any, *, clip_left: int, clip_right: int) -> Any:
    """Return the rows that Wav2Vec2-BERT's attention looks up, by a table that holds their numbers."""
    if not counted(q_positions) or not counted(k_positions):
        raise Unsupported("queries and keys are counted from 0, for all sequences alike")
    rows = torch.nn.Embedding(clip_left + clip_right + 1, 1, dtype=torch.float64)
    rows.weight = torch.nn.Parameter(torch.arange(len(rows.weight), dtype=torch.float64)[:, None])
    layer = SimpleNamespace(
        left_max_position_embeddings=clip_left,
        right_max_position_embeddings=clip_right,
        distance_embedding=rows,
        scaling=1,
    )
    q, k = (torch.ones(1, 1, len(one), 1, dtype=torch.float64) for one in (q_positions, k_positions))
    _, found = wav2vec2_bert._apply_relative_key_position_encoding(layer, q, k)
    return found[0, 0].detach().long()


OPERATIONS = {"deberta.bucket": log_bucket, "shaw.index": shaw_index}
