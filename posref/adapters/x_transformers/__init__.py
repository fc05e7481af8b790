"""x-transformers: rotary embedding with xPos, ALiBi, T5's buckets, a scaled sinusoid."""

from importlib.metadata import version

import torch

from posref.adapters import Implementation
from posref.adapters._torch import read, write
from posref.adapters.x_transformers import biases, buffers, rotary, sinusoidal

MODULES = (biases, buffers, rotary, sinusoidal)

REMARKS = {
    "alibi.bias": "AlibiPositionalBias.forward_custom_pos with given slopes.",
    "rope.apply": "linear: interpolation_factor; ntk: base_rescale_factor. Adjacent pairs, float32 angles.",
    "sinusoidal.encode": "ScaledSinusoidalEmbedding with its learned scale at 1.",
    "xpos.scale": "Of queries; the centre is half of the last position.",
}


def load() -> Implementation:
    """Return the modules of x_transformers as an implementation."""
    return Implementation(
        "x_transformers",
        {name: call for module in MODULES for name, call in module.OPERATIONS.items()},
        version=f"{version('x-transformers')} with torch {torch.__version__}",
        write=write,
        read=read,
        remarks=REMARKS,
        sessions=rotary.SESSIONS,
    )
