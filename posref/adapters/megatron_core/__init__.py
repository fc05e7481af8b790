"""Megatron Core: what of its rotary embedding and T5 bias runs without a GPU.

Its YaRN and its multimodal rotary embedding ask for the current CUDA device when they are made.
"""

from types import ModuleType

import megatron.core
import torch

from posref.adapters import Implementation
from posref.adapters._torch import read, write
from posref.adapters.megatron_core import buffers, relative, rotation

MODULES: tuple[ModuleType, ...] = (buffers, relative, rotation)

REMARKS = {
    "rope.rotate": "apply_rotary_pos_emb_with_cos_sin, without FlashAttention.",
    "rope.apply": "apply_rotary_pos_emb with the angles of RotaryEmbedding.get_freqs_non_repeated.",
}


def load() -> Implementation:
    """Return the functions of megatron.core as an implementation."""
    return Implementation(
        "megatron_core",
        {name: call for module in MODULES for name, call in module.OPERATIONS.items()},
        version=f"{megatron.core.__version__} with torch {torch.__version__}",
        write=write,
        read=read,
        remarks=REMARKS,
        sessions=rotation.SESSIONS,
    )
