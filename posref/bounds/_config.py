"""A published configuration as far as bounds need it: what it comes to, read without a check.

The reference refuses what is wrong; a bound is only asked for a configuration that is right.
"""

from collections.abc import Mapping
from math import trunc
from typing import Any, NamedTuple

Config = Mapping[str, Any]

BASES = ("rope_theta", "rotary_emb_base")
SHARES = ("partial_rotary_factor", "rotary_pct", "rope_pct")


class Asked(NamedTuple):
    """Type, width and base; the scaling as `rope.apply` takes it; the coefficient of a softmax factor."""

    width: int
    base: float
    scaling: Config | None
    softmax: float


def read(config: Config, layer_type: str | None, layer_index: int | None) -> Asked:
    """Return what a configuration asks for at a layer."""
    text = config.get("text_config")
    top = text if isinstance(text, Mapping) and _first([text], "hidden_size", "n_embd") else config
    rope = _first([top], "rope_parameters", "rope_scaling") or {}
    flat = {key: value for key, value in rope.items() if not isinstance(value, Mapping)}
    nested = len(flat) < len(rope)
    own = [rope[layer_type], flat] if nested and layer_type else [flat]
    base = None if nested else _local_base(top, layer_type)
    if base is not None and top.get("rope_local_base_freq") is not None and layer_type == "sliding_attention":
        own = []
    levels = [*own, top]
    base = _first(levels, *BASES) if base is None else base
    base = 10000.0 if base is None else float(base)
    if not _rotated(top, layer_index):
        return Asked(0, base, None, 0.0)
    kind = _kind(own)
    scaling = None if kind == "default" else _scaling(kind, own, levels)
    latent = top.get("qk_rope_head_dim") is not None and kind == "yarn"
    softmax = float(_first(own, "mscale_all_dim") or 0.0) if latent else 0.0
    return Asked(_width(levels, kind, layer_type), base, scaling, softmax)


def _first(levels: list[Config], *names: str) -> Any:
    """Return the first value that is there: levels before names."""
    for keys in levels:
        for name in names:
            if keys.get(name) is not None:
                return keys[name]
    return None


def _local_base(top: Config, layer_type: str | None) -> Any:
    if layer_type == "sliding_attention":
        return _first([top], "rope_local_base_freq", "local_rope_theta", "global_rope_theta")
    return top.get("global_rope_theta")


def _kind(own: list[Config]) -> str:
    kind = _first(own, "rope_type", "type") or "default"
    return {"su": "longrope", "mrope": "default"}.get(kind, str(kind))


def _rotated(top: Config, layer_index: int | None) -> bool:
    if layer_index is None:
        return True
    layers, interval = top.get("no_rope_layers"), top.get("no_rope_layer_interval")
    if layers:
        return bool(layers[layer_index])
    return not interval or (layer_index + 1) % int(interval) != 0


def _width(levels: list[Config], kind: str, layer_type: str | None) -> int:
    top, share = levels[-1], _first(levels, *SHARES)
    latent = top.get("qk_rope_head_dim")
    if latent is not None:
        return int(latent)
    if kind != "proportional" and share is None and top.get("rotary_dim") is not None:
        return int(top["rotary_dim"])
    names = ("global_head_dim", "head_dim") if layer_type == "full_attention" else ("head_dim",)
    head = _first([top], *names)
    if head is None:
        head = _first([top], "hidden_size", "n_embd") // _first([top], "num_attention_heads", "n_head")
    whole = int(head)
    return whole if kind == "proportional" or share is None else trunc(whole * float(share))


def _scaling(kind: str, own: list[Config], levels: list[Config]) -> dict[str, Any]:
    def real(name: str, default: float) -> float:
        value = _first(own, name)
        return default if value is None else float(value)

    top = levels[-1]
    trained = top.get("max_position_embeddings")
    if kind != "dynamic":
        trained = _first(levels, "original_max_position_embeddings")
    whole = top.get("max_position_embeddings")
    ratio = whole / trained if whole and trained and kind in ("yarn", "longrope") else 1.0
    truncate, share = _first(own, "truncate"), _first(levels, *SHARES)
    return {
        "rope_type": kind,
        "factor": real("factor", ratio),
        "original_max_position_embeddings": trained,
        "beta_fast": real("beta_fast", 32.0),
        "beta_slow": real("beta_slow", 1.0),
        "ramp": "index",
        "truncate": True if truncate is None else truncate,
        "extrapolation_factor": 1.0,
        **{name: _first(own, name) for name in ("attention_factor", "mscale", "mscale_all_dim")},
        "mscale_rule": "hf",
        "low_freq_factor": real("low_freq_factor", 1.0),
        "high_freq_factor": real("high_freq_factor", 4.0),
        "short_factor": _first(own, "short_factor"),
        "long_factor": _first(own, "long_factor"),
        "partial_rotary_factor": 1.0 if share is None else float(share),
    }
