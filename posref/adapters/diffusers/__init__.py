"""diffusers: timesteps, tables of one and two axes, Fourier features, rotations of Flux and others."""

import diffusers
import torch

from posref.adapters import Implementation
from posref.adapters._torch import read, write
from posref.adapters.diffusers import additive, axial, rotary, sinusoidal

REMARKS = {
    "timestep.encode": "get_timestep_embedding, cast to the dtype of the timesteps as its models cast it.",
    "sinusoidal.encode": "SinusoidalPositionalEmbedding, or in float64 get_1d_sincos_pos_embed_from_grid.",
    "sincos2d.encode": "get_2d_sincos_pos_embed_from_grid, in float64.",
    "fourier.encode": "GaussianFourierProjection, which projects one coordinate.",
    "axial_rope.cos_sin": "FluxPosEmbed: frequencies in float64, tables in float32.",
    "rope.apply": "get_1d_rotary_pos_embed with Flux's float64 frequencies, then apply_rotary_emb.",
}


def load() -> Implementation:
    """Return the functions of diffusers.models.embeddings as an implementation."""
    version = f"{diffusers.__version__} with torch {torch.__version__}"
    modules = (additive, axial, rotary, sinusoidal)
    operations = {name: call for module in modules for name, call in module.OPERATIONS.items()}
    return Implementation("diffusers", operations, version=version, write=write, read=read, remarks=REMARKS)
