"""Published configurations, each read by its own configuration class and its own rotary module."""

import copy
import importlib
from collections.abc import Mapping
from typing import Any

import torch
import transformers
from transformers.models.deepseek_v3.modeling_deepseek_v3 import yarn_apply_mscale

from posref.adapters import Unsupported
from posref.adapters.transformers.tensors import single

FORMS = {
    "qk_rope_head_dim": "deepseek_v3",
    "rotary_pct": "gpt_neox",
    "rope_pct": "stablelm",
    "rotary_dim": "gptj",
    "global_head_dim": "gemma4_text",
    "rope_local_base_freq": "gemma3_text",
    "global_rope_theta": "modernbert",
    "no_rope_layer_interval": "llama4_text",
    "no_rope_layers": "smollm3",
    "layer_types": "gemma3_text",
    "original_max_position_embeddings": "phi3",
    "partial_rotary_factor": "stablelm",
}
"""Keys by which a configuration without `model_type` is told, the first one winning."""


def configuration(config: Mapping[str, Any]) -> Any:
    """Return a configuration read by its own class, the one of the text model."""
    keys = copy.deepcopy(dict(config))
    name = keys.pop("model_type", None)
    if name is not None:
        return transformers.AutoConfig.for_model(name, **keys).get_text_config()
    keys = keys.get("text_config") or keys
    return unnamed(keys)


def unnamed(keys: dict[str, Any]) -> Any:
    """Return a configuration that does not name its model, as the class that has its form reads it."""
    name = next((FORMS[key] for key in FORMS if keys.get(key) is not None), "llama")
    rope = keys.get("rope_parameters") or keys.get("rope_scaling") or {}
    if "mrope_section" in rope:
        name = "qwen2_vl_text"
    elif "partial_rotary_factor" in rope and name == "llama":
        name = "stablelm"
    layers = keys.get("layer_types") or keys.get("no_rope_layers")
    if layers:
        keys.setdefault("num_hidden_layers", len(layers))
    own = transformers.AutoConfig.for_model(name, **keys)
    if getattr(type(own), "head_dim", None) is not None and "head_dim" not in keys:
        raise Unsupported(f"{type(own).__name__} has a head width of its own")
    return own


def rotary_module(config: Any) -> Any:
    """Return the rotary module that the model of a configuration has."""
    place = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    stem = type(config).__name__.removesuffix("Config")
    for name in (stem, stem.removesuffix("Text")):
        found = getattr(place, f"{name}RotaryEmbedding", None)
        if found is not None and hasattr(found, "compute_default_rope_parameters"):
            return found(config)
    raise Unsupported(f"the model of {type(config).__name__} has no module with frequencies")


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


def held(rotary: Any, seq_len: int | None, layer_type: str | None) -> tuple[Any, Any]:
    """Return frequencies and magnitude factor after a sequence of a length."""
    prefix, layer = ("", {}) if layer_type is None else (f"{layer_type}_", {"layer_type": layer_type})
    if seq_len is not None:
        rotary(torch.empty(0), torch.tensor([[seq_len - 1]]), **layer)
    return getattr(rotary, f"{prefix}inv_freq"), getattr(rotary, f"{prefix}attention_scaling")
