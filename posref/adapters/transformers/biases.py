"""Biases of scores: ALiBi as BLOOM, MPT and Falcon build it, T5's buckets, DeBERTa's, Swin's, Shaw's."""

from types import SimpleNamespace
from typing import Any

import torch
import transformers
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.deberta_v2 import modeling_deberta_v2 as deberta
from transformers.models.falcon.modeling_falcon import build_alibi_tensor as build_falcon_alibi
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.swin.modeling_swin import SwinRelativePositionBias
from transformers.models.swinv2.modeling_swinv2 import Swinv2SelfAttention
from transformers.models.t5.modeling_t5 import T5Attention
from transformers.models.wav2vec2_bert import modeling_wav2vec2_bert as wav2vec2_bert

from posref.adapters import Unsupported
from posref.adapters.transformers.tensors import counted, single


def slopes(
    *, num_heads: int, bias_max: float, head_start: int = 0, head_count: int | None = None, dtype: str
) -> Any:
    """Return BLOOM's bias at key 1, or with another exponent MPT's at the key before the last."""
    if head_start or head_count not in {None, num_heads}:
        raise Unsupported("a model builds all its heads")
    if bias_max == 8:
        mask = torch.ones(1, 2, dtype=torch.int64)
        return build_alibi_tensor(mask, num_heads, getattr(torch, dtype))[:, 0, 1]
    if dtype != "float32" or bias_max != int(bias_max):
        raise Unsupported("other exponents are whole, and in float32")
    return -build_mpt_alibi_tensor(num_heads, 2, int(bias_max))[:, 0, 0]


def bias(q_positions: Any, k_positions: Any, slopes: Any, *, form: str, future: str, dtype: str) -> Any:
    """Return a model's bias, where the given slopes are the ones it makes for itself."""
    keys, heads = k_positions.shape[-1], len(slopes)
    if q_positions.ndim != 1 or not counted(k_positions):
        raise Unsupported("keys are counted from 0, for all sequences alike")
    if future != "keep" and keys and bool((k_positions[-1] > q_positions).any()):
        raise Unsupported("the mask is a tensor of its own")
    if form == "key_index":
        rows, own = by_index(keys, heads, slopes, dtype)
    elif form == "neg_distance" and dtype == "float32" and q_positions.tolist() == [keys - 1]:
        rows = build_mpt_alibi_tensor(heads, keys + 2)
        rows, own = rows[..., 2:], -rows[:, 0, -2]
    else:
        raise Unsupported("the distance is the one to the last key, in float32")
    if not torch.equal(own.double(), slopes.double()):
        raise Unsupported("slopes are made from the number of heads, never given")
    return rows.expand(heads, len(q_positions), keys)


def by_index(keys: int, heads: int, slopes: Any, dtype: str) -> tuple[Any, Any]:
    """Return bias by key index and slopes: BLOOM's, or Falcon's where its bfloat16 slopes are given."""
    mask = torch.ones(1, keys + 2, dtype=torch.int64)
    for build in (build_alibi_tensor, build_falcon_alibi):
        own = build(mask, heads, torch.float32)[:, 0, 1]
        if torch.equal(own.double(), slopes.double()):
            break
    return build(mask, heads, getattr(torch, dtype))[..., :keys], own


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


def swin_index(*, window: list[int]) -> Any:
    """Return Swin's buffer of indices."""
    bias = SwinRelativePositionBias(1, tuple(window))
    return bias.relative_position_index.view(bias.window_area, bias.window_area)


def log_coords(*, window: list[int], pretrained_window: list[int] | None, dtype: str) -> Any:
    """Return Swin v2's buffer of coordinates."""
    single(dtype)
    config = transformers.Swinv2Config(embed_dim=2, num_heads=[1], depths=[1])
    layer = Swinv2SelfAttention(config, 2, 1, list(window), list(pretrained_window or [0, 0]))
    return layer.relative_coords_table[0]
