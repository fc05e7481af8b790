"""The sinusoid that a learned number scales."""

from typing import Any

import torch
from x_transformers.x_transformers import ScaledSinusoidalEmbedding

from posref.adapters import Unsupported
from posref.adapters._torch import single


def module(dim: int, base: float, denominator: str) -> Any:
    """Return the module with its scale at 1."""
    if denominator != "dim":
        raise Unsupported("exponents are shares of the width")
    found = ScaledSinusoidalEmbedding(dim, base)
    found.scale = torch.nn.Parameter(torch.ones(1))
    return found


def inv_freq(*, dim: int, base: float, denominator: str, dtype: str) -> Any:
    """Return the buffer of frequencies."""
    single(dtype)
    return module(dim, base, denominator).inv_freq


def encode(
    positions: Any, *, dim: int, base: float, denominator: str, layout: str, odd: str, dtype: str
) -> Any:
    """Run the module on given positions."""
    single(dtype)
    if layout != "sin_cos" or (odd != "error" and dim % 2) or positions.is_floating_point():
        raise Unsupported("sines stand before cosines, an odd width is an error, positions are whole")
    flat = positions.reshape(-1)
    found = module(dim, base, denominator)(torch.empty(1, len(flat), dim), pos=flat)
    return found.reshape(*positions.shape, dim)


OPERATIONS = {"sinusoidal.inv_freq": inv_freq, "sinusoidal.encode": encode}
