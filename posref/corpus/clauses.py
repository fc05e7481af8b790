"""The numbered clauses of the specification, read from its pages."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from posref import operation

CLAUSE: Final = re.compile(r"[a-z][a-z0-9_-]*\.C[1-9][0-9]*")
"""How the identifier of a clause is spelt."""

_START = re.compile(rf"^\*\*({CLAUSE.pattern})\*\* \(([^)\n]*(?:\([^)\n]*\)[^)\n]*)*)\)\. *", re.MULTILINE)
_END = re.compile(r"^(#|Source:)", re.MULTILINE)


@dataclass(frozen=True)
class Clause:
    """One normative clause: its identifier, its title and its text as it stands on the page."""

    id: str
    title: str
    text: str

    @property
    def paragraph(self) -> str:
        """The text on one line."""
        return " ".join(self.text.split())


@cache
def clauses() -> dict[str, Clause]:
    """Return every clause of ``spec/*.md`` and ``spec/schemes/*.md`` by its identifier.

    Examples
    --------
    >>> clauses()["rope.C1"].title
    'frequencies'
    """
    spec = operation.home("spec")
    found: dict[str, Clause] = {}
    for page in [*sorted(spec.glob("*.md")), *sorted((spec / "schemes").glob("*.md"))]:
        for clause in read(page.read_text("utf-8")):
            if clause.id in found:
                raise ValueError(f"{page.name}: clause {clause.id} is written twice")
            found[clause.id] = clause
    return found


def read(page: str) -> list[Clause]:
    """Return the clauses of one page, each with its identifier, title and text."""
    starts = list(_START.finditer(page))
    found = []
    for index, start in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(page)
        text = page[start.end() : end]
        stop = _END.search(text)
        found.append(Clause(start[1], start[2], text[: stop.start() if stop else None].strip()))
    return found
