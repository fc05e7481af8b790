"""A published configuration read key by key: which one counts, where it stood, which ones do nothing.

Nothing is computed here but widths. A key that is unknown, contradicts another or is missing is refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import trunc
from typing import Any, Final, TypeAlias

from posref.errors import SpecError
from posref.numerics.parameters import binary64

LARGEST: Final = 2**53
"""The largest integer that a configuration may hold."""

Config: TypeAlias = Mapping[str, Any]

OF_TYPE: Final[Mapping[str, tuple[str, ...]]] = {
    "default": (),
    "linear": ("factor",),
    "dynamic": ("factor",),
    "yarn": (
        "factor",
        "original_max_position_embeddings",
        "beta_fast",
        "beta_slow",
        "truncate",
        "attention_factor",
        "mscale",
        "mscale_all_dim",
    ),
    "llama3": ("factor", "original_max_position_embeddings", "low_freq_factor", "high_freq_factor"),
    "longrope": (
        "factor",
        "original_max_position_embeddings",
        "short_factor",
        "long_factor",
        "attention_factor",
    ),
    "proportional": ("factor",),
}
"""The types of a rope object and the keys that each has."""

OF_EVERY_TYPE: Final = ("rope_type", "type", "rope_theta", "partial_rotary_factor")
OF_OTHERS: Final = ("mrope_section", "mrope_interleaved", "llama_4_scaling_beta")
"""Keys of a rope object that other operations read."""

SAME_TYPE: Final = {"su": "longrope", "mrope": "default"}
NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "rope_theta": ("rope_theta", "rotary_emb_base"),
    "partial_rotary_factor": ("partial_rotary_factor", "rotary_pct", "rope_pct"),
    "num_attention_heads": ("num_attention_heads", "n_head"),
    "hidden_size": ("hidden_size", "n_embd"),
}
"""Names under which one thing is published."""

OUTSIDE: Final = {
    "rope_parameters",
    "rope_scaling",
    *NAMES["rope_theta"],
    *NAMES["partial_rotary_factor"],
    "rotary_dim",
    "qk_rope_head_dim",
    "rope_local_base_freq",
    "global_rope_theta",
    "local_rope_theta",
    "no_rope_layers",
    "no_rope_layer_interval",
}
"""Keys about rotation that are read outside the rope object."""

ELSEWHERE: Final = {
    "rope_interleave",
    "rope_interleaved",
    "rope_traditional",
    "qk_nope_head_dim",
    "rotary_value",
    *OF_OTHERS,
}
"""Keys about rotation, outside the rope object, that do not touch frequencies."""

WORD: Final = re.compile(r"(^|_)(rope|mrope|nope|rotary)(_|$)")
SLIDING, FULL = "sliding_attention", "full_attention"


def refuse(message: str, clause: str = "rope_scaling.C12") -> SpecError:
    """Return the refusal of a configuration."""
    return SpecError(clause, "config", message)


@dataclass
class Reading:
    """A configuration entered at one layer, with a record of what was read.

    `levels` are the objects in which a key is looked for, the strongest first, by the place where they
    stand; the last one is the model's own. `sources` says where each thing was read, `ignored` why a
    key was not.
    """

    levels: dict[str, Config]
    nested: bool
    sources: dict[str, str] = field(default_factory=dict)
    ignored: dict[str, str] = field(default_factory=dict)

    @property
    def top(self) -> tuple[str, Config]:
        """The model's own level: its place and its keys."""
        return list(self.levels.items())[-1]

    def find(self, name: str) -> Any:
        """Return the value of a key from the strongest level that has it, or None."""
        found = [
            (f"{place}{key}", keys[key])
            for place, keys in self.levels.items()
            for key in NAMES.get(name, (name,))
            if keys.get(key) is not None
        ]
        if not found:
            return None
        (source, value), *rest = found
        self.sources[name] = source
        for place, other in rest:
            if other != value:
                self.ignored[place] = f"{source} wins"
        return value

    def inside(self, name: str) -> Any:
        """Return the value of a key of the rope object; keys outside are another thing."""
        for place, keys in list(self.levels.items())[:-1]:
            if keys.get(name) is not None:
                self.sources[name] = f"{place}{name}"
                return keys[name]
        return None

    def outside(self, name: str) -> Any:
        """Return the value of a key outside the rope object."""
        place, keys = self.top
        for key in NAMES.get(name, (name,)):
            if keys.get(key) is not None:
                self.sources[name] = f"{place}{key}"
                return keys[key]
        return None

    def default(self, name: str, value: Any) -> Any:
        """Return the value of a key that is nowhere (rope_scaling.C15)."""
        self.sources[name] = "default"
        return value

    def integer(self, name: str, value: Any) -> int:
        """Return a value that must be an integer of at least 1."""
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST:
            raise refuse(f"{self.sources.get(name, name)} must be an integer from 1 to 2**53, got {value!r}")
        return value

    def real(self, name: str, value: Any) -> float:
        """Return a value that must be a finite number."""
        number = binary64(value)
        if number is None:
            raise refuse(f"{self.sources.get(name, name)} must be a binary64 number, got {value!r}")
        return number


def enter(config: Config, layer_type: str | None) -> Reading:
    """Return the configuration entered at its text model and at a layer type."""
    place, top = _model(config)
    rope, reading = _rope_object(place, top), Reading({place: top}, False)
    if place:
        _beside(reading, config, top)
    if rope is not None:
        where, keys = rope
        nests = {key: value for key, value in keys.items() if isinstance(value, Mapping)}
        flat = {key: value for key, value in keys.items() if key not in nests}
        reading.levels = {f"{where}.": flat, **reading.levels}
        if nests:
            reading.nested = True
            chosen = _nest(nests, layer_type)
            reading.levels = {f"{where}.{layer_type}.": chosen, **reading.levels}
    _two_objects(reading)
    _check_names(top)
    return reading


def _model(config: Config) -> tuple[str, Config]:
    """Return the object that describes the text model, and where it stands."""
    text = config.get("text_config")
    if isinstance(text, Mapping) and any(text.get(name) is not None for name in NAMES["hidden_size"]):
        return "text_config.", text
    return "", config


def _beside(reading: Reading, config: Config, text: Config) -> None:
    """Name what stands at the top about rotation while the text model is read."""
    for key in OUTSIDE & config.keys():
        if config[key] is not None and config[key] != text.get(key):
            reading.ignored[key] = "text_config is read"


def _rope_object(place: str, top: Config) -> tuple[str, Config] | None:
    for name in ("rope_parameters", "rope_scaling"):
        rope = top.get(name)
        if rope is not None:
            if not isinstance(rope, Mapping):
                raise refuse(f"{place}{name} must be an object, got {rope!r}")
            return f"{place}{name}", rope
    return None


def _two_objects(reading: Reading) -> None:
    place, top = reading.top
    both = [top.get(name) for name in ("rope_parameters", "rope_scaling")]
    if None not in both and both[0] != both[1]:
        reading.ignored[f"{place}rope_scaling"] = f"{place}rope_parameters wins"


def _nest(nests: Mapping[str, Config], layer_type: str | None) -> Config:
    known = ", ".join(sorted(nests))
    if layer_type is None:
        message = f"the configuration differs by layer type: must be one of {known}"
        raise SpecError("rope_scaling.C12", "layer_type", message, "MISSING_PARAMETER")
    if layer_type not in nests:
        raise SpecError("rope_scaling.C12", "layer_type", f"must be one of {known}, got {layer_type!r}")
    return nests[layer_type]


def _check_names(top: Config) -> None:
    for key, value in top.items():
        if value is not None and WORD.search(key) and key not in OUTSIDE | ELSEWHERE:
            raise refuse(f"{key} is an unknown key about rotation", "rope_scaling.C17")


def kind_of(reading: Reading) -> str:
    """Return the type of the rope object, with its keys checked."""
    given = [kind for kind in map(reading.inside, ("rope_type", "type")) if kind is not None]
    for kind in given:
        if not isinstance(kind, str) or SAME_TYPE.get(kind, kind) not in OF_TYPE:
            raise refuse(f"the type of a rope object must be one of {', '.join(OF_TYPE)}, got {kind!r}")
    kinds = [SAME_TYPE.get(kind, kind) for kind in given] or ["default"]
    if kinds[0] != kinds[-1]:
        raise refuse(f"rope_type {given[0]!r} and type {given[1]!r} disagree")
    kind = str(kinds[0])
    legal = {*OF_EVERY_TYPE, *OF_OTHERS, *OF_TYPE[kind], "finetuned"}
    for place, keys in list(reading.levels.items())[:-1]:
        for key, value in keys.items():
            if value is not None and key not in legal:
                raise refuse(f"{place}{key}: a rope object of type {kind} has no such key")
            if value is not None and key == "finetuned":
                reading.ignored[f"{place}{key}"] = "it says how the model was made"
    return kind


def head_width(reading: Reading, layer_type: str | None) -> int:
    """Return the width of a head (rope_scaling.C13)."""
    names = ("global_head_dim", "head_dim") if layer_type == FULL else ("head_dim",)
    for name in names:
        width = reading.outside(name)
        if width is not None:
            return reading.integer(name, width)
    sizes = {name: reading.outside(name) for name in ("hidden_size", "num_attention_heads")}
    for name, value in sizes.items():
        if value is None:
            raise refuse(f"no width of a head: neither head_dim nor {name}", "rope_scaling.C13")
    hidden, heads = (reading.integer(name, value) for name, value in sizes.items())
    if hidden % heads:
        raise refuse(f"hidden size {hidden} is no multiple of {heads} heads", "rope_scaling.C13")
    return hidden // heads


def width(reading: Reading, kind: str, layer_type: str | None) -> int:
    """Return the rotated width (rope_scaling.C13)."""
    own, share = reading.outside("qk_rope_head_dim"), reading.find("partial_rotary_factor")
    if share is not None and not 0 < reading.real("partial_rotary_factor", share) <= 1:
        raise refuse(f"partial_rotary_factor must be above 0, at most 1, got {share!r}", "rope_scaling.C13")
    if own is not None:
        if share not in (None, 1):
            reading.ignored[reading.sources.pop("partial_rotary_factor")] = "qk_rope_head_dim wins"
        return _even(reading.integer("qk_rope_head_dim", own))
    given = reading.outside("rotary_dim")
    if kind == "proportional":
        return _even(head_width(reading, layer_type))
    if given is not None and share is None:
        return _even(reading.integer("rotary_dim", given))
    found = trunc(head_width(reading, layer_type) * (1.0 if share is None else float(share)))
    if given not in (None, found):
        raise refuse(f"rotary_dim {given!r} and a partial factor that gives {found}", "rope_scaling.C13")
    return _even(found)


def _even(found: int) -> int:
    if found < 2 or found % 2:
        raise refuse(f"the rotated width must be even and >= 2, got {found}", "rope_scaling.C13")
    return found
