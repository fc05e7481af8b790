"""A scaling as the models' configurations spell it."""

from collections.abc import Mapping
from typing import Any

import torch
import transformers
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from posref.adapters import Unsupported
from posref.adapters._torch import single

LENGTH = "original_max_position_embeddings"
ROWS = 1 << 20


def parameters(scaling: Mapping[str, Any] | None, base: float) -> dict[str, Any]:
    """Return a scaling as the models' `rope_parameters`; what they have no key for is unsupported."""
    given = {key: value for key, value in (scaling or {"rope_type": "default"}).items() if value is not None}
    if given["rope_type"] == "ntk":
        return {"rope_theta": base, "rope_type": "dynamic", "factor": 1.0, "alpha": given["factor"]}
    if given.pop("ramp", "index") != "index":
        raise Unsupported("the ramp runs over the index of a pair")
    if given.pop("extrapolation_factor", 1) != 1:
        raise Unsupported("there is no extrapolation factor")
    if given.pop("mscale_rule", "hf") not in ("hf", "log_only"):
        raise Unsupported("there is one rule for the magnitude factor")
    if given["rope_type"] == "dynamic":
        given.pop(LENGTH, None)
    return {"rope_theta": base, **given}


def table_length(scaling: Mapping[str, Any] | None) -> int:
    """Return `max_position_embeddings` of a model: the trained length where the scaling reads it there."""
    dynamic = scaling is not None and scaling["rope_type"] == "dynamic"
    return scaling[LENGTH] if scaling is not None and dynamic else ROWS


def head(width: int, scaling: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the keys of a model with one head of `width`."""
    shape = {"head_dim": width, "hidden_size": width, "num_attention_heads": 1, "num_key_value_heads": 1}
    return {**shape, "max_position_embeddings": table_length(scaling)}


def frequencies(scaling: Mapping[str, Any], width: int, base: float, seq_len: Any, dtype: str) -> Any:
    """Return frequencies and the magnitude factor of a model of one head."""
    single(dtype)
    config = transformers.LlamaConfig(**head(width, scaling), rope_parameters=parameters(scaling, base))
    inv_freq, factor = ROPE_INIT_FUNCTIONS[scaling["rope_type"]](config, seq_len=seq_len)
    return inv_freq, torch.tensor(factor)
