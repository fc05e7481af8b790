"""A query scale that grows with the position: Ministral 3."""

from math import prod
from typing import Any

from transformers.models.ministral3.modeling_ministral3 import get_llama_4_attn_scale

from posref.adapters import Unsupported
from posref.adapters._torch import single


def scale(positions: Any, *, beta: float, floor_scale: int, plus_one: bool, dtype: str) -> Any:
    """Run Ministral 3's function on positions as rows of a batch."""
    single(dtype)
    if plus_one:
        raise Unsupported("Llama 4 computes its scale inside its attention layer")
    rows = positions.reshape(prod(positions.shape[:-1]), positions.shape[-1])
    return get_llama_4_attn_scale(rows, beta, floor_scale)[:, 0, :, 0].reshape(positions.shape)


OPERATIONS = {"temperature.scale": scale}
