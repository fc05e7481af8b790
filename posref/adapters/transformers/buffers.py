"""What the rotary module of a configured model holds."""

import importlib
from typing import Any

import torch

from posref.adapters import Unsupported


def rotary_module(config: Any) -> Any:
    """Return the rotary module that the model of a configuration has."""
    place = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    stem = type(config).__name__.removesuffix("Config")
    for name in (stem, stem.removesuffix("Text")):
        found = getattr(place, f"{name}RotaryEmbedding", None)
        if found is not None and hasattr(found, "compute_default_rope_parameters"):
            return found(config)
    raise Unsupported(f"the model of {type(config).__name__} has no module with frequencies")


def held(rotary: Any, seq_len: int | None, layer_type: str | None) -> tuple[Any, Any]:
    """Return frequencies and magnitude factor after a sequence of a length."""
    prefix, layer = ("", {}) if layer_type is None else (f"{layer_type}_", {"layer_type": layer_type})
    if seq_len is not None:
        rotary(torch.empty(0), torch.tensor([[seq_len - 1]]), **layer)
    return getattr(rotary, f"{prefix}inv_freq"), getattr(rotary, f"{prefix}attention_scaling")
