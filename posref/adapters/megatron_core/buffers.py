"""Frequencies and tables of RotaryEmbedding."""

from typing import Any

import torch
from megatron.core.models.common.embeddings.rotary_pos_embedding import RotaryEmbedding

from posref.adapters import Unsupported
from posref.adapters._torch import first, single

LLAMA = {"low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}


def module(width: int, base: float = 10000, **given: Any) -> Any:
    """Return a rotary embedding whose frequencies lie on the CPU."""
    return RotaryEmbedding(width, 1.0, rotary_base=base, use_cpu_initialization=True, **given)


def arguments(scaling: Any) -> dict[str, Any]:
    """Return a scaling as arguments; of Llama 3's, the factor alone can be chosen."""
    if scaling is None:
        return {}
    if scaling["rope_type"] == "linear":
        return {"seq_len_interpolation_factor": scaling["factor"]}
    if scaling["rope_type"] != "llama3" or any(scaling[key] != LLAMA[key] for key in LLAMA):
        raise Unsupported("positions are divided, or frequencies scaled by the bands of Llama 3.1")
    return {"rope_scaling": True, "rope_scaling_factor": scaling["factor"]}


def inv_freq(*, rotary_dim: int, base: float, dtype: str) -> Any:
    """Return the frequencies."""
    single(dtype)
    return module(rotary_dim, base).inv_freq


def llama3(*, rotary_dim: int, base: float, dtype: str, **given: Any) -> Any:
    """Return the frequencies scaled by bands; there is no magnitude factor."""
    single(dtype)
    return module(rotary_dim, base, **arguments({"rope_type": "llama3", **given})).inv_freq, torch.tensor(1.0)


def cos_sin(positions: Any, inv_freq: Any, *, attention_factor: float = 1.0, dtype: str) -> Any:
    """Return the tables of given frequencies from an offset on."""
    single(dtype)
    if inv_freq.dtype != torch.float32 or attention_factor != 1:
        raise Unsupported("float32 frequencies, no magnitude factor")
    rotary = module(2 * len(inv_freq))
    rotary.inv_freq = inv_freq
    return rotary.get_cos_sin(positions.shape[-1], first(positions))


OPERATIONS = {"rope.inv_freq": inv_freq, "rope.cos_sin": cos_sin, "rope_scaling.llama3": llama3}
