"""Known wrong implementations of ``shaw.scores`` and ``shaw.output``."""

from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, reference
from posref.mistakes._relative import index_of_row_0, index_reversed, index_shifted, row_0
from posref.operation import Mistake

SCORES, OUTPUT = "shaw.scores", "shaw.output"


def _scores(arguments: Arguments, **changes: Any) -> Array:
    return np.asarray(reference(SCORES, {**arguments, **changes}))


def _content(arguments: Arguments, **changes: Any) -> Array:
    return _scores(arguments, table_k=np.zeros_like(arguments["table_k"]), **changes)


def _position(arguments: Arguments, **changes: Any) -> Array:
    return _scores(arguments, k=np.zeros_like(arguments["k"]), **changes)


def position_not_scaled(arguments: Arguments) -> Array:
    """Scale the content term alone."""
    return _content(arguments) + _position(arguments, scale=1.0)


def content_not_scaled(arguments: Arguments) -> Array:
    """Scale the position term alone."""
    return _content(arguments, scale=1.0) + _position(arguments)


def key_meets_table(arguments: Arguments) -> Array:
    """Multiply the vector of the offset by the key."""
    rows = arguments["table_k"][arguments["index"]]
    other = (arguments["k"][..., None, :, :] * rows).sum(axis=-1) * arguments["scale"]
    return np.asarray(_content(arguments) + other)


def _weighted(arguments: Arguments, **changes: Any) -> Array:
    return np.asarray(reference(OUTPUT, {**arguments, **changes}))


def not_weighted(arguments: Arguments) -> Array:
    """Add the vectors of the offsets without their weights."""
    plain = _weighted(arguments, table_v=np.zeros_like(arguments["table_v"]))
    return np.asarray(plain + arguments["table_v"][arguments["index"]].sum(axis=-2))


def normalised(arguments: Arguments) -> Array:
    """Divide the weights by their sum."""
    weights = arguments["weights"]
    total = weights.sum(axis=-1, keepdims=True)
    return _weighted(arguments, weights=weights / np.where(total == 0, 1.0, total))


def _mistake(
    operation: str, name: str, flag: str, text: str, function: Any, report: str = "", **check: Any
) -> Mistake:
    return Mistake(name, operation, flag, f"your output is what {text}", function, report, check)


SMALL: Final = {
    "q": [[1.0, 2.0]],
    "k": [[3.0, 4.0]],
    "table_k": [[0.0, 0.0], [0.5, 1.0], [0.0, 4.0]],
    "index": [[1]],
}
"""Content 11, position 2.5."""

WEIGHED: Final = {
    "weights": [[0.25, 0.5]],
    "v": [[4.0], [8.0]],
    "table_v": [[1.0], [2.0], [16.0]],
    "index": [[0, 1]],
}
"""Content 5, position 1.25."""

MISTAKES: Final = (
    _mistake(
        SCORES,
        "position-not-scaled",
        "scale-terms",
        "an unscaled position term gives",
        called(SCORES, position_not_scaled),
        inputs=SMALL,
        params={"scale": 0.5},
        output=[8.0],
    ),
    _mistake(
        SCORES,
        "content-not-scaled",
        "scale-terms",
        "an unscaled content term gives",
        called(SCORES, content_not_scaled),
        inputs=SMALL,
        params={"scale": 0.5},
        output=[12.25],
    ),
    _mistake(
        SCORES,
        "scale-forgotten",
        "scale-missing",
        "unscaled scores give",
        altered(SCORES, lambda arguments: {"scale": 1.0}),
    ),
    _mistake(
        SCORES,
        "scale-twice",
        "scale-twice",
        "`scale` applied twice gives",
        altered(SCORES, lambda arguments: {"scale": arguments["scale"] ** 2}),
    ),
    _mistake(
        SCORES,
        "position-term-missing",
        "term-missing",
        "no position term gives",
        called(SCORES, _content),
        inputs=SMALL,
        params={"scale": 1.0},
        output=[11.0],
    ),
    _mistake(
        SCORES,
        "content-term-missing",
        "term-missing",
        "the position term alone gives",
        called(SCORES, _position),
    ),
    _mistake(
        SCORES,
        "key-meets-table",
        "position-operand",
        "the key times the vector of the offset gives where the query is declared",
        called(SCORES, key_meets_table),
    ),
    _mistake(
        SCORES,
        "table-reversed",
        "table-reversed",
        "rows counted from the end of the table give",
        altered(SCORES, index_reversed("table_k")),
    ),
    _mistake(
        SCORES,
        "table-shifted",
        "table-shifted",
        "rows one too high give",
        altered(SCORES, index_shifted("table_k")),
    ),
    _mistake(
        SCORES,
        "index-of-query-0",
        "index-row",
        "the rows of the first query give for all queries",
        altered(SCORES, index_of_row_0),
    ),
    _mistake(
        SCORES,
        "keys-of-row-0",
        "batch-rows",
        "the keys of the first row give for every row of the batch",
        row_0(SCORES, "k"),
    ),
    _mistake(
        OUTPUT,
        "value-term-missing",
        "term-missing",
        "no vectors of offsets give: the keys have them, the values not",
        altered(OUTPUT, lambda arguments: {"table_v": np.zeros_like(arguments["table_v"])}),
        inputs=WEIGHED,
        params={},
        output=[5.0],
    ),
    _mistake(
        OUTPUT,
        "vectors-not-weighted",
        "position-weight",
        "vectors of offsets added without their weights give",
        called(OUTPUT, not_weighted),
        inputs=WEIGHED,
        params={},
        output=[8.0],
    ),
    _mistake(
        OUTPUT,
        "weights-normalised",
        "weights-normalised",
        "weights divided by their sum give where they are used as given",
        called(OUTPUT, normalised),
    ),
    _mistake(
        OUTPUT,
        "table-reversed",
        "table-reversed",
        "rows counted from the end of the table give",
        altered(OUTPUT, index_reversed("table_v")),
    ),
    _mistake(
        OUTPUT,
        "table-shifted",
        "table-shifted",
        "rows one too high give",
        altered(OUTPUT, index_shifted("table_v")),
    ),
    _mistake(
        OUTPUT,
        "table-subtracted",
        "term-sign",
        "subtracted vectors of offsets give",
        altered(OUTPUT, lambda arguments: {"table_v": -arguments["table_v"]}),
    ),
    _mistake(
        OUTPUT,
        "index-of-query-0",
        "index-row",
        "the rows of the first query give for all queries",
        altered(OUTPUT, index_of_row_0),
    ),
    _mistake(
        OUTPUT,
        "values-of-row-0",
        "batch-rows",
        "the values of the first row give for every row of the batch",
        row_0(OUTPUT, "v"),
    ),
)
