"""Frequencies and tables of Llama's rotary module."""

from typing import Any

import torch

from posref.adapters import Unsupported
from posref.adapters._torch import single
from posref.adapters.transformers.rotary import llama_rotary


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


OPERATIONS = {"rope.inv_freq": inv_freq, "rope.cos_sin": cos_sin}
