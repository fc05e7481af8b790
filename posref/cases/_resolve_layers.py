"""Cases of ``rope_scaling.resolve`` for configurations that differ by layer."""

from collections.abc import Iterator, Mapping
from typing import Any

Config = Mapping[str, Any]
FULL, SLIDING = "full_attention", "sliding_attention"


def layers() -> Iterator[tuple[str, str, Config, Config, tuple[str, ...], tuple[str, ...]]]:
    """Yield name, comment, configuration, other parameters, clauses and flags."""
    yield from _older()
    yield from _nested()
    yield from _without_rotation()


def _older() -> Iterator[Any]:
    rope = {
        "rope_theta": 1000000.0,
        "rope_local_base_freq": 10000.0,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
    }
    gemma = {"text_config": {"hidden_size": 2560, "num_attention_heads": 8, "head_dim": 32, **rope}}
    flags = ("layer-type", "layer-type-ignored")
    text = "Gemma 3's older form: sliding layers have the local base and no scaling."
    yield "gemma3-sliding", text, gemma, {"layer_type": SLIDING}, ("C14",), flags
    text = "Gemma 3's older form: full layers have the global base and the scaling."
    yield (
        "gemma3-full",
        text,
        gemma,
        {"layer_type": FULL},
        ("C14",),
        (*flags, "scaling-ignored", "fixed-base"),
    )
    modern = {
        "hidden_size": 96,
        "num_attention_heads": 12,
        "global_rope_theta": 160000.0,
        "local_rope_theta": 10000.0,
    }
    text = "ModernBERT's older form: two bases."
    yield "modernbert-full", text, modern, {"layer_type": FULL}, ("C14",), (*flags, "fixed-base")
    yield "modernbert-sliding", text, modern, {"layer_type": SLIDING}, ("C14",), flags
    alone = {**modern, "local_rope_theta": None}
    text = "No local base: the global one serves."
    yield "modernbert-one-base", text, alone, {"layer_type": SLIDING}, ("C14",), ("layer-type", "fixed-base")


def _nested() -> Iterator[Any]:
    flags = ("layer-type", "layer-type-ignored", "fixed-base")
    three = {
        FULL: {"factor": 4.0, "rope_theta": 1000000.0, "rope_type": "linear"},
        SLIDING: {"rope_theta": 20000.0, "rope_type": "default"},
    }
    model = {"head_dim": 16, "layer_types": [SLIDING, FULL], "rope_parameters": three}
    text = "Gemma 3's newer form, a full layer."
    yield (
        "nested-full",
        text,
        model,
        {"layer_type": FULL},
        ("C12",),
        (*flags, "scaling-ignored", "factor-fixed"),
    )
    yield "nested-sliding", "The same, a sliding layer.", model, {"layer_type": SLIDING}, ("C12",), flags
    part = {"partial_rotary_factor": 0.25, "rope_theta": 1000000.0, "rope_type": "proportional"}
    four = {FULL: part, SLIDING: {"rope_theta": 10000.0, "rope_type": "default"}}
    model = {
        "hidden_size": 64,
        "num_attention_heads": 4,
        "head_dim": 16,
        "global_head_dim": 32,
        "rope_parameters": four,
    }
    text = "Gemma 4: a wider head on full layers, a quarter of its pairs at rest but for 4."
    yield "gemma4-full", text, model, {"layer_type": FULL}, ("C13", "C15"), ("layer-type", "fixed-base")
    text = "Gemma 4, a sliding layer."
    yield "gemma4-sliding", text, model, {"layer_type": SLIDING}, ("C13",), ("layer-type",)
    beside = {
        "rope_theta": 500000.0,
        FULL: {"rope_type": "linear", "factor": 2.0},
        SLIDING: {"rope_type": "default"},
    }
    text = "A base beside the nests serves them all."
    yield (
        "beside",
        text,
        {"head_dim": 8, "rope_parameters": beside},
        {"layer_type": FULL},
        ("C12",),
        (*flags, "scaling-ignored"),
    )
    kinds = {"rope_type": "linear", FULL: {"factor": 2.0}, SLIDING: {"factor": 5.0}}
    model = {"head_dim": 8, "rope_parameters": kinds}
    text = "A type beside the nests serves them all."
    beside_type = ("layer-type", "layer-type-ignored", "scaling-ignored")
    yield "beside-type", text, model, {"layer_type": SLIDING}, ("C12",), beside_type
    local = {"head_dim": 16, "rope_local_base_freq": 500.0, "rope_parameters": three}
    text = "A local base beside nests: the nest has its own."
    yield "local-beside-nests", text, local, {"layer_type": SLIDING}, ("C17",), ("layer-type", "fixed-base")


def _without_rotation() -> Iterator[Any]:
    smol = {
        "hidden_size": 64,
        "num_attention_heads": 8,
        "rope_theta": 5000000.0,
        "no_rope_layers": [1, 1, 1, 0],
    }
    text = "SmolLM3's form: the fourth layer does not turn; its base is the configuration's."
    yield "no-rope", text, smol, {"layer_index": 3}, ("C14", "C16"), ("no-rotation",)
    yield "rope", "The layer before turns.", smol, {"layer_index": 2}, ("C14",), ("fixed-base",)
    text = "No index: a layer that turns."
    yield "any-layer", text, smol, {}, ("C14",), ("fixed-base",)
    text = "An index where all layers turn."
    yield (
        "every-layer",
        text,
        {"head_dim": 6, "rope_theta": 7e5},
        {"layer_index": 5},
        ("C14",),
        ("fixed-base",),
    )
    llama = {
        "text_config": {
            "hidden_size": 40,
            "num_attention_heads": 5,
            "no_rope_layers": [],
            "no_rope_layer_interval": 4,
            "rope_theta": 500000.0,
        }
    }
    text = "Llama 4's form: an empty list, and every fourth layer without rotation."
    yield "interval-7", text, llama, {"layer_index": 7}, ("C14",), ("no-rotation",)
    yield "interval-8", "The layer after turns.", llama, {"layer_index": 8}, ("C14",), ("fixed-base",)
