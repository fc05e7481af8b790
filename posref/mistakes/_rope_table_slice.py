"""Known wrong implementations of ``rope.table_slice``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, Implementation, altered, called
from posref.operation import Mistake

NAME: Final = "rope.table_slice"


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


Rows = Callable[[int, int, int], Array]
"""Offset, length and rows of the table -> the rows that are read."""


def _reading(cos: Rows, sin: Rows) -> Implementation:
    """Return the rows at other places, kept inside the table."""

    def compute(given: Arguments) -> tuple[Array, Array]:
        found = []
        for name, rows in (("cos", cos), ("sin", sin)):
            table = np.asarray(given[name], np.float64)
            where = rows(given["offset"], given["length"], len(table))
            found.append(table[np.clip(where, 0, len(table) - 1)])
        return found[0], found[1]

    return called(NAME, compute)


def right(offset: int, length: int, count: int) -> Array:
    """Return the rows that are asked for."""
    return offset + np.arange(length)


def from_0(offset: int, length: int, count: int) -> Array:
    """Forget the offset."""
    return np.arange(length)


def next_row(offset: int, length: int, count: int) -> Array:
    """Count from 1."""
    return right(offset, length, count) + 1


def at_end(offset: int, length: int, count: int) -> Array:
    """Align the last token with the last row."""
    return np.arange(count - length, count)


def one_row(offset: int, length: int, count: int) -> Array:
    """Read the first row for every token."""
    return np.full(length, offset)


def exchanged(given: Arguments) -> Arguments:
    """Take each table for the other."""
    return {"cos": given["sin"], "sin": given["cos"]}


TABLE: Final[dict[str, Any]] = {
    "inputs": {"cos": [[1.0], [2.0], [3.0], [4.0]], "sin": [[-1.0], [-2.0], [-3.0], [-4.0]]},
    "params": {"offset": 1, "length": 2},
}
"""Rows of the value of their number from 1."""

MISTAKES: Final = (
    _mistake(
        "rows-from-0",
        "restarted-positions",
        "rows from 0 give: the offset is forgotten",
        _reading(from_0, from_0),
        "https://github.com/keras-team/keras-hub/issues/1544",
        **TABLE,
        output=[1.0, 2.0, -1.0, -2.0],
    ),
    _mistake(
        "sines-from-0",
        "restarted-positions",
        "sines from row 0 give: only the cosines know the offset",
        _reading(right, from_0),
    ),
    _mistake(
        "row-after",
        "shifted-position",
        "rows one too far give: positions are counted from 1",
        _reading(next_row, next_row),
        **TABLE,
        output=[3.0, 4.0, -3.0, -4.0],
    ),
    _mistake("rows-at-end", "end-alignment", "the last rows of the table give", _reading(at_end, at_end)),
    _mistake(
        "one-row-for-all",
        "row-repeated",
        "the row of the first token gives for every token",
        _reading(one_row, one_row),
        "https://github.com/NVIDIA/TransformerEngine/issues/536",
        **TABLE,
        output=[2.0, 2.0, -2.0, -2.0],
    ),
    _mistake(
        "sine-cosine-exchanged",
        "sine-cosine-order",
        "sines and cosines interchanged give",
        altered(NAME, exchanged),
    ),
)
