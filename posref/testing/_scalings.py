"""Drawn scalings of rotary frequencies, and configurations that ask for them."""

from typing import Any, Final

from posref.testing._draft import Draft
from posref.testing._numbers import BASES, real, st

KINDS: Final = ("linear", "ntk", "dynamic", "yarn", "llama3", "longrope", "proportional")
OF_LENGTH: Final = ("dynamic", "longrope")
WIDE: Final = ("ntk", "dynamic")
"""Types that a single pair has no ladder for."""

LENGTHS: Final = (64, 100, 2048, 4096, 8192, 131072)


def base_of(d: Draft, kind: str) -> float:
    """Draw a base; beside a small one YaRN's ramp over the pair index may be empty."""
    if kind == "yarn":
        return float(d.pick(*(base for base in BASES[0] if base >= 100)))
    return float(d.draw(real("base")))


def keys(d: Draft, kind: str, base: float, pairs: int) -> dict[str, Any]:
    """Return the parameters of a scaling but for width, base and current length, lists included."""
    found: dict[str, Any] = {"factor": d.draw(real("factor"))}
    if kind in ("dynamic", "yarn", "llama3", "longrope"):
        usual = [length for length in LENGTHS if kind != "yarn" or length <= max(64, base)]
        found["original_max_position_embeddings"] = d.pick(*usual)
    if kind == "yarn":
        found |= _yarn(d)
    if kind == "llama3":
        low = d.pick(1.0, 0.5, 2.0)
        found |= {"low_freq_factor": low, "high_freq_factor": low * d.pick(4.0, 1.25, 32.0)}
    if kind == "longrope":
        lists = st.lists(
            st.sampled_from((1.0, 1.25, 4.0, 0.5, 63.7)) | st.floats(0.25, 64.0),
            min_size=pairs,
            max_size=pairs,
        )
        found |= {name: d.draw(lists) for name in ("short_factor", "long_factor")}
        found["factor"] = d.pick(found["factor"], 0.5)
        found["attention_factor"] = d.pick(None, d.draw(real("attention_factor")))
    if kind == "proportional":
        found["partial_rotary_factor"] = d.draw(real("partial_rotary_factor"))
    return found


def _yarn(d: Draft) -> dict[str, Any]:
    found: dict[str, Any] = {
        "beta_fast": d.pick(32.0, 8.0, 5.5, 1000.0),
        "beta_slow": d.pick(1.0, 0.5, 2.0, 4.0),
        "ramp": d.pick("index", "rotations"),
        "extrapolation_factor": d.draw(real("extrapolation_factor")),
    }
    found["truncate"] = d.pick(True, False) if found["ramp"] == "index" else None
    names = ("attention_factor", "mscale", "mscale_all_dim", "mscale_rule")
    rule = d.pick("none", "log_only", "hf", "ratio", None)
    magnitude = dict.fromkeys(names) | {"mscale_rule": rule}
    if rule is None:
        magnitude["attention_factor"] = d.draw(real("attention_factor"))
    if rule == "ratio" or (rule == "hf" and d.pick(True, False)):
        magnitude |= {name: d.pick(1.0, 0.707, 0.0, 1.5) for name in names[1:3]}
    return found | magnitude


def length(d: Draft, kind: str, found: dict[str, Any], *, short: bool = False) -> int | None:
    """Draw the current length: about the trained one where the scaling looks at it."""
    trained = found.get("original_max_position_embeddings", 1)
    longer = () if short else (trained + 1, 4 * trained)
    choices = (trained, 1, *longer) if kind in OF_LENGTH else (None, 1, 2**20)
    chosen: int | None = d.pick(*choices)
    return chosen


def scaling(d: Draft, base: float, pairs: int, kind: str | None) -> dict[str, Any] | None:
    """Return a `scaling` parameter, with or without keys that are null because the type has them not."""
    if kind is None:
        return None
    nulls = d.pick({}, {"beta_fast": None, "long_factor": None})
    return {**nulls, "rope_type": kind, **keys(d, kind, base, pairs)}


def config(d: Draft) -> None:
    """Draw a published configuration, and the length and the layer that it needs."""
    kind = d.pick("default", *(kind for kind in KINDS if kind != "ntk"))
    pairs, heads = d.between(2 if kind in WIDE else 1, 4), d.pick(1, 2, 3)
    base = base_of(d, kind)
    base = min(base, 10000.0) if d.dtype == "float16" else base  # it is an output, and must not overflow
    rope = _rope_object(d, kind, base, pairs)
    d.params |= {"seq_len": d.pick(None, 1, 4096), "layer_type": None, "layer_index": None}
    whole = {}
    if kind in OF_LENGTH:
        d.params["seq_len"] = length(d, kind, rope)
    if kind == "dynamic":
        whole["max_position_embeddings"] = rope.pop("original_max_position_embeddings")
    top = d.pick(
        {"head_dim": 2 * pairs}, {"hidden_size": 2 * pairs * heads, "num_attention_heads": heads},
        {"n_embd": 2 * pairs * heads, "n_head": heads},
    )  # fmt: skip
    top |= whole | _layers(d)
    d.params["config"] = _placed(d, kind, top, rope, base)


def _rope_object(d: Draft, kind: str, base: float, pairs: int) -> dict[str, Any]:
    if kind == "default":
        return {}
    found = keys(d, kind, base, pairs)
    for name in ("ramp", "extrapolation_factor", "mscale_rule"):
        found.pop(name, None)
    if kind == "yarn":
        found["truncate"] = d.pick(True, False)
        if found["attention_factor"] is not None:
            found |= dict.fromkeys(("mscale", "mscale_all_dim"))
    return found


def _layers(d: Draft) -> dict[str, Any]:
    """Draw layers without rotation, and which one is asked for."""
    form = d.pick("none", "list", "interval")
    if form == "none":
        return {}
    d.params["layer_index"] = d.pick(None, 0, 1, 2, 3)
    return {"no_rope_layers": [1, 1, 0, 1]} if form == "list" else {"no_rope_layer_interval": d.pick(1, 2, 4)}


def _placed(d: Draft, kind: str, top: dict[str, Any], rope: dict[str, Any], base: float) -> dict[str, Any]:
    """Return the configuration with its rope object in one of the places where they are published."""
    if d.pick(True, False):
        old = {} if kind == "default" else {"rope_scaling": {"type": kind, **rope}}
        return top | {d.pick("rope_theta", "rotary_emb_base"): base} | old
    new = {"rope_type": kind, "rope_theta": base, **rope}
    if d.pick(True, False):
        return top | {"rope_parameters": new}
    d.params["layer_type"] = d.pick("full_attention", "sliding_attention")
    nest = {"full_attention": new, "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}
    return top | {"rope_parameters": nest}
