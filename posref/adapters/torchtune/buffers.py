"""Buffers: frequencies, tables of cosines and sines, and those of two axes."""

from typing import Any

import torch
from torchtune.modules import RotaryPositionalEmbeddings, VisionRotaryPositionalEmbeddings

from posref.adapters import Unsupported
from posref.adapters._torch import single
from posref.adapters.torchtune.modules import ROWS, llama3


def inv_freq(*, rotary_dim: int, base: float, dtype: str) -> Any:
    """Return the frequencies."""
    single(dtype)
    return RotaryPositionalEmbeddings(rotary_dim, 1, base).theta


def scaled(*, rotary_dim: int, base: float, dtype: str, **given: Any) -> Any:
    """Return the frequencies that Llama 3 scales; there is no magnitude factor."""
    single(dtype)
    return llama3(rotary_dim, base, given, 1).theta, torch.tensor(1.0)


def cos_sin(positions: Any, inv_freq: Any, *, attention_factor: float = 1.0, dtype: str) -> Any:
    """Return rows of the cache that is built for given frequencies."""
    single(dtype)
    if positions.is_floating_point() or inv_freq.dtype != torch.float32 or attention_factor != 1:
        raise Unsupported("rows of a table, float32 frequencies, no magnitude factor")
    if bool(((positions < 0) | (positions >= ROWS)).any()):
        raise Unsupported(f"tables of {ROWS} rows are built")
    module = RotaryPositionalEmbeddings(2 * len(inv_freq), 1)
    module.theta = inv_freq
    module.build_rope_cache(ROWS)
    return module.cache[positions].unbind(-1)


def axial(positions: Any, *, axis_dims: list[int], base: float, frequencies: str, dtype: str) -> Any:
    """Return the rows of patches, x first, both axes counted from 1."""
    single(dtype)
    if frequencies != "reset" or len(axis_dims) != 2 or axis_dims[0] != axis_dims[1]:
        raise Unsupported("two axes of one width, each with its own ladder")
    if positions.is_floating_point() or bool(((positions < 1) | (positions > 64)).any()):
        raise Unsupported("columns and rows of patches are counted from 1, to 64")
    side = int(positions.max()) if positions.numel() else 1
    module = VisionRotaryPositionalEmbeddings(1, side, 1, axis_dims[0], base)
    cache = module.cache[:-1].view(side, side, *module.cache.shape[1:])
    return cache[positions[:, 1] - 1, positions[:, 0] - 1].unbind(-1)


OPERATIONS = {
    "rope.inv_freq": inv_freq,
    "rope.cos_sin": cos_sin,
    "rope_scaling.llama3": scaled,
    "axial_rope.cos_sin": axial,
}
