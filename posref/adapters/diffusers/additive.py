"""Timesteps, tables of two axes, Fourier features."""

from typing import Any

import torch
from diffusers.models import embeddings

from posref.adapters import Unsupported


def timestep(timesteps: Any, *, dim: int, odd: str, freq_shift: float, **given: Any) -> Any:
    """Run get_timestep_embedding, and cast its float32 as the models do."""
    if dim % 2 and odd == "error":
        raise Unsupported("an odd width is padded by a zero")
    if timesteps.dtype == torch.float64:
        raise Unsupported("embeddings are float32")
    flat = timesteps.reshape(-1)
    found = embeddings.get_timestep_embedding(flat, dim, downscale_freq_shift=freq_shift, **given)
    return found.reshape(*timesteps.shape, dim).to(timesteps.dtype)


def grid(
    rows: Any, cols: Any, *, dim: int, base: float, denominator: str, axis_order: str, layout: str, dtype: str
) -> Any:
    """Run the function of a grid, whose first axis is the width in the models."""
    if (base, denominator, layout) != (10000, "dim", "axis_major"):
        raise Unsupported("sines and cosines of one axis follow each other, the base is 10000")
    axes = torch.stack((cols, rows) if axis_order == "x_first" else (rows, cols))
    found = embeddings.get_2d_sincos_pos_embed_from_grid(dim, axes)
    return found.reshape(*rows.shape, dim).to(getattr(torch, dtype))


def fourier(x: Any, weights: Any, *, two_pi: bool, include_input: bool) -> Any:
    """Run GaussianFourierProjection with given weights."""
    if not two_pi or include_input or len(weights) != 1:
        raise Unsupported("one coordinate times two pi, and no copy of it")
    module = embeddings.GaussianFourierProjection(log=False)
    module.weight = torch.nn.Parameter(weights[0])
    return module(x.reshape(-1)).reshape(*x.shape[:-1], 2 * weights.shape[1])


OPERATIONS = {"timestep.encode": timestep, "sincos2d.encode": grid, "fourier.encode": fourier}
