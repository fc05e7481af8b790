"""A published configuration as one layer reads it: rope_scaling.C12 to C15 without the frequencies."""

from collections.abc import Mapping
from typing import Any, NamedTuple

NAMES = {"su": "longrope", "mrope": "default"}
"""Other names of rope types (C12)."""

OBJECTS = ("rope_parameters", "rope_scaling")
BASES = ("rope_theta", "rotary_emb_base")
PARTS = ("partial_rotary_factor", "rotary_pct", "rope_pct")
HIDDEN = ("hidden_size", "n_embd")

KEYS = (
    "factor",
    "beta_fast",
    "beta_slow",
    "truncate",
    "attention_factor",
    "mscale",
    "mscale_all_dim",
    "low_freq_factor",
    "high_freq_factor",
    "short_factor",
    "long_factor",
)
"""What is read inside the rope object alone."""

DEFAULTS = {"beta_fast": 32, "beta_slow": 1, "truncate": True, "low_freq_factor": 1, "high_freq_factor": 4}
YARN = {"ramp": "index", "extrapolation_factor": 1, "mscale_rule": "hf"}
"""C15."""


class Layer(NamedTuple):
    """What one layer does.

    `scaling` is null, or an object as in rope.C8; `mscale` is null, or the factor in the softmax factor
    of C16.
    """

    rotated: bool
    width: int
    base: Any
    scaling: dict[str, Any] | None
    mscale: Any


class Places(NamedTuple):
    """Where a key may stand, the first place winning: the entry of the layer type, the object, the model."""

    nest: Mapping[str, Any]
    rope: Mapping[str, Any]
    model: Mapping[str, Any]

    def find(self, *keys: str) -> Any:
        """Return the first value that is not null: by place, and in a place by key."""
        return _first(keys, *self)

    def inside(self, *keys: str) -> Any:
        """Return the same without the model."""
        return _first(keys, self.nest, self.rope)


def read(real: Any, config: Mapping[str, Any], layer_type: str | None, layer_index: int | None) -> Layer:
    """Return what the configuration says about one layer."""
    places = _places(config, layer_type)
    kind = places.inside("rope_type", "type") or "default"
    kind = NAMES.get(kind, kind)
    local = _local_base(places, layer_type)
    base = _global_base(places, layer_type) if local is None else local
    plain = kind == "default" or local is not None
    separate = kind == "yarn" and places.find("qk_rope_head_dim") is not None
    return Layer(
        rotated=layer_index is None or _rotated(places, layer_index),
        width=_width(real, places, kind, layer_type),
        base=_number(real, 10000 if base is None else base),
        scaling=None if plain else {"rope_type": kind} | _values(real, places, kind),
        mscale=_number(real, places.inside("mscale_all_dim")) if separate else None,
    )


def _first(keys: tuple[str, ...], *places: Mapping[str, Any]) -> Any:
    found = (place.get(key) for place in places for key in keys)
    return next((value for value in found if value is not None), None)


def _places(config: Mapping[str, Any], layer_type: str | None) -> Places:
    """Enter the text model and the layer type (C12)."""
    text = config.get("text_config")
    model = text if isinstance(text, Mapping) and _first(HIDDEN, text) is not None else config
    rope = _first(OBJECTS, model) or {}
    nests = {key: value for key, value in rope.items() if isinstance(value, Mapping)}
    return Places(nests[layer_type] if nests else {}, rope, model)


def _rotated(places: Places, layer_index: int) -> bool:
    """Say whether a layer rotates: by the list, or one in so many does not (C14)."""
    listed, interval = places.find("no_rope_layers"), places.find("no_rope_layer_interval")
    if listed:
        return bool(listed[layer_index])
    return interval is None or (layer_index + 1) % interval != 0


def _local_base(places: Places, layer_type: str | None) -> Any:
    """Return the base of a layer without scaling whose rope object is not nested (C14, Gemma 3)."""
    flat = layer_type == "sliding_attention" and not places.nest
    return places.find("rope_local_base_freq") if flat else None


def _global_base(places: Places, layer_type: str | None) -> Any:
    """Return the base by ModernBERT's names (C14), which mean nothing beside a nest, or by its usual ones."""
    names: tuple[str, ...] = ("global_rope_theta",)
    if layer_type == "sliding_attention":
        names = ("local_rope_theta", *names)
    own = None if places.nest else places.find(*names)
    return places.find(*BASES) if own is None else own


def _width(real: Any, places: Places, kind: str, layer_type: str | None) -> int:
    """Return the rotated width (C13)."""
    part = places.find(*PARTS)
    given = places.find("qk_rope_head_dim")
    if given is None and part is None:
        given = places.find("rotary_dim")
    if given is not None:
        return int(given)
    head = places.find("global_head_dim") if layer_type == "full_attention" else None
    if head is None:
        head = places.find("head_dim")
    if head is None:
        head = places.find(*HIDDEN) // places.find("num_attention_heads", "n_head")
    if kind == "proportional" or part is None:
        return int(head)
    rounded, _ = real.round(real.exact(head) * part, "float64")
    return int(rounded)


def _values(real: Any, places: Places, kind: str) -> dict[str, Any]:
    """Return the keys of a scaling but its type (C15)."""
    values = {key: places.inside(key) for key in KEYS}
    values |= {key: default for key, default in DEFAULTS.items() if values[key] is None}
    part, longest = places.find(*PARTS), places.find("max_position_embeddings")
    trained = longest if kind == "dynamic" else places.find("original_max_position_embeddings")
    if values["factor"] is None:
        values["factor"] = 1 if kind == "proportional" else real.exact(longest, trained)
    values["partial_rotary_factor"] = 1 if part is None else part
    found = {key: _number(real, value) for key, value in (values | YARN).items()}
    return found | {"original_max_position_embeddings": trained}


def _number(real: Any, value: Any) -> Any:
    """Return a number or a list of them exact; anything else unchanged."""
    if isinstance(value, list):
        return [_number(real, entry) for entry in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return real.exact(value)
    return value
