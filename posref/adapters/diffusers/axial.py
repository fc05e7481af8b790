"""Rotation tables of several axes: Flux."""

from typing import Any

from diffusers.models.transformers.transformer_flux import FluxPosEmbed

from posref.adapters import Unsupported
from posref.adapters._torch import single


def axial(positions: Any, *, axis_dims: list[int], base: float, frequencies: str, dtype: str) -> Any:
    """Run Flux's module, and take one column of each pair."""
    single(dtype)
    if frequencies != "reset":
        raise Unsupported("each axis has its own ladder")
    if positions.shape[-1] != len(axis_dims):
        raise Unsupported("axes are counted by the widths")
    return tuple(table[:, ::2] for table in FluxPosEmbed(base, axis_dims)(positions))


OPERATIONS = {"axial_rope.cos_sin": axial}
