"""timm: tables and rotations of two axes, Swin's windows, resampled tables."""

from types import ModuleType

import timm
import torch

from posref.adapters import Implementation
from posref.adapters._torch import read, write
from posref.adapters.timm import grids, tables, windows

MODULES: tuple[ModuleType, ...] = (grids, tables, windows)

REMARKS = {
    "sincos2d.encode": "build_sincos2d_pos_embed; with reverse_coord its rows go column by column.",
    "axial_rope.cos_sin": "build_rotary_pos_embed with in_pixels=False on a grid of patches.",
    "learned.resize": "resample_abs_pos_embed of one row, bilinear, without antialiasing.",
    "mrope.axis_of_channel": "RotaryEmbeddingMRope.",
}


def load() -> Implementation:
    """Return the layers of timm as an implementation."""
    return Implementation(
        "timm",
        {name: call for module in MODULES for name, call in module.OPERATIONS.items()},
        version=f"{timm.__version__} with torch {torch.__version__}",
        write=write,
        read=read,
        remarks=REMARKS,
    )
