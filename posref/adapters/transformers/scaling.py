"""Frequencies beyond the trained length: the functions that the rotary modules are built with."""

from collections.abc import Mapping
from typing import Any

import torch
import transformers
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.hunyuan_v1_dense import modeling_hunyuan_v1_dense as hunyuan

from posref.adapters import Unsupported
from posref.adapters.transformers.tensors import single

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


def ntk(*, rotary_dim: int, base: float, factor: float, dtype: str) -> Any:
    """Return the buffer of HunYuan's module, whose `alpha` is the factor."""
    single(dtype)
    rope = parameters({"rope_type": "ntk", "factor": factor}, base)
    config = transformers.HunYuanDenseV1Config(**head(rotary_dim, None), rope_parameters=rope)
    rotary = hunyuan.HunYuanDenseV1RotaryEmbedding(config)
    return rotary.inv_freq, torch.tensor(rotary.attention_scaling)


def dynamic(*, rotary_dim: int, base: float, seq_len: Any = None, dtype: str, **given: Any) -> Any:
    """Return the frequencies of a current length."""
    return frequencies({"rope_type": "dynamic", **given}, rotary_dim, base, seq_len, dtype)


def yarn(*, rotary_dim: int, base: float, dtype: str, **given: Any) -> Any:
    """Return frequencies blended by parts."""
    return frequencies({"rope_type": "yarn", **given}, rotary_dim, base, None, dtype)


def llama3(*, rotary_dim: int, base: float, dtype: str, **given: Any) -> Any:
    """Return frequencies scaled by bands of wavelength."""
    return frequencies({"rope_type": "llama3", **given}, rotary_dim, base, None, dtype)


def longrope(
    short_factor: Any,
    long_factor: Any,
    *,
    rotary_dim: int,
    base: float,
    seq_len: Any = None,
    dtype: str,
    **given: Any,
) -> Any:
    """Return frequencies divided by the list of the current length."""
    lists = {"short_factor": short_factor.tolist(), "long_factor": long_factor.tolist()}
    return frequencies({"rope_type": "longrope", **lists, **given}, rotary_dim, base, seq_len, dtype)


def proportional(*, head_dim: int, base: float, dtype: str, **given: Any) -> Any:
    """Return a part of the ladder over the whole head."""
    return frequencies({"rope_type": "proportional", **given}, head_dim, base, None, dtype)
