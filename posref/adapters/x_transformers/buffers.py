"""Buffers of the rotary embedding: frequencies, and the scale of xPos."""

from typing import Any

import torch
from x_transformers.x_transformers import RotaryEmbedding

from posref.adapters import Unsupported
from posref.adapters._torch import single


def inv_freq(*, rotary_dim: int, base: float, dtype: str) -> Any:
    """Return the frequencies."""
    single(dtype)
    return RotaryEmbedding(rotary_dim, base=base).inv_freq


def ntk(*, rotary_dim: int, base: float, factor: float, dtype: str) -> Any:
    """Return the frequencies of a scaled base; there is no magnitude factor."""
    single(dtype)
    return RotaryEmbedding(rotary_dim, base=base, base_rescale_factor=factor).inv_freq, torch.tensor(1.0)


def scale(
    positions: Any, *, rotary_dim: int, gamma: float, scale_base: float, center: float, dtype: str
) -> Any:
    """Return one column of each pair of the scale, which is centred on half of the last position."""
    single(dtype)
    last = int(positions.max()) if positions.numel() and positions.ndim == 1 else None
    if gamma != 0.4 or last is None or center != (last + 1) // 2:
        raise Unsupported("the exponent is centred on half of the last position of all, gamma is 0.4")
    return RotaryEmbedding(rotary_dim, use_xpos=True, scale_base=scale_base)(positions)[1][0, :, ::2]


OPERATIONS = {"rope.inv_freq": inv_freq, "rope_scaling.ntk": ntk, "xpos.scale": scale}
