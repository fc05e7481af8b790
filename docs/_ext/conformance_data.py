"""The stored matrix of frameworks, the findings behind its failures, and what is said of frameworks."""

import json
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent.parent / "conformance"
FLOATS = ("float64", "float32", "bfloat16", "float16")


@dataclass(frozen=True)
class Finding:
    """Why some answers of a framework are wrong.

    `where` goes from globs of operations to the dtypes and the globs of cases in which it shows.
    """

    name: str
    mark: str
    title: str
    where: tuple[dict[str, Any], ...]
    what: str
    cause: str
    source: str
    documented: str
    report: str
    script: str
    prints: tuple[str, ...]

    def covers(self, operation: str, dtype: str, case: str = "*") -> bool:
        """Whether it explains a case, or some case, of an operation in a dtype."""
        return any(
            fnmatchcase(operation, place["operation"])
            and dtype in place["dtypes"]
            and (case == "*" or any(fnmatchcase(case, glob) for glob in place["cases"]))
            for place in self.where
        )


def load(name: str) -> dict[str, Any]:
    """Return a JSON file of the folder."""
    return json.loads((HOME / name).read_text("utf-8"))


def matrix() -> dict[str, Any]:
    """Return the stored matrix."""
    return load("matrix.json")


def about() -> dict[str, dict[str, str]]:
    """Return title, home, installation and note of each framework that has an adapter."""
    return load("frameworks.json")["judged"]


def absent() -> list[dict[str, str]]:
    """Return the frameworks that could not be run, each with the reason."""
    return load("frameworks.json")["absent"]


def findings(framework: str) -> tuple[Finding, ...]:
    """Return the findings of a framework; none where it has no file."""
    path = HOME / "findings" / f"{framework}.json"
    if not path.is_file():
        return ()
    entries = json.loads(path.read_text("utf-8"))["findings"]
    lists = {"where", "prints"}
    return tuple(
        Finding(**{key: tuple(value) if key in lists else value for key, value in entry.items()})
        for entry in entries
    )


def marks(framework: str, row: dict[str, Any]) -> set[str]:
    """Return the marks of what is wrong in a row of the matrix."""
    return {
        found.mark
        for found in findings(framework)
        for case in row["failed"]
        if found.covers(row["operation"], row["dtype"], case)
    }
