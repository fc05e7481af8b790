"""Published configurations as states of the explorer: what the models' own vectors were made from."""

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from posref import operation

NAME: Final = "explorerPresets"
RENAMED: Final = {"original_max_position_embeddings": "trained", "rope_type": "scaling"}
KEPT: Final = {
    "rope.apply": ("rotary_dim", "base"),
    "sinusoidal.encode": ("dim", "base", "denominator", "layout"),
    "alibi.slopes": ("num_heads", "bias_max"),
    "t5.bucket": ("num_buckets", "max_distance", "bidirectional"),
}
"""Parameters that the explorer has, by the operation that a model's file has them of."""


def pages() -> dict[str, str]:
    """Return the script, under its name below the generated files."""
    text = json.dumps(presets(), separators=(",", ":"), ensure_ascii=True)
    return {"static/explorer/presets.js": f'"use strict";\nvar {NAME} = {text};\n'}


def presets() -> list[dict[str, str]]:
    """Return name, title and fragment of each model that has a scheme of the explorer."""
    found = []
    for path in sorted((operation.home("spec") / "models").glob("*.json")):
        record = json.loads(path.read_text("ascii"))
        state = _state(record)
        if state:
            found.append({"name": path.stem, "title": record["title"], "fragment": urlencode(state)})
    return sorted(found, key=lambda one: (one["fragment"].partition("&")[0], one["title"].lower()))


def _state(record: Mapping[str, Any]) -> dict[str, Any]:
    groups = [one for one in record["groups"] if one["operation"] in KEPT]
    if not groups:
        return {}
    group = next((one for one in groups if one["group"].endswith("-long")), groups[0])
    params = group["params"]
    state = {"scheme": group["operation"].partition(".")[0]}
    state |= {key: _written(params[key]) for key in KEPT[group["operation"]] if key in params}
    trained = record.get("config", {}).get("max_position_embeddings")
    if state["scheme"] == "rope" and trained is not None:
        state["trained"] = trained
    return {**state, **_scaling(params.get("scaling") or {}, record)}


def _scaling(scaling: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scaling under the explorer's names; ``hf`` is one of two other rules (rope_scaling.C8)."""
    found = {RENAMED.get(key, key): _written(value) for key, value in scaling.items() if value is not None}
    if found.get("mscale_rule") == "hf":
        found["mscale_rule"] = "ratio" if found.get("mscale") and found.get("mscale_all_dim") else "log_only"
    if found.get("scaling") == "longrope":
        found["length"] = record["config"]["max_position_embeddings"]
    found.pop("extrapolation_factor", None)
    return found


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(repr, value))
    return repr(value) if isinstance(value, float) else value
