"""Tables of the page on testing, from `docs/tested.json`."""

import json
from pathlib import Path
from typing import Any

from site_performance import table, where

FILE = Path(__file__).parent.parent / "tested.json"

SEEN = ("rejected", "coarser", "float32", "endless")
"""What the vectors make of a mutant that they see, the commonest first."""


def held() -> dict[str, Any]:
    """Return what was measured."""
    found: dict[str, Any] = json.loads(FILE.read_text("ascii"))
    return found


def percent(some: int, of: int) -> str:
    """Return a share, rounded down: nothing is 100 % but all."""
    return f"{1000 * some // of / 10:.1f} %"


def coverage(held: dict[str, Any]) -> str:
    """Return the share of statements that tests run, by part of the package."""
    rows = held["coverage"]["values"]
    whole = {"part": "all", **{key: sum(row[key] for row in rows) for key in ("statements", "missed")}}
    lines = [
        [
            f"`{row['part']}`" if row is not whole else "all",
            str(row["statements"]),
            str(row["missed"]),
            percent(row["statements"] - row["missed"], row["statements"]),
        ]
        for row in [*rows, whole]
    ]
    return (
        table(["part of the package", "statements", "never run", "run"], lines)
        + "\n"
        + where(held["coverage"])
    )


def mutation(held: dict[str, Any]) -> str:
    """Return what became of the mutants, by wing and module."""
    rows = held["mutation"]["values"]
    lines = [scores(f"`{row['module']}`", [row]) for row in rows]
    wings = [scores(f"all of `{wing}`", [r for r in rows if r["module"].startswith(wing)]) for wing in WINGS]
    head = [
        "module",
        "mutants",
        "no fault",
        "seen by vectors",
        "by unit tests alone",
        "seen by nothing",
        "score",
    ]
    return table(head, [*wings, *lines]) + "\n" + where(held["mutation"])


WINGS = ("reference", "numerics")
"""Where mutants are made."""


def scores(title: str, rows: list[dict[str, Any]]) -> list[str]:
    """Return a line of the table of mutants."""
    count = {word: sum(row.get(word, 0) for row in rows) for word in (*SEEN, "unit", "equivalent", "same")}
    vectors = sum(count[word] for word in SEEN)
    faults = vectors + count["unit"] + count["same"]
    numbers = (faults + count["equivalent"], count["equivalent"], vectors, count["unit"], count["same"])
    return [title, *map(str, numbers), percent(vectors + count["unit"], faults) if faults else "none"]


def long(held: dict[str, Any]) -> str:
    """Return the long tests and their cases."""
    lines = []
    for row in held["long"]["values"]:
        file, _, name = row["test"].partition("::")
        rest = ", ".join(f"{row[word]} {word}" for word in ("skipped", "failure", "error") if word in row)
        lines.append(
            [f"`{file}`", name.removeprefix("test_").replace("_", " "), str(row.get("passed", 0)), rest]
        )
    return table(["file", "test", "cases passed", "else"], lines) + "\n" + where(held["long"])


def pages() -> dict[str, str]:
    """Return the generated parts by file name."""
    found = held()
    return {f"tested-{part.__name__}.md": part(found) for part in (coverage, mutation, long)}
