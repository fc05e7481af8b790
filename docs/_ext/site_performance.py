"""Tables of the page on performance, from `docs/performance.json` and the targets below."""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

FILE = Path(__file__).parent.parent / "performance.json"
MIB = 2**20
LEVEL = 10**6
"""Elements from which on a call's own cost is small."""

GPU_DTYPES = ("float32", "bfloat16")
"""Dtypes of rotations that the target of the GPU is about."""

SHOWN = 10
"""Operations that the table of memory shows, those that need most."""


@dataclass(frozen=True)
class Target:
    """What a median is to be: at most `limit` where less is better, else at least; and what is in the way."""

    work: str
    against: str
    limit: float
    less: bool
    hurdle: str = ""

    def reached(self, value: float) -> bool:
        """Whether a median reaches it."""
        return value <= self.limit if self.less else value >= self.limit

    @property
    def text(self) -> str:
        """As it is shown."""
        return f"{'≤' if self.less else '≥'} {self.limit:g}"


TORCH = "times faster than torch, transformers"
TARGETS = (
    Target(
        "rope.rotate adjacent", "copies", 3.0, True,
        "products, sums and rounding are calls of NumPy of their own, over blocks that stay in cache",
    ),
    Target("rope.rotate adjacent", TORCH, 7.0, False),
    Target("rope.rotate half", "copies", 5.0, True),
    Target("rope.rotate half", TORCH, 5.0, False),
    Target("rope.cos_sin consecutive float32", "times faster than torch float32", 3.0, False),
    Target("rope.cos_sin consecutive float32", "times faster than numpy float64", 11.0, False),
    Target("rope.cos_sin random float64", "times faster than numpy float64", 0.4, False),
    Target("alibi.bias consecutive", "copies", 1.4, True),
    Target(
        "alibi.bias arbitrary", "copies", 2.5, True,
        "distance, product and mask are calls of NumPy of their own, over pieces that stay in cache",
    ),
    Target("t5.bias consecutive", "copies", 1.4, True),
)  # fmt: skip
"""Medians to reach. Computed exactly and rounded once, whatever the other side does."""


def held() -> dict[str, Any]:
    """Return what was measured."""
    found: dict[str, Any] = json.loads(FILE.read_text("ascii"))
    return found


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of Markdown."""
    names = list(head)
    lines = ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def where(section: dict[str, Any]) -> str:
    """Return the line that says on what something was measured."""
    machine, versions = section["machine"], section["versions"]
    libraries = ", ".join(f"{name} {version}" for name, version in versions.items())
    threads = machine["threads"]
    one = {"1": "one thread", "not set": "threads as they come"}.get(threads, f"{threads} threads")
    return (
        f"Measured on {machine['processor']}, {machine['cores']} cores, {machine['memory_gib']:g} GiB, "
        f"{machine['system']}, {one}; {libraries}.\n"
    )


def figures(found: list[float]) -> list[str]:
    """Return the least, the median and the largest."""
    return [f"{value:.2f}" for value in (min(found), median(found), max(found))]


def ratios(held: dict[str, Any]) -> str:
    """Return every ratio that was measured."""
    rows = []
    for row in held["ratios"]["values"]:
        found = figures(row["ratios"]) if "ratios" in row else [f"{row['missing']} was not installed", "", ""]
        rows.append([f"`{row['work']}`", row["against"], *found])
    return table(["work", "against", "least", "median", "largest"], rows) + "\n" + where(held["ratios"])


def targets(held: dict[str, Any]) -> str:
    """Return what was aimed at and what came of it."""
    found = {
        (row["work"], row["against"]): median(row["ratios"])
        for row in held["ratios"]["values"]
        if "ratios" in row
    }
    rows = [[f"`{one.work}`", one.against, one.text, status(one, found)] for one in TARGETS]
    return table(["work", "against", "target", "median, and what of it"], [*rows, *runs(held), device(held)])


def status(one: Target, found: dict[tuple[str, str], float]) -> str:
    """Return what came of a target; of one that was missed, what it would take."""
    value = found.get((one.work, one.against))
    if value is None:
        return "not measured"
    if one.reached(value):
        return f"{value:.2f}: reached"
    hurdle = one.hurdle
    if not one.less:
        copies = found[one.work, "copies"]
        needed = copies * value / one.limit
        hurdle = f"it would have to take {needed:.1f} copies of its result, instead of {copies:.1f}"
    return f"{value:.2f}: **not reached**: {hurdle}"


def runs(held: dict[str, Any]) -> list[list[str]]:
    """Return the rows of whole commands."""
    rows = []
    for name, key, limit, kind in (
        ("core build", "wall", 180, "seconds"),
        ("check", "cpu", 20, "seconds of CPU"),
    ):
        row = next((one for one in held.get("runs", {}).get("values", ()) if one["run"] == name), None)
        status = "not measured"
        if row is not None:
            status = f"{row[key]:.0f}: " + ("reached" if row[key] < limit else "**not reached**")
        command = "`posref check reference`" if name == "check" else "`posref vectors build`, 2 processes"
        rows.append([command, kind, f"< {limit}", status])
    return rows


def device(held: dict[str, Any]) -> list[str]:
    """Return the row of the GPU."""
    rows = held.get("gpu", {}).get("values", {}).get("rotations", {}).get("rows", [])
    aimed = [row for row in rows if row["what"] == "kernel" and row["work"].split()[1] in GPU_DTYPES]
    shares = [row["share"] for row in aimed]
    status = "not measured: no GPU was there"
    if shares:
        status = f"{min(shares):.0%} at least: " + ("reached" if min(shares) >= 0.85 else "**not reached**")
    return ["`rope.rotate` on a GPU, 1 GiB", "share of a device copy's bandwidth", "≥ 85 %", status]


def curve(held: dict[str, Any]) -> str:
    """Return nanoseconds an element, a row a size."""
    points = [point for point in held["curves"]["values"] if not point["position"]]
    works = list(dict.fromkeys(point["work"] for point in points))
    rows = []
    for place in range(max(sum(point["work"] == work for point in points) for work in works)):
        own = [[point for point in points if point["work"] == work][place] for work in works]
        rows.append([f"{own[0]['elements']:,}", *(f"{one['ns']:.2f} ({one['copies']:.1f})" for one in own)])
    head = ["elements", *(f"`{work}`, ns each (copies)" for work in works)]
    grown = ", ".join(f"{power(points, work):.2f} for `{work}`" for work in works)
    trend = f"From {LEVEL:,} elements on, time grows as this power of their number: {grown}.\n"
    return table(head, rows) + "\n" + trend + "\n" + where(held["curves"])


def power(points: list[dict[str, Any]], work: str) -> float:
    """Return the slope of log time over log elements, by least squares; 1 is linear."""
    own = [point for point in points if point["work"] == work and point["elements"] >= 0.9 * LEVEL]
    x = [math.log(point["elements"]) for point in own]
    y = [math.log(point["elements"] * point["ns"]) for point in own]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    across = sum((a - middle_x) ** 2 for a in x)
    return sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True)) / across


def positions(held: dict[str, Any]) -> str:
    """Return nanoseconds an entry by the size of the positions."""
    points = [point for point in held["curves"]["values"] if point["position"]]
    works = list(dict.fromkeys(point["work"] for point in points))
    at = list(dict.fromkeys(point["position"] for point in points))
    each = {(point["work"], point["position"]): point for point in points}
    rows = [
        [f"below $2^{{{size.bit_length() - 1}}}$", *(f"{each[work, size]['ns']:.1f}" for work in works)]
        for size in at
    ]
    spread = []
    for work in works:
        own = [point["ns"] for point in points if point["work"] == work]
        spread.append(f"{max(own) / min(own):.2f} for `{work}`")
    last = f"Largest over least: {', '.join(spread)}.\n"
    return table(["positions", *(f"`{work}`, ns an entry" for work in works)], rows) + "\n" + last


def memory(held: dict[str, Any]) -> str:
    """Return the operations that need most beyond their input and output."""
    found = sorted(held["memory"]["values"], key=lambda row: -row["beyond"])
    rows = [
        [f"`{row['operation']}`", *(f"{row[key] / MIB:.1f}" for key in ("input", "output", "beyond"))]
        for row in found[:SHOWN]
    ]
    head = ["operation", "input, MiB", "output, MiB", "beyond both, at the peak, MiB"]
    rest = f"The other {len(found) - len(rows)} of {len(found)} need less.\n"
    return table(head, rows) + "\n" + rest


def sweep(held: dict[str, Any]) -> str:
    """Return the counts of the exhaustive sweep."""
    rows = []
    for row in held["sweep"]["values"]:
        worst = f"{row['worst']:.9f} ulp" if row["worst"] > 0.5 else "0.5 ulp at most"
        counts = [f"{row[key]:,}" for key in ("values", "golden", "unfaithful", "misrounded")]
        rows.append([row["dtype"], *counts, worst])
    first = held["sweep"]["values"][0]
    bases, widths = (", ".join(f"{value:g}" for value in first[key]) for key in ("bases", "widths"))
    head = ["dtype", "values", "decided by golden", "unfaithful", "not correctly rounded", "worst"]
    of = f"Positions 0 to {first['positions'] - 1:,}, bases {bases}, widths {widths}.\n"
    return of + "\n" + table(head, rows)


def pages() -> dict[str, str]:
    """Return the tables as pages to include."""
    found = held()
    parts = {
        "targets": targets,
        "ratios": ratios,
        "curve": curve,
        "positions": positions,
        "memory": memory,
        "sweep": sweep,
    }
    return {f"performance-{name}.md": part(found) for name, part in parts.items()}
