"""Several axes: Qwen2-VL (blocks), Qwen3-VL (interleaved), Ernie 4.5 (h and w, then t)."""

from typing import Any

import torch
from transformers import Ernie4_5_VLMoeTextConfig, Qwen2VLTextConfig, Qwen3VLTextConfig
from transformers.models.ernie4_5_vl_moe import modeling_ernie4_5_vl_moe as ernie
from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen2
from transformers.models.qwen3_vl import modeling_qwen3_vl as qwen3

from posref.adapters import Unsupported
from posref.adapters.transformers.parameters import head

MODULES = {
    "chunked": (qwen2.Qwen2VLRotaryEmbedding, Qwen2VLTextConfig),
    "interleaved": (qwen3.Qwen3VLTextRotaryEmbedding, Qwen3VLTextConfig),
    "hw_then_t": (ernie.Ernie4_5_VLMoeTextRotaryEmbedding, Ernie4_5_VLMoeTextConfig),
}


def rotary(mrope_section: list[int], arrangement: str) -> Any:
    """Return the rotary module with the arrangement; Ernie names its sections h, w, t."""
    module, config = MODULES[arrangement]
    section = [*mrope_section[1:], mrope_section[0]] if arrangement == "hw_then_t" else mrope_section
    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": section}
    return module(config(**head(2 * sum(section), None), rope_parameters=rope))


def axis_of_channel(*, mrope_section: list[int], arrangement: str) -> Any:
    """Return the axis whose value each channel gets, from three axes that hold their own numbers."""
    pairs = sum(mrope_section)
    axes = torch.arange(3)[:, None].expand(3, pairs).clone()
    step = 2 if arrangement == "hw_then_t" else 1
    return rotary(mrope_section, arrangement).recomposition_frequencies(axes)[::step][:pairs]


def cos_sin(positions: Any, inv_freq: Any, axes: Any, *, attention_factor: float = 1.0, dtype: str) -> Any:
    """Run the module that gives channels these axes, with the given frequencies in its buffer."""
    if inv_freq.dtype != torch.float32 or len(positions) != 3:
        raise Unsupported("three axes, and frequencies in float32")
    module = arranged(axes)
    module.inv_freq, module.attention_scaling = inv_freq, attention_factor
    tables = module(torch.empty(0, dtype=getattr(torch, dtype)), positions[:, None])
    return tuple(table[0, :, : len(inv_freq)] for table in tables)


def arranged(axes: Any) -> Any:
    """Return the module of blocks, or the interleaved one, that gives channels these axes."""
    section = [int((axes == axis).sum()) for axis in range(3)]
    for arrangement in ("chunked", "interleaved"):
        try:
            own = axis_of_channel(mrope_section=section, arrangement=arrangement)
        except ValueError:
            continue
        if torch.equal(own, axes):
            return rotary(section, arrangement)
    raise Unsupported("no model gives channels these axes")


OPERATIONS = {"mrope.axis_of_channel": axis_of_channel, "mrope.cos_sin": cos_sin}
