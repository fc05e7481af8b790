"""The index of symptoms: what one sees, what it is, and what a run of the registered mistake shows.

The rows are data, ``docs/symptoms.toml``. Nothing that a page says in numbers is written there: each row
has a probe, which is run when the site is built (`site_probes`).
"""

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import site_probes
from site_flags import shown
from site_probes import Part, registered

from posref.operation import home, mistakes, signature

FILE = Path(__file__).parent.parent / "symptoms.toml"
UNITS = {"positions": "position", "k_positions": "key", "relative_position": "offset", "timesteps": "step"}
RUNS = 4
"""How many runs of parts of one kind are written out."""

QUICK: Mapping[str, tuple[tuple[int, int, int], Sequence[Any]]] = {
    "one token at position 0": ((1, 1, 1), [0]),
    "one token at position 1": ((1, 1, 1), [1]),
    "positions 0 to 39": ((1, 1, 40), range(40)),
    "positions 0 to 299": ((1, 1, 300), range(300)),
    "positions 4000 to 4199": ((1, 1, 200), range(4000, 4200)),
    "two rows, two heads, positions 7 to 9 and 305 to 307": ((2, 2, 3), [[[7, 8, 9]], [[305, 306, 307]]]),
}
"""Quick tests of a rotary kernel: batch, heads and tokens, and the positions."""


def symptoms() -> list[dict[str, Any]]:
    """Return the rows in the order of the page."""
    return tomllib.loads(FILE.read_text("utf-8"))["symptom"]


def number(value: float) -> str:
    """Return a size with two digits."""
    return f"{value:.2g}" if math.isfinite(value) else "infinity"


def runs(parts: Sequence[Part], wrong: bool) -> str:
    """Return the labels of the parts that are wrong, or right; consecutive numbers as a range."""
    found, numbers = [], all(isinstance(one.label, int | float) for one in parts)
    for verdict, members in groupby(parts, key=lambda one: one.wrong):
        labels = [str(one.label) for one in members]
        if verdict is wrong:
            found += [f"{labels[0]} to {labels[-1]}"] if numbers and len(labels) > 2 else labels
    text = (", " if numbers else "; ").join(found[: RUNS if numbers else None])
    return f"{text} and so on" if numbers and found[RUNS:] else text


def size(row: Mapping[str, Any], parts: Sequence[Part]) -> str:
    """Return how far off the wrong parts are, from the smallest to the largest where that is the point."""
    errors = {one.label: one.error for one in parts}
    if "grows" in row["shows"]:
        return ", ".join(f"{number(errors[label])} at {label}" for label in row["shows"]["grows"])
    return f"up to {number(max(errors.values()))}"


def facts(row: Mapping[str, Any], parts: Sequence[Part]) -> str:
    """Return two lines: which parts of a probe are right, and which are wrong and how far off."""
    probe, declared = row["probe"], signature(row["mistake"].partition("/")[0])
    labels = probe.get("labels")
    unit = UNITS[labels] if isinstance(labels, str) else probe.get("unit", "")
    whole = f" of {len(parts)}" if len(parts) > 8 else ""
    lines = []
    for name, wrong in (("Right", False), ("Wrong", True)):
        if count := sum(one.wrong is wrong for one in parts):
            dtype = "" if declared.integer or lines else f" in {probe.get('dtype', 'float32')}"
            share = f" ({count}{whole})" if whole else ""
            which = f"{unit}{'s' if count > 1 else ''} " if unit else ""
            lines.append(f"{name}{dtype}{share}: {which}{runs(parts, wrong)}")
    off = "." if declared.outputs[0].dtype == "bool" else f"; off by {size(row, parts)}."
    return "  \\\n".join(lines) + off


def entry(row: Mapping[str, Any], flags: Mapping[str, Any]) -> str:
    """Return one symptom as a box that opens."""
    fault = registered(row["mistake"])
    flag = flags[fault.flag]
    links = dict.fromkeys([*flag["links"], *([fault.report] if fault.report else [])])
    lines = [
        f"::::{{dropdown}} {row['seen']}",
        f":name: symptom-{row['id']}",
        "",
        f"{row['fault']} **Cure.** {row['cure']} ([more](../{row['page']}))",
        "",
        facts(row, site_probes.parts(row["mistake"], row["probe"])),
        "",
        f"Flag `{fault.flag}` ({flag['bug_type'].replace('_', ' ')}): {flag['description']} "
        f"Mistake `{row['mistake']}`: {fault.description}. Case `{row['case']}`.",
    ]
    if links:
        lines += ["", f"Reported: {', '.join(shown(link) for link in links)}."]
    return "\n".join([*lines, "::::", ""])


def seen(shape: tuple[int, int, int], positions: Sequence[Any], dtype: str) -> tuple[int, int]:
    """Return how many mistakes of `rope.apply` a quick test shows, and of how many."""
    inputs = {"x": site_probes.tensor({"draw": [*shape, 64]}), "positions": np.array(positions)}
    params = site_probes.parameters("rope.apply", {"rotary_dim": 64, "base": 500000.0})
    faults = mistakes("rope.apply")
    count = 0
    for fault in faults:
        with np.errstate(all="ignore"):
            got = fault.function(*inputs.values(), **params)
        count += any(
            wrong.any()
            for wrong, _ in site_probes.distances("rope.apply", inputs, params, got, dtype).values()
        )
    return count, len(faults)


def quick() -> str:
    """Return a table of how much quick tests see."""
    total = seen(*QUICK["one token at position 0"], "float32")[1]
    lines = [f"| test | of {total} mistakes, in float32 | in bfloat16 |", "|---|---|---|"]
    for name, test in QUICK.items():
        lines.append(f"| {name} | {seen(*test, 'float32')[0]} | {seen(*test, 'bfloat16')[0]} |")
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """Return the index, a heading for each group, and the table of quick tests."""
    flags = json.loads((home("spec") / "flags.json").read_text("utf-8"))
    text = []
    for group, rows in groupby(symptoms(), key=lambda row: row["group"]):
        text += [f"## {group}", "", *(entry(row, flags) for row in rows)]
    return {"symptoms-index.md": "\n".join(text), "symptoms-quick.md": quick()}
