"""Rows of a table that each query and key asks for by number."""

import math
from typing import Any

from posref.errors import SpecError
from posref.numerics.given import Given


def check_rows(given: Given, name: str, axis: str, clause: str) -> None:
    """Refuse an index that has no row among those of the named axis."""
    values = given.stored[name]
    count = given.axes[axis]
    if 0 in values.shape:
        return
    for extreme in given.space.extremes(values):
        if not 0 <= extreme < count:
            message = f"must be a row from 0 to {count - 1}, got {extreme}"
            raise SpecError(clause, name, message, "OUT_OF_RANGE")


def take_rows(given: Given, name: str, index: Any) -> Any:
    """Return ``table[index]`` for the input `name`, shape (*shape of index, *shape of a row)."""
    return given.space.widen(rows_at(given, name, index), given.dtypes[name])


def rows_at(given: Given, name: str, index: Any) -> Any:
    """Return the same rows as they are stored."""
    xp, table = given.xp, given.stored[name]
    if given.space.is_numpy:
        return table[index]  # take would copy a table that is not contiguous
    taken = xp.take(table, xp.reshape(index, (math.prod(index.shape),)), axis=0)
    return xp.reshape(taken, (*index.shape, *table.shape[1:]))


def pick(given: Given, products: Any, index: Any) -> Any:
    """Return ``products[..., i, index[i, j]]`` for products (..., I, N) and an index (I, J)."""
    xp = given.xp
    *leading, rows, count = products.shape
    start = given.space.constant([[row * count] for row in range(rows)], "int64")
    where = xp.reshape(xp.reshape(start, (rows, 1)) + index, (math.prod(index.shape),))
    taken = xp.take(xp.reshape(products, (*leading, rows * count)), where, axis=-1)
    return xp.reshape(taken, (*leading, *index.shape))
