"""The curves that `docs/learn/drift.py` measured, in groups that agree, and what each step costs."""

import json
from pathlib import Path
from typing import Any

import posref

STORE = Path(__file__).parents[1] / "learn" / "drift.json"
SHOWN = ("6", "12", "15", "17", "20")
"""Octaves that the table of curves has a column for."""

TOLD = 3
"""First octave that is compared: below it all errors are a rounding or two."""

AGREE = 1.25
"""Largest quotient of two errors that count as the same."""

LEDGER = (4095, 131071)
"""Positions at which the cost of each step is worked out."""


def stored() -> dict[str, Any]:
    """Return the file."""
    return json.loads(STORE.read_text("ascii"))


def alike(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two curves agree in every octave from `TOLD` on that both have, and both have one."""
    shared = [octave for octave in one if octave in other and int(octave) >= TOLD]
    return bool(shared) and all(1 / AGREE <= one[octave] / other[octave] <= AGREE for octave in shared)


def groups(curves: dict[str, Any]) -> list[list[str]]:
    """Return names of curves that agree with the first of their group, in the order of the file."""
    found: list[list[str]] = []
    for name, curve in curves.items():
        for group in found:
            if alike(curves[group[0]]["errors"], curve["errors"]):
                group.append(name)
                break
        else:
            found.append([name])
    return found


def number(value: float) -> str:
    """Return an error with two digits, as powers of ten are written; from a tenth on in decimals."""
    if value >= 0.1:
        return f"{value:.2f}" if value < 1 else f"{value:.1f}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"${mantissa}\\cdot 10^{{{int(exponent)}}}$"


def length(octave: int) -> str:
    """Return what stands above a column: where the octave starts."""
    return f"${2**octave}$" if octave < 10 else f"$2^{{{octave}}}$"


def curve_table(curves: dict[str, Any]) -> str:
    """Return a row for each group of curves that agree, with the errors of its longest."""
    head = ["measured", *(length(int(octave)) for octave in SHOWN)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for group in groups(curves):
        errors = curves[longest(curves, group)]["errors"]
        cells = [number(errors[octave]) if octave in errors else "" for octave in SHOWN]
        lines.append("| " + " | ".join([", ".join(group), *cells]) + " |")
    return "\n".join(lines) + "\n"


def longest(curves: dict[str, Any], group: list[str]) -> str:
    """Return the first curve of a group that reaches as far as any."""
    return max(group, key=lambda name: len(curves[name]["errors"]))


def versions(curves: dict[str, Any]) -> str:
    """Return what was measured in which version, and up to where."""
    lines = ["| measured | version | below |", "|---|---|---|"]
    for name, curve in curves.items():
        lines.append(f"| {name} | {curve['version']} | {length(max(map(int, curve['errors'])) + 1)} |")
    return "\n".join(lines) + "\n"


def ladder_table(ladders: dict[str, float]) -> str:
    """Return how far each spelling of the frequencies is off."""
    lines = ["| frequencies in float32 as | largest relative error, in $2^{-24}$ |", "|---|---|"]
    lines += [f"| {name} | {error} |" for name, error in ladders.items()]
    return "\n".join(lines) + "\n"


def ledger() -> str:
    """Return what each step costs an entry of pair 1, worked out from unit roundoffs."""
    frequency = float(posref.rope.inv_freq(rotary_dim=128, base=10000.0)[1])
    single, short, half = 2.0**-24, 2.0**-8, 2.0**-11
    steps = (
        ("frequency rounded to float32", "$u\\,p\\,\\omega$", lambda angle: single * angle),
        ("product rounded to float32", "$u\\,p\\,\\omega$", lambda angle: single * angle),
        ("float32 sine or cosine, 2.5 ulp", "$2.5\\,u$", lambda angle: 2.5 * single),
        ("table rounded to float16", "$u_s/2$", lambda angle: half / 2),
        ("table rounded to bfloat16", "$u_s/2$", lambda angle: short / 2),
        ("angle rounded to float16", "$\\min(2, u_s\\,p\\,\\omega)$", lambda angle: min(2, half * angle)),
        ("angle rounded to bfloat16", "$\\min(2, u_s\\,p\\,\\omega)$", lambda angle: min(2, short * angle)),
    )
    lines = ["| step | moves an entry by at most | " + " | ".join(f"at {p}" for p in LEDGER) + " |"]
    lines.append("|---|---|" + "---|" * len(LEDGER))
    for name, formula, cost in steps:
        cells = [number(cost(position * frequency)) for position in LEDGER]
        lines.append(f"| {name} | {formula} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """Return the tables as pages to include."""
    told = stored()
    return {
        "drift-curves.md": curve_table(told["curves"]),
        "drift-versions.md": versions(told["curves"]),
        "drift-ladders.md": ladder_table(told["ladders"]),
        "drift-ledger.md": ledger(),
    }
