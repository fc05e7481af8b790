"""Hugging Face transformers: the rotary, ALiBi and sinusoidal code of its models.

Which model answers which convention: half pairs, Llama (whole head) and GPT-NeoX (part of it);
adjacent pairs, GPT-J (base 10000, positions inside its table) and GLM; read adjacent, written half,
DeepSeek-V3. Bias on key indices, BLOOM; on the distance to the last key, MPT. Tables, DistilBERT,
Marian, M2M100, Whisper and MusicGen.
"""

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import torch
import transformers
from torch.nn.functional import embedding
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek_v3
from transformers.models.distilbert import modeling_distilbert as distilbert
from transformers.models.glm import modeling_glm as glm
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama
from transformers.models.m2m_100 import modeling_m2m_100 as m2m_100
from transformers.models.marian import modeling_marian as marian
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.musicgen import modeling_musicgen as musicgen
from transformers.models.whisper.modeling_whisper import sinusoids

from posref.adapters import Implementation, Unsupported

ROWS = 4096
ODD = {"error", "zero_pad", "extra_sine"}


def write(values: np.ndarray, dtype: str) -> Any:
    """Return exact values as a tensor of `dtype`."""
    return torch.from_numpy(np.array(values)).to(getattr(torch, dtype))


def read(tensor: Any) -> tuple[str, np.ndarray]:
    """Return the dtype name of a tensor and its exact values."""
    values = tensor.to(torch.float64) if tensor.is_floating_point() else tensor
    return str(tensor.dtype).removeprefix("torch."), values.numpy()


def llama_rotary(width: int, base: float, scaling: Any = None) -> Any:
    """Return Llama's rotary module for heads of `width`."""
    rope = {"rope_theta": base, **(scaling or {"rope_type": "default"})}
    shape = {"head_dim": width, "hidden_size": width, "num_attention_heads": 1}
    return llama.LlamaRotaryEmbedding(transformers.LlamaConfig(**shape, rope_parameters=rope))


def partial_rotary(module: Any, head_dim: int, rotary_dim: int, base: float, scaling: Any) -> Any:
    """Return the rotary module of GPT-NeoX or GLM, which rotate a leading part of the head."""
    factor = rotary_dim / head_dim
    if int(head_dim * factor) != rotary_dim:
        raise Unsupported(f"no partial_rotary_factor that gives {rotary_dim} of {head_dim} is known")
    rope = {"rope_theta": base, "partial_rotary_factor": factor, **(scaling or {"rope_type": "default"})}
    shape = {"hidden_size": head_dim, "num_attention_heads": 1, "rope_parameters": rope}
    if module is gpt_neox:
        return gpt_neox.GPTNeoXRotaryEmbedding(transformers.GPTNeoXConfig(**shape))
    return glm.GlmRotaryEmbedding(transformers.GlmConfig(**shape, head_dim=head_dim))


def inv_freq(*, rotary_dim: int, base: float, dtype: str) -> Any:
    """Return the buffer of Llama's rotary module."""
    if dtype != "float32":
        raise Unsupported("frequencies are float32")
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
    if rotary_start or not isinstance(rotary_start, int):
        raise Unsupported("the rotated slice is a leading one")
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
    return function(x[None], x[None], torch.cat((cos, cos), -1), torch.cat((sin, sin), -1), unsqueeze_dim=0)[
        0
    ][0]


def gptj_rotate(x: Any, sin: Any, cos: Any) -> Any:
    """Rotate the leading part of x as GPT-J's attention layer does, one head to a batch entry."""
    lead, tokens, half = x.shape[:-2], x.shape[-2], sin.shape[-1]
    tables = [table.expand(*lead, *table.shape[-2:]) for table in (sin, cos)]
    tables = [table.reshape(prod(lead), *table.shape[-2:]) for table in tables]
    heads = x[..., : 2 * half].reshape(prod(lead), tokens, 1, 2 * half)
    rotated = gptj.apply_rotary_pos_emb(heads, *tables).reshape(*lead, tokens, 2 * half)
    return torch.cat((rotated, x[..., 2 * half :]), dim=-1)


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
    if rotary_start or not isinstance(rotary_start, int):
        raise Unsupported("the rotated slice is a leading one")
    if seq_len is not None:
        raise Unsupported("the length is read from the positions")
    if pairing == "adjacent" and base == 10000 and scaling is None and in_table(positions):
        config = transformers.GPTJConfig(
            n_embd=q.shape[-1], n_head=1, rotary_dim=rotary_dim, n_positions=ROWS
        )
        sin, cos = gptj.GPTJRotaryEmbedding(config)(q, positions)
        return gptj_rotate(q, sin, cos), gptj_rotate(k, sin, cos)
    if pairing == "half" and rotary_dim == q.shape[-1]:
        module, rotary = llama, llama_rotary(rotary_dim, base, scaling)
    else:
        module = {"half": gpt_neox, "adjacent": glm}[pairing]
        rotary = partial_rotary(module, q.shape[-1], rotary_dim, base, scaling)
    q, k = module.apply_rotary_pos_emb(q[None], k[None], *rotary(q, positions), unsqueeze_dim=0)
    return q[0], k[0]


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Rotate x in the place of the queries."""
    return apply_qk(x, x, positions, **params)[0]


def in_table(positions: Any) -> bool:
    """Whether all positions are rows of a table of `ROWS` rows."""
    if positions.is_floating_point():
        return False
    return bool(((positions >= 0) & (positions < ROWS)).all())


def slopes(
    *, num_heads: int, bias_max: float, head_start: int = 0, head_count: int | None = None, dtype: str
) -> Any:
    """Return BLOOM's bias at key 1."""
    if bias_max != 8 or head_start or head_count not in {None, num_heads}:
        raise Unsupported("BLOOM builds all heads, with the exponent 8")
    return build_alibi_tensor(torch.ones(1, 2, dtype=torch.int64), num_heads, getattr(torch, dtype))[:, 0, 1]


def bias(q_positions: Any, k_positions: Any, slopes: Any, *, form: str, future: str, dtype: str) -> Any:
    """Return BLOOM's or MPT's bias, where the given slopes are the ones it makes for itself."""
    keys, heads = k_positions.shape[-1], len(slopes)
    if q_positions.ndim != 1 or not torch.equal(k_positions, torch.arange(keys)):
        raise Unsupported("keys are counted from 0, for all sequences alike")
    if future != "keep" and keys and bool((k_positions[-1] > q_positions).any()):
        raise Unsupported("the mask is a tensor of its own")
    if form == "key_index":
        mask = torch.ones(1, keys + 2, dtype=torch.int64)
        rows, own = (build_alibi_tensor(mask, heads, getattr(torch, kind)) for kind in (dtype, "float32"))
        rows, own = rows[..., :keys], own[:, 0, 1]
    elif form == "neg_distance" and dtype == "float32" and q_positions.tolist() == [keys - 1]:
        rows = build_mpt_alibi_tensor(heads, keys + 2)
        rows, own = rows[..., 2:], -rows[:, 0, -2]
    else:
        raise Unsupported("the distance is the one to the last key, in float32")
    if not torch.equal(own.double(), slopes.double()):
        raise Unsupported("slopes are made from the number of heads, never given")
    return rows.expand(heads, len(q_positions), keys)


@lru_cache(maxsize=32)
def table(model: str, rows: int, dim: int, base: float) -> Any:
    """Return the first rows of the table that a model builds."""
    if model == "distilbert":
        return distilbert.create_sinusoidal_embeddings(rows, dim, torch.empty(rows, dim))
    if model == "marian":
        return marian.MarianSinusoidalPositionalEmbedding(rows, dim).create_weight()
    if model == "m2m_100":
        return m2m_100.M2M100SinusoidalPositionalEmbedding.get_embedding(rows, dim)
    if model == "musicgen":
        return musicgen.MusicgenSinusoidalPositionalEmbedding.get_embedding(rows, dim)
    return sinusoids(rows, dim, base)


MODELS = {
    ("interleaved", "dim"): ("distilbert", "extra_sine"),
    ("sin_cos", "dim"): ("marian", "extra_sine"),
    ("sin_cos", "count_minus_1"): ("m2m_100", "zero_pad"),
    ("cos_sin", "count_minus_1"): ("musicgen", "zero_pad"),
}
"""Layout and denominator: the model, and what an odd width means to it."""


def encode(
    positions: Any, *, dim: int, base: float, denominator: str, layout: str, odd: str, dtype: str
) -> Any:
    """Look rows of a model's table up; the table is float32 and cast as a model's weights are."""
    model, means = MODELS.get((layout, denominator), ("", ""))
    if base != 10000 and model == "m2m_100":
        model, means = "whisper", "error"
    elif base != 10000:
        raise Unsupported("the base is fixed at 10000")
    if not model or odd not in ({means} if dim % 2 else ODD) or dtype == "float64":
        raise Unsupported("no model has a table of this layout, odd width or dtype")
    if not in_table(positions):
        raise Unsupported(f"rows 0 to {ROWS - 1} are built")
    rows = 1 << int(positions.max()).bit_length() if positions.numel() else 1
    return embedding(positions, table(model, rows, dim, base)).to(getattr(torch, dtype))


def load() -> Implementation:
    """Return the models of transformers as one implementation."""
    return Implementation(
        "transformers",
        {
            "rope.inv_freq": inv_freq,
            "rope.cos_sin": cos_sin,
            "rope.rotate": rotate,
            "rope.apply": apply,
            "rope.apply_qk": apply_qk,
            "alibi.slopes": slopes,
            "alibi.bias": bias,
            "sinusoidal.encode": encode,
        },
        version=f"{transformers.__version__} with torch {torch.__version__}",
        write=write,
        read=read,
        remarks={
            "rope.apply": "half: Llama, GPT-NeoX; adjacent: GPT-J, GLM. Angles are float32 in every dtype.",
            "alibi.bias": "key_index: BLOOM; neg_distance: MPT.",
        },
    )
