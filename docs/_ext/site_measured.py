"""What the matrix of frameworks measured, for each scheme."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

import conformance_data as data
from site_matrix import anchor

from posref.operation import schemes

READ = "The names above lead to the files that were read."


def claims(rows: Iterable[dict[str, Any]]) -> str:
    """Return the operations that ran, each with the strongest claim kept in float32 or else exactly."""
    kept: dict[str, str] = {}
    for row in rows:
        name = row["operation"].partition(".")[2]
        right = not row["failed"] and row["dtype"] in ("float32", "int64", "bool")
        kept[name] = row["strongest_claim"] if right else kept.get(name, "")
    return "; ".join(f"`{name}`" + f" {claim}" * bool(claim) for name, claim in kept.items())


def findings(framework: str, scheme: str) -> str:
    """Return links to what was found wrong in the operations of a scheme."""
    return "; ".join(
        f"{one.mark}: [{one.title}](#{anchor(framework, one.name)})"
        for one in data.findings(framework)
        if any(fnmatchcase(place["operation"], f"{scheme}.*") for place in one.where)
    )


def row(entry: dict[str, Any], scheme: str, title: str) -> str:
    """Return the row of one framework, or nothing where it was not asked."""
    ran = [
        row
        for row in entry["rows"]
        if row["operation"].startswith(f"{scheme}.") and row["kind"] == "value" and row["executed"]
    ]
    if not ran:
        return ""
    right, run = (sum(row[key] for row in ran) for key in ("passed", "executed"))
    cells = [
        f"[{title}](../conformance/{entry['name']}.md)",
        claims(ran),
        f"{right} of {run}",
        findings(entry["name"], scheme),
    ]
    return "| " + " | ".join(cells) + " |"


def page(scheme: str) -> str:
    """Return the table of one scheme."""
    about = data.about()
    rows = [row(entry, scheme, about[entry["name"]]["title"]) for entry in data.matrix()["frameworks"]]
    kept = [line for line in rows if line]
    if not kept:
        return (
            f"{READ} No program of the [matrix](../conformance/index.md) offers an operation of this page.\n"
        )
    head = (
        f"{READ} What the [matrix](../conformance/index.md) measured of released programs, by the vectors of "
        "this page; a claim is the strongest that holds for all cases in float32, or exactly for integers:"
    )
    lines = ["| program | operations, claim | right of run | what is not |", "|---|---|---|---|", *kept]
    return "\n".join([head, "", ":::{div} measured wrapping", "", *lines, "", ":::", ""])


def pages() -> dict[str, str]:
    """Return the table of each scheme as a page to include."""
    return {f"{scheme}-measured.md": page(scheme) for scheme in schemes()}
