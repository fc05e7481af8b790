"""Published configurations, each read by its own configuration class."""

import copy
from collections.abc import Mapping
from typing import Any

import transformers

from posref.adapters import Unsupported

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
