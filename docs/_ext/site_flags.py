"""The flags of the vector files, by kind, each with what a failure there means and who reported it."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from posref.corpus import load_vectors
from posref.operation import home, schemes

ISSUE = re.compile(r"https://github\.com/([^/]+/[^/]+)/(?:issues|pull)/(\d+)")
ASSUMED = re.compile(r"`(\w+)` is looked at: the value here is not `([^`]+)`\.")

KINDS = {
    "convention": "Another convention",
    "wrong_formula": "Another formula",
    "missing_step": "A step left out",
    "indexing": "The wrong row, axis, head or position",
    "precision": "Rounded too early",
    "stale_state": "Something kept from an earlier call",
    "edge_case": "Edges",
}
"""The kinds of mistake in the order of the pages."""


def shown(link: str) -> str:
    """Return a link with the repository and the number of the report for its text."""
    found = ISSUE.fullmatch(link)
    return f"[{found[1]} #{found[2]}]({link})" if found else f"<{link}>"


def counted(number: int) -> str:
    """Return a number of cases in words."""
    return f"{number} case" + "s" * (number != 1)


def paragraph(scheme: str, name: str, entry: dict[str, Any], cases: int) -> str:
    """Return what one flag looks for, under an anchor of its own."""
    reports = ", ".join(shown(link) for link in entry["links"])
    told = f" Reported: {reports}." if reports else ""
    return (
        f"(flag-{scheme}-{name})=\n"
        f"**`{name}`** ({counted(cases)}). {entry['description']} {entry['effect']}{told}\n"
    )


def assumed(flags: dict[str, Any], used: Counter[str]) -> str:
    """Return one paragraph for the flags that see a parameter taken for granted."""
    found: dict[str, list[str]] = {}
    for name in sorted(used):
        match = ASSUMED.fullmatch(flags[name]["description"])
        if match:
            found.setdefault(match[1], []).append(f"{match[2]} (`{name}`, {counted(used[name])})")
    listed = "\n".join(
        f"- `{name}`: never anything but {'; '.join(values)}" for name, values in found.items()
    )
    head = "One value taken for granted: a program that looks at no other is right elsewhere and wrong here."
    return f"{head}\n\n{listed}\n" if listed else ""


def dropdown(title: str, paragraphs: Iterable[str]) -> str:
    """Return a box that is closed at first."""
    return f":::{{dropdown}} {title}\n:class-container: flags\n\n" + "\n".join(paragraphs) + "\n:::\n"


def page(scheme: str, flags: dict[str, Any], used: Counter[str]) -> str:
    """Return the flags of a scheme, a box a kind."""
    boxes = []
    for kind, title in KINDS.items():
        names = [name for name in sorted(used) if flags[name]["bug_type"] == kind]
        own = [name for name in names if not ASSUMED.fullmatch(flags[name]["description"])]
        parts = [paragraph(scheme, name, flags[name], used[name]) for name in own]
        if kind == "convention":
            parts.append(assumed(flags, used))
        if names:
            boxes.append(dropdown(f"{title} ({len(names)})", filter(None, parts)))
    return "\n".join(boxes)


def raised() -> dict[str, Counter[str]]:
    """Return how many cases of each scheme raise each flag."""
    found = {scheme: Counter[str]() for scheme in schemes()}
    for test in load_vectors().tests:
        found[test.operation.partition(".")[0]].update(test.flags)
    return found


def pages() -> dict[str, str]:
    """Return the flags that the vectors of each scheme raise as pages to include."""
    flags = json.loads((home("spec") / "flags.json").read_text("utf-8"))
    strange = {entry["bug_type"] for entry in flags.values()} - set(KINDS)
    if strange:
        raise ValueError(f"spec/flags.json: kinds without a place on the pages: {', '.join(sorted(strange))}")
    return {f"{scheme}-flags.md": page(scheme, flags, used) for scheme, used in raised().items()}
