"""Tables added to embeddings: fixed ones, as models build them, and learned ones, as models look them up."""

from functools import lru_cache
from typing import Any

import torch
import transformers
from torch.nn.functional import embedding
from transformers.models.bert.modeling_bert import BertEmbeddings
from transformers.models.distilbert import modeling_distilbert as distilbert
from transformers.models.m2m_100 import modeling_m2m_100 as m2m_100
from transformers.models.marian import modeling_marian as marian
from transformers.models.musicgen import modeling_musicgen as musicgen
from transformers.models.omdet_turbo.modeling_omdet_turbo import OmDetTurboHybridEncoder
from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding
from transformers.models.vit_mae.modeling_vit_mae import build_2d_sinusoidal_position_embedding
from transformers.models.whisper.modeling_whisper import sinusoids

from posref.adapters import Unsupported
from posref.adapters.transformers.rotary import ROWS, in_table

ODD = {"error", "zero_pad", "extra_sine"}
SIDE = 128

MODELS = {
    ("interleaved", "dim"): ("distilbert", "extra_sine"),
    ("sin_cos", "dim"): ("marian", "extra_sine"),
    ("sin_cos", "count_minus_1"): ("m2m_100", "zero_pad"),
    ("cos_sin", "count_minus_1"): ("musicgen", "zero_pad"),
}
"""Layout and denominator: the model, and what an odd width means to it."""


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


def grid(
    rows: Any, cols: Any, *, dim: int, base: float, denominator: str, axis_order: str, layout: str, dtype: str
) -> Any:
    """Look up ViT-MAE's table, which is height first, or OmDet-Turbo's, which is width first."""
    if (denominator, layout) != ("dim", "axis_major") or dtype == "float64":
        raise Unsupported("a table has the sines and cosines of one axis after the other, in float32")
    if rows.shape != cols.shape or bool(((rows < 0) | (rows >= SIDE) | (cols < 0) | (cols >= SIDE)).any()):
        raise Unsupported(f"a grid of {SIDE} by {SIDE} patches is built")
    height = int(rows.max()) + 1 if rows.numel() else 1
    width = int(cols.max()) + 1 if cols.numel() else 1
    if axis_order == "y_first":
        found = build_2d_sinusoidal_position_embedding(height, width, dim, base)
        found = found.view(height, width, dim)[rows, cols]
    else:
        build = OmDetTurboHybridEncoder.build_2d_sincos_position_embedding
        found = build(width, height, dim, base).view(width, height, dim)[cols, rows]
    return found.to(getattr(torch, dtype))


def lookup(table: Any, positions: Any, *, offset: int = 0) -> Any:
    """Look rows up as BERT does, or as OPT does, whose positions start at row 2."""
    rows, width = table.shape
    if not isinstance(offset, int):
        raise Unsupported("an offset is part of a model")
    if offset == 0:
        config = transformers.BertConfig(
            vocab_size=1,
            hidden_size=width,
            num_attention_heads=1,
            max_position_embeddings=rows,
            type_vocab_size=1,
        )
        module = BertEmbeddings(config).position_embeddings
    elif offset == 2 and rows > 2:
        module = OPTLearnedPositionalEmbedding(rows - 2, width)
    else:
        raise Unsupported("an offset is 0 or 2")
    module.weight = torch.nn.Parameter(table)
    if offset:
        return module(None, position_ids=positions)
    return module(positions)
