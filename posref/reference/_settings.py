"""What a published configuration asks for: type, width, base and the parameters of its scaling."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any

from posref.errors import SpecError
from posref.reference._config import FULL, SLIDING, Config, Reading, enter, kind_of, refuse, width

LOCAL_BASES = ("rope_local_base_freq", "global_rope_theta", "local_rope_theta")


@dataclass(frozen=True)
class Settings:
    """A configuration, read.

    `scaling` is what `rope.apply` takes, None for plain frequencies; `rotary_dim` is 0 where the layer has
    no rotation. `softmax` is the coefficient and the factor of the softmax factor, if there is one.
    `sources` says where each thing was read, `ignored` which keys change nothing, and why.
    """

    kind: str
    rotary_dim: int
    base: float
    scaling: dict[str, Any] | None = None
    softmax: tuple[float, float] | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    ignored: Mapping[str, str] = field(default_factory=dict)


def settings(config: Config, layer_type: str | None = None, layer_index: int | None = None) -> Settings:
    """Return what `config` asks for at a layer.

    Parameters
    ----------
    config : mapping
        A published ``config.json``, as it is.
    layer_type : str, optional
        Layer type, for configurations that differ by it.
    layer_index : int, optional
        Index of the layer, from 0, for configurations with layers without rotation.

    Returns
    -------
    Settings
        Nothing is computed but widths.

    Raises
    ------
    SpecError
        If the configuration is refused (rope_scaling.C12 to C15, C17).
    """
    reading = enter(config, layer_type)
    local_base = _local_base(reading, layer_type)
    if local_base is not None and layer_type == SLIDING and "rope_local_base_freq" in reading.sources:
        reading.levels = dict([reading.top])
    kind = kind_of(reading)
    base = _base(reading, local_base)
    if not _rotated(reading, layer_index):
        return Settings(kind, 0, base, sources=reading.sources, ignored=reading.ignored)
    rotary_dim = width(reading, kind, layer_type)
    scaling = _scaling(reading, kind) if kind != "default" else None
    softmax = _softmax(reading, scaling)
    return Settings(kind, rotary_dim, base, scaling, softmax, reading.sources, reading.ignored)


def _local_base(reading: Reading, layer_type: str | None) -> Any:
    """Return the base of a configuration that has one a layer type, outside its rope object (C14)."""
    place, top = reading.top
    given = {name: top[name] for name in LOCAL_BASES if top.get(name) is not None}
    if not given or reading.nested:
        reading.ignored.update({f"{place}{name}": "the rope object differs by layer type" for name in given})
        return None
    if layer_type not in (SLIDING, FULL):
        kind = "MISSING_PARAMETER" if layer_type is None else "INVALID_PARAMETER"
        message = f"{', '.join(given)}: must be {SLIDING} or {FULL}, got {layer_type!r}"
        raise SpecError("rope_scaling.C14", "layer_type", message, kind)
    sliding = ("rope_local_base_freq", "local_rope_theta", "global_rope_theta")
    for name in sliding if layer_type == SLIDING else ("global_rope_theta",):
        if name in given:
            return reading.outside(name)
    return None


def _base(reading: Reading, local: Any) -> float:
    found = reading.find("rope_theta") if local is None else local
    base = reading.real("rope_theta", reading.default("rope_theta", 10000) if found is None else found)
    if base <= 1:
        raise refuse(f"the base must be above 1, got {base!r}", "rope_scaling.C1")
    return base


def _rotated(reading: Reading, layer_index: int | None) -> bool:
    """Return whether the layer turns its queries and keys (C14)."""
    layers, interval = reading.outside("no_rope_layers"), reading.outside("no_rope_layer_interval")
    if layers is not None and (
        not isinstance(layers, list | tuple) or any(entry not in (0, 1) for entry in layers)
    ):
        raise refuse(f"no_rope_layers must be a list of 0 and 1, got {layers!r}", "rope_scaling.C14")
    if interval is not None:
        reading.integer("no_rope_layer_interval", interval)
    if layer_index is None:
        return True
    if layers:
        if layer_index >= len(layers):
            message = f"must be below {len(layers)}, got {layer_index}"
            raise SpecError("rope_scaling.C14", "layer_index", message, "OUT_OF_RANGE")
        return bool(layers[layer_index])
    return interval is None or (layer_index + 1) % int(interval) != 0


def _scaling(reading: Reading, kind: str) -> dict[str, Any]:
    """Return the scaling as `rope.apply` takes it (C15)."""
    found: dict[str, Any] = {"rope_type": kind}
    if kind in ("yarn", "llama3", "longrope"):
        found["original_max_position_embeddings"] = _trained(reading, "original_max_position_embeddings")
    if kind == "dynamic":
        found["original_max_position_embeddings"] = _trained(reading, "max_position_embeddings")
    found["factor"] = _factor(reading, kind, found)
    if kind == "yarn":
        return found | _yarn(reading)
    if kind == "llama3":
        low, high = reading.inside("low_freq_factor"), reading.inside("high_freq_factor")
        return found | {
            "low_freq_factor": reading.default("low_freq_factor", 1.0) if low is None else low,
            "high_freq_factor": reading.default("high_freq_factor", 4.0) if high is None else high,
        }
    if kind == "longrope":
        names = ("short_factor", "long_factor", "attention_factor")
        return found | {name: reading.inside(name) for name in names}
    if kind == "proportional":
        share = reading.find("partial_rotary_factor")
        return found | {"partial_rotary_factor": 1.0 if share is None else share}
    return found


def _trained(reading: Reading, name: str) -> int:
    value = reading.find(name) if name.startswith("original") else reading.outside(name)
    if value is None:
        raise refuse(f"{name} is missing", "rope_scaling.C15")
    return reading.integer(name, value)


def _factor(reading: Reading, kind: str, found: Mapping[str, Any]) -> float:
    given, whole = reading.inside("factor"), reading.outside("max_position_embeddings")
    if given is None and kind == "proportional":
        return float(reading.default("factor", 1.0))
    if given is None and kind in ("yarn", "longrope") and whole is not None:
        trained: int = found["original_max_position_embeddings"]
        return reading.integer("max_position_embeddings", whole) / trained
    if given is None:
        raise refuse(f"a rope object of type {kind} needs a factor", "rope_scaling.C15")
    if kind == "yarn" and whole is not None:
        ratio = reading.integer("max_position_embeddings", whole) / found["original_max_position_embeddings"]
        if ratio not in (1, given):
            place = reading.sources["max_position_embeddings"]
            reading.ignored[place] = f"it is {ratio:g} times the trained length; the factor {given!r} wins"
    return reading.real("factor", given)


def _yarn(reading: Reading) -> dict[str, Any]:
    defaults = {"beta_fast": 32.0, "beta_slow": 1.0, "truncate": True}
    found = {}
    for name, default in defaults.items():
        value = reading.inside(name)
        found[name] = reading.default(name, default) if value is None else value
    names = ("attention_factor", "mscale", "mscale_all_dim")
    magnitude = {name: reading.inside(name) for name in names}
    if magnitude["attention_factor"] is not None:
        latent = reading.outside("qk_rope_head_dim") is not None
        for name in names[1:]:
            if magnitude[name] is not None and not (latent and name == "mscale_all_dim"):
                reading.ignored[reading.sources[name]] = f"{reading.sources['attention_factor']} wins"
            magnitude[name] = None
    rule = "hf" if magnitude["attention_factor"] is None else None
    return found | magnitude | {"ramp": "index", "extrapolation_factor": 1.0, "mscale_rule": rule}


def _softmax(reading: Reading, scaling: Mapping[str, Any] | None) -> tuple[float, float] | None:
    """Return what the factor on the softmax scale is made of (C16)."""
    coefficient = reading.inside("mscale_all_dim")
    if scaling is None or not coefficient or reading.outside("qk_rope_head_dim") is None:
        return None
    found = reading.real("mscale_all_dim", coefficient), reading.real("factor", scaling["factor"])
    if 1 + 0.1 * found[0] * log(max(found[1], 1.0)) <= 0:
        message = f"{reading.sources['mscale_all_dim']} makes a factor that is not above 0"
        raise refuse(message, "rope_scaling.C16")
    return found
