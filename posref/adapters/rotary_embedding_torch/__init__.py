"""rotary-embedding-torch: its module with its cache, its frequencies."""

from importlib.metadata import version
from typing import Any

import torch
from rotary_embedding_torch import RotaryEmbedding

from posref.adapters import Implementation
from posref.adapters._torch import read, single, write
from posref.adapters.rotary_embedding_torch import rotation

REMARKS = {
    "rope.apply": "Positions that follow each other: rotate_queries_or_keys; others: apply_rotary_emb.",
}


def inv_freq(*, rotary_dim: int, base: float, dtype: str) -> Any:
    """Return the parameter of frequencies."""
    single(dtype)
    return RotaryEmbedding(rotary_dim, theta=base).freqs


def ntk(*, rotary_dim: int, base: float, factor: float, dtype: str) -> Any:
    """Return the frequencies of a scaled base; there is no magnitude factor."""
    single(dtype)
    return RotaryEmbedding(rotary_dim, theta=base, theta_rescale_factor=factor).freqs, torch.tensor(1.0)


def load() -> Implementation:
    """Return the module as an implementation."""
    return Implementation(
        "rotary_embedding_torch",
        {"rope.inv_freq": inv_freq, "rope_scaling.ntk": ntk, **rotation.OPERATIONS},
        version=f"{version('rotary-embedding-torch')} with torch {torch.__version__}",
        write=write,
        read=read,
        remarks=REMARKS,
        sessions=rotation.SESSIONS,
    )
