"""Products of many rows with many rows, of which only some are wide at a time."""

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import Any, Final

import numpy as np

from posref.numerics.given import Given
from posref.numerics.pieces import spans

WIDE: Final = 2**19
"""Numbers of a factor that are wide at a time."""

LARGE: Final = 2**20
"""Numbers of a piece of a matrix of scores."""


def score_sizes(given: Given, *tables: str) -> dict[str, Any]:
    """Return how to cut a matrix of scores along Q and K: arguments of `by_pieces`.

    Queries and keys are `D` wide, and each also meets the rows of `tables`, axes by name.
    """
    width, rows = given.axes["D"], sum(given.axes[name] for name in tables)
    base = (given.axes["Q"] + given.axes["K"] + rows) * width
    return {"each": 1 + (width + rows) // 16, "base": base, "most": LARGE, "square": True}


def row_sizes(given: Given, width: int) -> dict[str, Any]:
    """Return how to cut rows of scores along Q, with `width` numbers more each: arguments of `by_pieces`."""
    keys = given.axes["K"]
    return {"each": keys + width, "base": keys * width, "most": LARGE // 2}


def key_spans(part: Given) -> Any:
    """Return slices of the keys, so few at a time that each may have a row `D` wide."""
    keys, queries = part.axes["K"], max(1, part.axes["Q"])
    return spans(keys, LARGE // (part.axes["D"] * queries) if part.space.is_numpy else keys)


def total(parts: Iterable[Any]) -> Any:
    """Return the sum of one or more arrays, the first as it is."""
    return reduce(add, parts)


def in_rows(given: Given, array: Any) -> Any:
    """Return the array with its rows one after the other: how they lie decides in what order NumPy adds."""
    return np.ascontiguousarray(array) if given.space.is_numpy else array


def against(given: Given, left: Any, name: str) -> Any:
    """Return the products of the rows of `left` with the rows of an input, ``left @ input.T``."""
    left = in_rows(given, left)
    if _is_short(given, name):
        return given.xp.matmul(left, given.xp.matrix_transpose(in_rows(given, getattr(given, name))))
    parts = [np.matmul(left, np.matrix_transpose(part)) for _, part in _spans(given, name)]
    return np.concat(parts, axis=-1)


def weighed(given: Given, weights: Any, name: str) -> Any:
    """Return the rows of an input weighed and summed, ``weights @ input``."""
    if _is_short(given, name):
        return given.xp.matmul(in_rows(given, weights), in_rows(given, getattr(given, name)))
    return total(np.matmul(in_rows(given, weights[..., place]), part) for place, part in _spans(given, name))


def _is_short(given: Given, name: str) -> bool:
    return not given.space.is_numpy or given.stored[name].size <= WIDE


def _spans(given: Given, name: str) -> Any:
    """Yield the rows of an input, wide, a few at a time, with their place."""
    array = given.stored[name]
    step = max(1, WIDE * array.shape[-2] // array.size)
    for place in spans(array.shape[-2], step):
        yield place, in_rows(given, given.space.widen(array[..., place, :], given.dtypes[name]))
