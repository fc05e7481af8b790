"""Rotation: half pairs as Llama and GPT-NeoX turn them, adjacent ones as GPT-J and GLM do."""

from collections.abc import Mapping
from math import prod
from typing import Any

import torch
import transformers
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek_v3
from transformers.models.glm import modeling_glm as glm
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.hunyuan_v1_dense import modeling_hunyuan_v1_dense as hunyuan
from transformers.models.llama import modeling_llama as llama

from posref.adapters import Unsupported
from posref.adapters.transformers.scaling import head, parameters, table_length
from posref.adapters.transformers.tensors import single

ROWS = 4096


def llama_rotary(width: int, base: float, scaling: Mapping[str, Any] | None = None) -> Any:
    """Return Llama's rotary module for heads of `width`."""
    rope = parameters(scaling, base)
    return llama.LlamaRotaryEmbedding(transformers.LlamaConfig(**head(width, scaling), rope_parameters=rope))


def hunyuan_rotary(width: int, base: float, scaling: Mapping[str, Any]) -> Any:
    """Return HunYuan's rotary module, the one that changes the base by a fixed factor."""
    rope = parameters(scaling, base)
    return hunyuan.HunYuanDenseV1RotaryEmbedding(
        transformers.HunYuanDenseV1Config(**head(width, scaling), rope_parameters=rope)
    )


def partial_rotary(module: Any, head_dim: int, rotary_dim: int, base: float, scaling: Any) -> Any:
    """Return the rotary module of GPT-NeoX or GLM, which rotate a leading part of the head."""
    factor = rotary_dim / head_dim
    if int(head_dim * factor) != rotary_dim:
        raise Unsupported(f"no partial_rotary_factor that gives {rotary_dim} of {head_dim} is known")
    rope = {"partial_rotary_factor": factor, **parameters(scaling, base)}
    shape = {"hidden_size": head_dim, "num_attention_heads": 1, "rope_parameters": rope}
    shape["max_position_embeddings"] = table_length(scaling)
    if module is gpt_neox:
        return gpt_neox.GPTNeoXRotaryEmbedding(transformers.GPTNeoXConfig(**shape))
    return glm.GlmRotaryEmbedding(transformers.GlmConfig(**shape, head_dim=head_dim))


def inv_freq(*, rotary_dim: int, base: float, dtype: str) -> Any:
    """Return the buffer of Llama's rotary module."""
    single(dtype)
    return llama_rotary(rotary_dim, base).inv_freq


def cos_sin(positions: Any, inv_freq: Any, *, attention_factor: float = 1.0, dtype: str) -> Any:
    """Run Llama's rotary module with the given frequencies in its buffer."""
    if inv_freq.dtype != torch.float32:
        raise Unsupported("frequencies are float32")
    rotary = llama_rotary(2 * len(inv_freq), 10000.0)
    rotary.inv_freq, rotary.attention_scaling = inv_freq, attention_factor
    tables = rotary(torch.empty(0, dtype=getattr(torch, dtype)), positions)
    return tuple(table[..., : len(inv_freq)] for table in tables)


def rotate(x: Any, cos: Any, sin: Any, *, pairing_in: str, pairing_out: str, rotary_start: int = 0) -> Any:
    """Rotate by given tables, with the function of the model that has the pairing."""
    leading(rotary_start)
    if torch.promote_types(x.dtype, cos.dtype) != x.dtype:
        raise Unsupported("tables are taken in the dtype of x")
    whole = 2 * cos.shape[-1] == x.shape[-1]
    if (pairing_in, pairing_out) == ("adjacent", "adjacent"):
        return gptj_rotate(x, sin, cos)
    if (pairing_in, pairing_out) == ("half", "half"):
        function = llama.apply_rotary_pos_emb if whole else gpt_neox.apply_rotary_pos_emb
    elif (pairing_in, pairing_out) == ("adjacent", "half") and whole:
        function = deepseek_v3.apply_rotary_pos_emb_interleave
    else:
        raise Unsupported(f"no model reads {pairing_in} pairs and writes {pairing_out} ones here")
    cos, sin = torch.cat((cos, cos), -1), torch.cat((sin, sin), -1)
    return function(x[None], x[None], cos, sin, unsqueeze_dim=0)[0][0]


def leading(rotary_start: Any) -> None:
    """Refuse a slice that does not start at the first coordinate."""
    if rotary_start or not isinstance(rotary_start, int):
        raise Unsupported("the rotated slice is a leading one")


def gptj_rotate(x: Any, sin: Any, cos: Any) -> Any:
    """Rotate the leading part of x as GPT-J's attention layer does, one head to a batch entry."""
    lead, tokens, half = x.shape[:-2], x.shape[-2], sin.shape[-1]
    tables = [table.expand(*lead, *table.shape[-2:]) for table in (sin, cos)]
    tables = [table.reshape(prod(lead), *table.shape[-2:]) for table in tables]
    heads = x[..., : 2 * half].reshape(prod(lead), tokens, 1, 2 * half)
    rotated = gptj.apply_rotary_pos_emb(heads, *tables).reshape(*lead, tokens, 2 * half)
    return torch.cat((rotated, x[..., 2 * half :]), dim=-1)


def tables(rotary: Any, x: Any, positions: Any, seq_len: int | None) -> Any:
    """Return the module's cosines and sines in a sequence of a length.

    A module reads the length from its positions, so the last token of the sequence is put at the end.
    """
    if seq_len is None:
        return rotary(x, positions)
    if positions.numel() and bool(positions.max() >= seq_len):
        raise Unsupported("a sequence is as long as its largest position says")
    last = torch.full((*positions.shape[:-1], 1), seq_len - 1, dtype=positions.dtype)
    cos, sin = rotary(x, torch.cat((positions, last), dim=-1))
    return cos[..., :-1, :], sin[..., :-1, :]


def apply_qk(
    q: Any,
    k: Any,
    positions: Any,
    *,
    rotary_dim: int,
    rotary_start: int = 0,
    base: float,
    pairing: str,
    scaling: Any = None,
    seq_len: int | None = None,
) -> Any:
    """Rotate queries and keys as the model's attention layer does."""
    leading(rotary_start)
    if pairing == "adjacent" and base == 10000 and scaling is None and in_table(positions):
        config = transformers.GPTJConfig(
            n_embd=q.shape[-1], n_head=1, rotary_dim=rotary_dim, n_positions=ROWS
        )
        sin, cos = gptj.GPTJRotaryEmbedding(config)(q, positions)
        return gptj_rotate(q, sin, cos), gptj_rotate(k, sin, cos)
    module, rotary = chosen(q.shape[-1], rotary_dim, base, pairing, scaling)
    cos, sin = tables(rotary, q, positions, seq_len)
    q, k = module.apply_rotary_pos_emb(q[None], k[None], cos, sin, unsqueeze_dim=0)
    return q[0], k[0]


def chosen(width: int, rotary_dim: int, base: float, pairing: str, scaling: Any) -> tuple[Any, Any]:
    """Return the model that turns heads in this way, and its rotary module."""
    whole = pairing == "half" and rotary_dim == width
    if scaling is not None and scaling["rope_type"] == "ntk":
        if not whole:
            raise Unsupported("the model that changes the base by a factor turns half pairs of whole heads")
        return hunyuan, hunyuan_rotary(width, base, scaling)
    if whole:
        return llama, llama_rotary(width, base, scaling)
    module = {"half": gpt_neox, "adjacent": glm}[pairing]
    return module, partial_rotary(module, width, rotary_dim, base, scaling)


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Rotate x in the place of the queries."""
    return apply_qk(x, x, positions, **params)[0]


def in_table(positions: Any) -> bool:
    """Whether all positions are rows of a table of `ROWS` rows."""
    if positions.is_floating_point():
        return False
    return bool(((positions >= 0) & (positions < ROWS)).all())
