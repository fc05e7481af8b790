"""Frequencies beyond the trained length: the functions that the rotary modules are built with."""

from typing import Any

import torch
import transformers
from transformers.models.hunyuan_v1_dense import modeling_hunyuan_v1_dense as hunyuan

from posref.adapters._torch import single
from posref.adapters.transformers.parameters import frequencies, head, parameters


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


OPERATIONS = {
    f"rope_scaling.{call.__name__}": call for call in (ntk, dynamic, yarn, llama3, longrope, proportional)
}
