"""Known wrong implementations of ``learned.lookup``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, called, consecutive, moved, replaced
from posref.operation import Mistake

NAME: Final = "learned.lookup"


def _read(change: Callable[[Array, Arguments], Array]) -> Callable[..., Any]:
    """Return the rows at the places that `change` makes of the positions, kept inside the table."""

    def compute(arguments: Arguments) -> Array:
        table = np.asarray(arguments["table"])
        places = change(np.asarray(arguments["positions"]), arguments)
        return np.asarray(table[np.clip(places, 0, len(table) - 1)])

    return called(NAME, compute)


def at_end(positions: Array, arguments: Arguments) -> Array:
    """Align the last token with the last row."""
    count, rows = positions.shape[-1], len(arguments["table"])
    return np.broadcast_to(np.arange(rows - count, rows), positions.shape)


def first_is_padding(right: Array, arguments: Arguments) -> Array:
    """Return zeros for position 0, as for the row of a padding index."""
    return np.where(np.asarray(arguments["positions"])[..., None] == 0, 0.0, right)


def narrowed(right: Array, arguments: Arguments) -> Array:
    """Multiply the rows by d ** -0.5."""
    return np.asarray(right * right.shape[-1] ** -0.5)


def widened(right: Array, arguments: Arguments) -> Array:
    """Multiply the rows by sqrt(d)."""
    return np.asarray(right * right.shape[-1] ** 0.5)


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


CALL: Final[dict[str, Any]] = {
    "inputs": {"table": [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], "positions": [0, 1]},
    "params": {"offset": 2},
}
"""Rows of the value of their number from 1: the right ones are 3 and 4."""

MISTAKES: Final = (
    _mistake(
        "offset-missing",
        "table-offset",
        "rows without the offset give",
        _read(lambda positions, _: positions),
        **CALL,
        output=[1.0, 2.0],
    ),
    _mistake(
        "offset-twice",
        "table-offset",
        "the offset applied twice gives: the ids had it already",
        _read(lambda positions, arguments: positions + 2 * arguments["offset"]),
        **CALL,
        output=[5.0, 6.0],
    ),
    _mistake(
        "row-after",
        "shifted-position",
        "rows one too far give: positions are counted from 1",
        _read(lambda positions, arguments: positions + arguments["offset"] + 1),
        **CALL,
        output=[4.0, 5.0],
    ),
    _mistake(
        "rows-consecutive",
        "position-gaps",
        "rows that follow on the first, over every gap, give: rows kept, not tokens seen",
        _read(lambda positions, arguments: consecutive(positions) + arguments["offset"]),
    ),
    _mistake("rows-at-end", "end-alignment", "the last rows of the table give", _read(at_end)),
    _mistake(
        "row-0-zeroed",
        "padding-row",
        "a zero row gives for position 0: it was taken for a padding index",
        replaced(NAME, first_is_padding),
        **CALL,
        output=[0.0, 4.0],
    ),
    _mistake("rows-narrowed", "embedding-scale", "rows times d ** -0.5 give", replaced(NAME, narrowed)),
    _mistake("rows-widened", "embedding-scale", "rows times sqrt(d) give", replaced(NAME, widened)),
    *moved(NAME, "positions-of-last-token", "positions-from-0", "positions-of-row-0"),
)
