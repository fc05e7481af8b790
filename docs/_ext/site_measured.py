"""What the matrix of frameworks measured, for each scheme."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

import conformance_data as data
from site_matrix import anchor

from posref.operation import schemes

MARKS = {"fault": "Faults", "difference": "Differences"}
READ = "The linked names lead to the files that were read."


def claims(rows: Iterable[dict[str, Any]]) -> str:
    """Return the operations that ran, by the strongest claim that they keep in float32 or else exactly."""
    kept: dict[str, str] = {}
    for row in rows:
        name = row["operation"].partition(".")[2]
        right = not row["failed"] and row["dtype"] in ("float32", "int64", "bool")
        kept[name] = row["strongest_claim"] if right else kept.get(name, "")
    groups: dict[str, list[str]] = {}
    for name, claim in kept.items():
        groups.setdefault(claim, []).append(f"`{name}`")
    return "; ".join(", ".join(names) + f" ({claim})" * bool(claim) for claim, names in groups.items())


def findings(framework: str, scheme: str) -> str:
    """Return links to what was found wrong in the operations of a scheme, a mark at a time."""
    found: dict[str, list[str]] = {}
    for one in data.findings(framework):
        if any(fnmatchcase(place["operation"], f"{scheme}.*") for place in one.where):
            found.setdefault(one.mark, []).append(f"[{one.title}](#{anchor(framework, one.name)})")
    return "".join(f" {MARKS[mark]}: {'; '.join(found[mark])}." for mark in MARKS if mark in found)


def entry(framework: dict[str, Any], scheme: str, title: str) -> str:
    """Return the line of one framework, or nothing where it was not asked."""
    ran = [
        row
        for row in framework["rows"]
        if row["operation"].startswith(f"{scheme}.") and row["kind"] == "value" and row["executed"]
    ]
    if not ran:
        return ""
    right, run = (sum(row[key] for row in ran) for key in ("passed", "executed"))
    counted = f"{right} of {run} right" if right < run else f"all {run} right"
    name = framework["name"]
    return f"- [{title}](../conformance/{name}.md), {claims(ran)}: {counted}.{findings(name, scheme)}"


def page(scheme: str) -> str:
    """Return what was measured of one scheme."""
    about = data.about()
    lines = [entry(one, scheme, about[one["name"]]["title"]) for one in data.matrix()["frameworks"]]
    kept = [line for line in lines if line]
    if not kept:
        return f"{READ} No program of the [matrix](../conformance/index.md) offers one of these operations.\n"
    head = (
        f"{READ} What the [matrix](../conformance/index.md) measured of released programs by the vectors "
        "of this page; in parentheses the strongest [claim](../precision.md) that holds for all cases in "
        "float32 or for integers:"
    )
    return "\n".join([head, "", *kept, ""])


def pages() -> dict[str, str]:
    """Return what was measured of each scheme as a page to include."""
    return {f"{scheme}-measured.md": page(scheme) for scheme in schemes()}
