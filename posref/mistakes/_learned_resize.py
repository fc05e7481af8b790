"""Known wrong implementations of ``learned.resize``."""

from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called
from posref.operation import Mistake

NAME: Final = "learned.resize"


def coordinates(arguments: Arguments) -> Array:
    """Return where each row reads, before the clamp."""
    rows, length = len(arguments["table"]), arguments["length"]
    r = np.arange(length)
    if arguments["align_corners"]:
        return np.asarray(r * (rows - 1) / max(length - 1, 1))
    return np.asarray((r + 0.5) * rows / length - 0.5)


def between(table: Array, places: Array, *, swapped: bool = False, clamped: bool = True) -> Array:
    """Return the table interpolated at `places`."""
    last = len(table) - 1
    inside = np.clip(places, 0, last) if clamped else places
    low = np.clip(np.floor(inside), 0, max(last - 1, 0)).astype(np.int64)
    part = (inside - low)[:, None]
    first, second = (part, 1 - part) if swapped else (1 - part, part)
    if last == 0:
        return np.asarray(table[low] * 1.0)
    return np.asarray(first * table[low] + second * table[low + 1])


def unclamped(arguments: Arguments) -> Array:
    """Go on in a straight line beyond the first and the last row."""
    return between(np.asarray(arguments["table"]), coordinates(arguments), clamped=False)


def from_edges(arguments: Arguments) -> Array:
    """Read at r N / M, without the half that leads to the centres."""
    table, length = np.asarray(arguments["table"]), arguments["length"]
    return between(table, np.arange(length) * len(table) / length)


def scale_handed_over(arguments: Arguments) -> Array:
    """Read by a scale factor made of a length 0.1 too long, a guard against one that is cut short."""
    table, length = np.asarray(arguments["table"]), arguments["length"]
    if arguments["align_corners"] or length == len(table):
        return between(table, coordinates(arguments))
    return between(table, (np.arange(length) + 0.5) * len(table) / (length + 0.1) - 0.5)


def nearest(arguments: Arguments) -> Array:
    """Take the nearest row."""
    table = np.asarray(arguments["table"], np.float64)
    places = np.clip(coordinates(arguments), 0, len(table) - 1)
    return table[np.floor(places + 0.5).astype(np.int64)]


def swapped_weights(arguments: Arguments) -> Array:
    """Exchange the weights of the two rows."""
    return between(np.asarray(arguments["table"]), coordinates(arguments), swapped=True)


def repeated(arguments: Arguments) -> Array:
    """Begin the table again where it ends, or cut it off."""
    table = np.asarray(arguments["table"], np.float64)
    return table[np.arange(arguments["length"]) % len(table)]


def held(arguments: Arguments) -> Array:
    """Keep the rows as they are and repeat the last one, or cut off."""
    table = np.asarray(arguments["table"], np.float64)
    return table[np.minimum(np.arange(arguments["length"]), len(table) - 1)]


def flattened(arguments: Arguments) -> Array:
    """Interpolate the table as one long vector."""
    table, length = np.asarray(arguments["table"]), arguments["length"]
    long = {**arguments, "table": table.reshape(-1, 1), "length": length * table.shape[1]}
    return between(long["table"], coordinates(long)).reshape(length, -1)


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _two(align_corners: bool) -> dict[str, Any]:
    """Return a call with the rows 0 and 4, made four: 0, 1, 3, 4 by centres, 0, 4/3, 8/3, 4 by corners."""
    return {"inputs": {"table": [[0.0], [4.0]]}, "params": {"length": 4, "align_corners": align_corners}}


MISTAKES: Final = (
    _mistake(
        "other-corners",
        "corner-rule",
        "the other corner rule gives: centres and ends interchanged",
        altered(NAME, lambda arguments: {"align_corners": not arguments["align_corners"]}),
        **_two(False),
        output=[0.0, 4 / 3, 8 / 3, 4.0],
    ),
    _mistake(
        "unclamped",
        "resize-clamp",
        "a straight line beyond the table's ends gives",
        called(NAME, unclamped),
        **_two(False),
        output=[-1.0, 1.0, 3.0, 5.0],
    ),
    _mistake(
        "from-edges",
        "row-centres",
        "coordinates r N / M give: neither centres nor corners",
        called(NAME, from_edges),
        **_two(False),
        output=[0.0, 2.0, 4.0, 4.0],
    ),
    _mistake(
        "scale-of-a-longer-table",
        "resize-scale",
        "a scale factor for a length 0.1 too long gives",
        called(NAME, scale_handed_over),
    ),
    _mistake("nearest", "interpolation-kind", "the nearest row gives", called(NAME, nearest)),
    _mistake(
        "weights-exchanged",
        "weights-exchanged",
        "weights interchanged between the two rows give",
        called(NAME, swapped_weights),
        **_two(False),
        output=[4.0, 3.0, 1.0, 0.0],
    ),
    _mistake("repeated", "table-repeated", "a table begun again where it ends gives", called(NAME, repeated)),
    _mistake("held", "table-repeated", "the last row repeated gives", called(NAME, held)),
    _mistake(
        "flattened", "resize-axis", "the table interpolated across its columns gives", called(NAME, flattened)
    ),
)
