"""torchtune: rotations of Llama 2 and 3 (adjacent pairs) and Phi-3 (half), the towers of Llama 3.2 and T5."""

from types import ModuleType

import torch
import torchtune

from posref.adapters import Implementation
from posref.adapters._torch import read, write
from posref.adapters.torchtune import buffers, rotary

MODULES: tuple[ModuleType, ...] = (buffers, rotary)

REMARKS = {
    "axial_rope.cos_sin": "VisionRotaryPositionalEmbeddings: x first, columns and rows counted from 1.",
    "rope.apply": "adjacent: RotaryPositionalEmbeddings, Llama3ScaledRoPE; half: Phi-3.",
    "rope.cos_sin": "The cache of RotaryPositionalEmbeddings, rebuilt for given frequencies.",
}


def load() -> Implementation:
    """Return the modules of torchtune as an implementation."""
    return Implementation(
        "torchtune",
        {name: call for module in MODULES for name, call in module.OPERATIONS.items()},
        version=f"{torchtune.__version__} with torch {torch.__version__}",
        write=write,
        read=read,
        remarks=REMARKS,
        sessions=rotary.SESSIONS,
    )
