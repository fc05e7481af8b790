"""Known wrong implementations of ``deberta.scores``."""

from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, reference
from posref.mistakes._relative import index_of_row_0, index_reversed, index_shifted
from posref.operation import Mistake

NAME = "deberta.scores"


def _scores(arguments: Arguments, **changes: Any) -> Array:
    return np.asarray(reference(NAME, {**arguments, **changes}))


def _split(arguments: Arguments, terms: list[str], **changes: Any) -> Array:
    """Return the chosen ones of the given terms, with changes; 0 if none is chosen."""
    kept = [name for name in arguments["terms"] if name in terms]
    if kept:
        return _scores(arguments, terms=kept, **changes)
    return np.zeros((arguments["q"].shape[0], *arguments["index"].shape))


def _without(term: str) -> Any:
    def compute(arguments: Arguments) -> Array:
        return _split(arguments, [name for name in ("c2c", "c2p", "p2c") if name != term])

    return called(NAME, compute)


def p2c_reversed(arguments: Arguments) -> Array:
    """Read the position queries at the opposite distance."""
    rows = arguments["pos_q"].shape[-2]
    other = np.clip(rows - arguments["index"], 0, rows - 1)
    return _split(arguments, ["c2c", "c2p"]) + _split(arguments, ["p2c"], index=other)


def p2c_transposed(arguments: Arguments) -> Array:
    """Read the row of key i and query j, as far as there is one."""
    index = arguments["index"]
    queries, keys = index.shape
    other = index
    if index.size:
        at_query = np.minimum(np.arange(keys), queries - 1)[None, :]
        other = index[at_query, np.minimum(np.arange(queries), keys - 1)[:, None]]
    return _split(arguments, ["c2c", "c2p"]) + _split(arguments, ["p2c"], index=other)


def p2c_with_query(arguments: Arguments) -> Array:
    """Multiply the position queries by the query."""
    own = _split({**arguments, "terms": ["c2p"]}, ["c2p"], pos_k=arguments["pos_q"])
    return np.asarray(_split(arguments, ["c2c", "c2p"]) + own * ("p2c" in arguments["terms"]))


def position_not_scaled(arguments: Arguments) -> Array:
    """Scale the content term alone."""
    return _split(arguments, ["c2c"]) + _split(arguments, ["c2p", "p2c"], scale=1.0)


def content_not_scaled(arguments: Arguments) -> Array:
    """Scale the position terms alone."""
    return _split(arguments, ["c2c"], scale=1.0) + _split(arguments, ["c2p", "p2c"])


def _exchanged(arguments: Arguments) -> Arguments:
    return {"pos_q": arguments["pos_k"], "pos_k": arguments["pos_q"]}


def _first_head(arguments: Arguments) -> Arguments:
    return {name: np.broadcast_to(arguments[name][:1], arguments[name].shape) for name in ("pos_q", "pos_k")}


def _from_width(arguments: Arguments) -> Arguments:
    return {"scale": (arguments["q"].shape[-1] * len(arguments["terms"])) ** -0.5}


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


SMALL: Final = {
    "q": [[[2.0]]],
    "k": [[[3.0]]],
    "pos_q": [[[1.0], [10.0], [100.0], [1000.0]]],
    "pos_k": [[[5.0], [50.0], [500.0], [5000.0]]],
    "index": [[1]],
}
"""c2c 6, c2p 100, p2c 30."""

ALL: Final = {"terms": ["c2c", "c2p", "p2c"], "scale": 1.0}

MISTAKES: Final = (
    _mistake(
        "p2c-reversed",
        "p2c-sign",
        "position queries at the opposite distance give",
        called(NAME, p2c_reversed),
        "https://github.com/microsoft/DeBERTa/issues/47",
        inputs=SMALL,
        params=ALL,
        output=[3106.0],
    ),
    _mistake(
        "p2c-transposed",
        "p2c-transposed",
        "a transposed index gives in the position-to-content term",
        called(NAME, p2c_transposed),
    ),
    _mistake(
        "p2c-with-query",
        "position-operand",
        "queries times position queries give where keys are declared",
        called(NAME, p2c_with_query),
        inputs=SMALL,
        params=ALL,
        output=[126.0],
    ),
    _mistake(
        "tables-exchanged",
        "tables-exchanged",
        "position queries and position keys exchanged give",
        altered(NAME, _exchanged),
        inputs=SMALL,
        params=ALL,
        output=[176.0],
    ),
    _mistake("c2c-missing", "term-missing", "no content-to-content term gives", _without("c2c")),
    _mistake("c2p-missing", "term-missing", "no content-to-position term gives", _without("c2p")),
    _mistake("p2c-missing", "term-missing", "no position-to-content term gives", _without("p2c")),
    _mistake(
        "all-terms",
        "terms-ignored",
        "all three terms give where fewer are declared",
        altered(NAME, lambda arguments: {"terms": ["c2c", "c2p", "p2c"]}),
    ),
    _mistake(
        "position-not-scaled",
        "scale-terms",
        "unscaled position terms give",
        called(NAME, position_not_scaled),
        inputs=SMALL,
        params=ALL | {"scale": 0.5},
        output=[133.0],
    ),
    _mistake(
        "content-not-scaled",
        "scale-terms",
        "an unscaled content term gives",
        called(NAME, content_not_scaled),
    ),
    _mistake(
        "scale-forgotten",
        "scale-missing",
        "unscaled scores give",
        altered(NAME, lambda arguments: {"scale": 1.0}),
    ),
    _mistake(
        "scale-from-width",
        "scale-assumed",
        "1/sqrt(D * number of terms) gives where another `scale` is declared",
        altered(NAME, _from_width),
    ),
    _mistake(
        "table-reversed",
        "table-reversed",
        "rows counted from the end of the tables give",
        altered(NAME, index_reversed("pos_k")),
    ),
    _mistake(
        "table-shifted", "table-shifted", "rows one too high give", altered(NAME, index_shifted("pos_k"))
    ),
    _mistake(
        "index-of-query-0",
        "index-row",
        "the rows of the first query give for all queries",
        altered(NAME, index_of_row_0),
    ),
    _mistake(
        "tables-of-head-0",
        "table-heads",
        "the positions of the first head give in every head",
        altered(NAME, _first_head),
    ),
)
