"""Fixed tables of one axis, as models build them."""

from functools import lru_cache
from typing import Any

import torch
from torch.nn.functional import embedding
from transformers.models.distilbert import modeling_distilbert as distilbert
from transformers.models.m2m_100 import modeling_m2m_100 as m2m_100
from transformers.models.marian import modeling_marian as marian
from transformers.models.musicgen import modeling_musicgen as musicgen
from transformers.models.whisper.modeling_whisper import sinusoids

from posref.adapters import Unsupported
from posref.adapters.transformers.rotation import ROWS, in_table

ODD = {"error", "zero_pad", "extra_sine"}

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


OPERATIONS = {"sinusoidal.encode": encode}
