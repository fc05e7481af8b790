"""A published configuration, resolved by the model that it is of."""

from collections.abc import Mapping
from typing import Any

import torch
from transformers.models.deepseek_v3.modeling_deepseek_v3 import yarn_apply_mscale

from posref.adapters import Unsupported
from posref.adapters._torch import single
from posref.adapters.transformers.buffers import held, rotary_module
from posref.adapters.transformers.configs import configuration


def resolve(
    *,
    config: Mapping[str, Any],
    seq_len: int | None = None,
    layer_type: str | None = None,
    layer_index: int | None = None,
    dtype: str,
) -> Any:
    """Return what a model's rotary module holds: frequencies, factors, width, base."""
    single(dtype)
    own = configuration(config)
    if not hasattr(own, "rope_parameters"):
        raise Unsupported(f"{type(own).__name__} has no rotary parameters")
    rope, layer = own.rope_parameters, None
    if own.nested_rope_parameter_keys(rope):
        rope, layer = rope[layer_type], layer_type
    elif layer_type is not None:
        raise Unsupported(f"{type(own).__name__} has no layer types")
    if layer_index is not None and not rotated(own, layer_index):
        ones = scalar(1), scalar(1)
        return torch.empty(0), *ones, torch.tensor(0), scalar(rope["rope_theta"])
    inv_freq, factor = held(rotary_module(own), seq_len, layer)
    softmax = yarn_apply_mscale(rope, 1.0) if hasattr(own, "qk_rope_head_dim") else 1
    width = torch.tensor(2 * len(inv_freq))
    return inv_freq, scalar(factor), scalar(softmax), width, scalar(rope["rope_theta"])


def scalar(value: Any) -> Any:
    """Return a number of a configuration or module as a tensor."""
    return torch.tensor(float(value), dtype=torch.float32)


def rotated(config: Any, layer_index: int) -> bool:
    """Whether a layer turns its queries and keys, by the list that the configuration holds."""
    layers = getattr(config, "no_rope_layers", None)
    if layers is None:
        raise Unsupported(f"{type(config).__name__} has no list of layers without rotation")
    return bool(layers[layer_index])


OPERATIONS = {"rope_scaling.resolve": resolve}
