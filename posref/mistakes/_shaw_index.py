"""Known wrong implementations of ``shaw.index``."""

from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, moved
from posref.mistakes._relative import aligned_at_end, offsets, query_from_0
from posref.operation import Mistake

NAME = "shaw.index"


def _rows(offset: Array, left: int, right: int) -> Array:
    return np.asarray(np.clip(offset, -left, right) + left)


def query_minus_key(arguments: Arguments) -> Array:
    """Clip q - k."""
    return _rows(-offsets(arguments), arguments["clip_left"], arguments["clip_right"])


def sides_exchanged(arguments: Arguments) -> Array:
    """Clip the past at the limit of the future."""
    return _rows(offsets(arguments), arguments["clip_right"], arguments["clip_left"])


def one_clip(arguments: Arguments) -> Array:
    """Clip both sides at the left limit."""
    return _rows(offsets(arguments), arguments["clip_left"], arguments["clip_left"])


def not_clipped(arguments: Arguments) -> Array:
    """Leave far offsets as they are."""
    return np.asarray(offsets(arguments) + arguments["clip_left"])


def from_0(arguments: Arguments) -> Array:
    """Clip, and forget to move the origin."""
    return np.asarray(
        _rows(offsets(arguments), arguments["clip_left"], arguments["clip_right"]) - arguments["clip_left"]
    )


def clipped_short(arguments: Arguments) -> Array:
    """Clip one short of both limits."""
    left, right = arguments["clip_left"], arguments["clip_right"]
    return np.asarray(np.clip(offsets(arguments), -max(left - 1, 0), max(right - 1, 0)) + left)


def wrapped(arguments: Arguments) -> Array:
    """Wrap far offsets around the table."""
    left, right = arguments["clip_left"], arguments["clip_right"]
    return np.asarray((offsets(arguments) + left) % (left + right + 1))


def unsigned(arguments: Arguments) -> Array:
    """Clip the distance: past and future share rows."""
    return _rows(np.abs(offsets(arguments)), arguments["clip_left"], arguments["clip_right"])


def future_at_0(arguments: Arguments) -> Array:
    """Give all keys of the future the row of offset 0."""
    return _rows(np.minimum(offsets(arguments), 0), arguments["clip_left"], arguments["clip_right"])


def _mistake(flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    name = function.__name__.replace("_", "-")
    run = altered(NAME, function) if function in (query_from_0, aligned_at_end) else called(NAME, function)
    return Mistake(name, NAME, flag, f"your output is what {text}", run, report, check)


FIVE: Final = {"q_positions": [2], "k_positions": [0, 1, 2, 3, 4]}

MISTAKES: Final = (
    _mistake(
        "relative-direction",
        "query minus key gives: the table is read from its other end",
        query_minus_key,
        inputs=FIVE,
        params={"clip_left": 2, "clip_right": 2},
        output=[4, 3, 2, 1, 0],
    ),
    _mistake("clip-sides", "the two clips exchanged give", sides_exchanged),
    _mistake("clip-sides", "the left clip on both sides gives", one_clip),
    _mistake("clip-missing", "unclipped offsets give", not_clipped),
    _mistake(
        "clip-origin",
        "offsets from 0 give: the left clip was not added",
        from_0,
        inputs=FIVE,
        params={"clip_left": 2, "clip_right": 2},
        output=[-2, -1, 0, 1, 2],
    ),
    _mistake("clip-range", "a clip one short gives: the rows at both ends are never read", clipped_short),
    _mistake("clip-wrapped", "offsets modulo the rows of the table give", wrapped),
    _mistake("unsigned-position", "the distance gives: past and future look the same", unsigned),
    _mistake("future-clipped", "a causal rule gives: keys of the future are all at 0", future_at_0),
    _mistake(
        "restarted-positions",
        "a query counted from 0 gives: the number of cached keys is forgotten",
        query_from_0,
        "https://github.com/huggingface/candle/issues/899",
    ),
    _mistake(
        "end-alignment", "indices aligned at the last key give where positions are declared", aligned_at_end
    ),
    *moved(NAME, "positions-consecutive", "positions-of-row-0"),
)
