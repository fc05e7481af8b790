"""ALiBi as BLOOM, MPT and Falcon build it."""

from typing import Any

import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.falcon.modeling_falcon import build_alibi_tensor as build_falcon_alibi
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

from posref.adapters import Unsupported
from posref.adapters._torch import counted


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


OPERATIONS = {"alibi.slopes": slopes, "alibi.bias": bias}
