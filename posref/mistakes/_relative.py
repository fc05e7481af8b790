"""Wrong relative positions and wrong rows, shared by the schemes that look a vector up by distance."""

from collections.abc import Callable
from typing import Any

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered
from posref.operation import signature
from posref.reference import positions


def offsets(arguments: Arguments) -> Array:
    """Return key minus query."""
    return np.asarray(positions.relative(arguments["q_positions"], arguments["k_positions"]))


def query_from_0(arguments: Arguments) -> Arguments:
    """Count the queries from 0 and keep the positions of the keys."""
    query = arguments["q_positions"]
    return {"q_positions": np.broadcast_to(np.arange(query.shape[-1]), query.shape)}


def aligned_at_end(arguments: Arguments) -> Arguments:
    """Align the last query with the last key, by indices."""
    query, key = arguments["q_positions"], arguments["k_positions"]
    first, count = key.shape[-1] - query.shape[-1], key.shape[-1]
    return {
        "q_positions": np.broadcast_to(np.arange(first, count), query.shape),
        "k_positions": np.broadcast_to(np.arange(count), key.shape),
    }


def index_reversed(table: str) -> Callable[[Arguments], Arguments]:
    """Return a change: rows counted from the last one of `table`."""
    return lambda arguments: {"index": arguments[table].shape[-2] - 1 - arguments["index"]}


def index_shifted(table: str) -> Callable[[Arguments], Arguments]:
    """Return a change: rows counted from 1, the last one twice."""
    return lambda arguments: {"index": np.minimum(arguments["index"] + 1, arguments[table].shape[-2] - 1)}


def index_of_row_0(arguments: Arguments) -> Arguments:
    """Use the rows of the first query for all of them."""
    index = arguments["index"]
    return {"index": np.broadcast_to(index[:1], index.shape)}


def row_0(operation: str, name: str) -> Any:
    """Return an implementation that reads the first row of the batch of one input for every row."""
    rank = len(signature(operation).main[0].shape.replace("...", "").split())

    def change(arguments: Arguments) -> Arguments:
        value = np.asarray(arguments[name])
        return {name: np.broadcast_to(value[:1], value.shape) if value.ndim > rank else value}

    return altered(operation, change)
