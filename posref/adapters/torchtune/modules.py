"""The module of Llama 3, whose frequencies are scaled by bands."""

from typing import Any

from torchtune.models.llama3_1 import Llama3ScaledRoPE

ROWS = 8192
KEYS = {"factor": "scale_factor", "original_max_position_embeddings": "old_context_len"}


def llama3(width: int, base: float, given: Any, length: int) -> Any:
    """Return the module that scales its frequencies by bands."""
    names = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
    keys = {KEYS.get(name, name): given[name] for name in names}
    return Llama3ScaledRoPE(width, max_seq_len=length, base=base, **keys)
