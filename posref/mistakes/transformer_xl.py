"""Known wrong implementations of the operations in `spec/schemes/transformer_xl.md`."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, reference
from posref.mistakes._relative import aligned_at_end, offsets, query_from_0
from posref.operation import Mistake

NAME = "transformer_xl.scores"


def _scores(arguments: Arguments, **changes: Any) -> Array:
    return np.asarray(reference(NAME, {**arguments, **changes}))


def _content(arguments: Arguments, **changes: Any) -> Array:
    return _scores(arguments, r=np.zeros_like(arguments["r"]), **changes)


def _position(arguments: Arguments, **changes: Any) -> Array:
    return _scores(arguments, k=np.zeros_like(arguments["k"]), **changes)


def _of_distance(arguments: Arguments) -> Array:
    """Return the product of every query with every row, unscaled, (H, Q, N)."""
    query = arguments["q"] + arguments["v"][:, None, :]
    return np.asarray(query @ np.swapaxes(arguments["r"], -1, -2))


def _by_row(rows: Callable[[Arguments], Array]) -> Any:
    """Return an implementation that reads the rows that `rows` says, (Q, K)."""

    def compute(arguments: Arguments) -> Array:
        found = rows(arguments)
        taken = np.take_along_axis(_of_distance(arguments), found[None], axis=-1)
        return np.asarray(_content(arguments) + arguments["scale"] * taken)

    return called(NAME, compute)


def _nearest(arguments: Arguments, wanted: Array) -> Array:
    """Return the row of each distance, or of the nearest one that has a row."""
    gap = np.abs(arguments["distances"][None, None, :] - wanted[..., None])
    return np.asarray(np.argmin(gap, axis=-1).reshape(wanted.shape))


def key_minus_query(arguments: Arguments) -> Array:
    """Return the row of the opposite distance."""
    return _nearest(arguments, offsets(arguments))


def unsigned(arguments: Arguments) -> Array:
    """Return the past's row for the future."""
    return _nearest(arguments, np.abs(offsets(arguments)))


def one_less(arguments: Arguments) -> Array:
    """Return the row of a distance one less."""
    return _nearest(arguments, -offsets(arguments) - 1)


def in_order(arguments: Arguments) -> Array:
    """Return the row by order: the first one listed serves the farthest past."""
    rows = np.max(arguments["distances"]) + offsets(arguments)
    return np.asarray(np.clip(rows, 0, arguments["distances"].size - 1))


def moved_positions(change: Callable[[Arguments], Arguments]) -> Callable[[Arguments], Array]:
    """Return the rows for positions that `change` returns."""
    return lambda arguments: _nearest(arguments, -offsets({**arguments, **change(arguments)}))


def shifted(arguments: Arguments) -> Array:
    """Shift every row of products by the trick: beyond the last distance the next row's are read."""
    given = _of_distance(arguments)[..., np.argsort(-arguments["distances"], kind="stable")]
    heads, queries, count = given.shape
    padded = np.concatenate([np.zeros((heads, queries, 1)), given], axis=-1)
    turned = padded.reshape(heads, count + 1, queries)[:, 1:].reshape(heads, queries, count)
    keys = arguments["k"].shape[-2]
    wide = np.concatenate([turned, np.zeros((heads, queries, keys))], axis=-1)[..., :keys]
    return np.asarray(_content(arguments) + arguments["scale"] * wide)


def position_not_scaled(arguments: Arguments) -> Array:
    """Scale the content term alone."""
    return _content(arguments) + _position(arguments, scale=1.0)


def content_not_scaled(arguments: Arguments) -> Array:
    """Scale the position term alone."""
    return _content(arguments, scale=1.0) + _position(arguments)


def _zero(name: str) -> Any:
    return altered(NAME, lambda arguments: {name: np.zeros_like(arguments[name])})


def _first_head(arguments: Arguments) -> Arguments:
    return {name: np.broadcast_to(arguments[name][:1], arguments[name].shape) for name in ("u", "v")}


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


SMALL: Final = {
    "q": [[[1.0]]],
    "k": [[[2.0], [3.0], [4.0]]],
    "r": [[[10.0], [100.0], [1000.0]]],
    "distances": [1, 0, -1],
    "u": [[0.5]],
    "v": [[1.0]],
    "q_positions": [7],
    "k_positions": [6, 7, 8],
}
"""Content 3, 4.5, 6; position 20, 200, 2000."""

ONE: Final = {"scale": 1.0}

MISTAKES: Final = (
    _mistake(
        "global-queries-exchanged",
        "global-queries",
        "u and v exchanged give",
        altered(NAME, lambda arguments: {"u": arguments["v"], "v": arguments["u"]}),
        inputs=SMALL,
        params=ONE,
        output=[19.0, 156.0, 1508.0],
    ),
    _mistake("u-missing", "global-missing", "no global query for content gives", _zero("u")),
    _mistake("v-missing", "global-missing", "no global query for position gives", _zero("v")),
    _mistake(
        "global-queries-of-head-0",
        "table-heads",
        "the first head's u and v give in every head",
        altered(NAME, _first_head),
    ),
    _mistake(
        "key-minus-query",
        "offset-direction",
        "rows of the opposite distance give",
        _by_row(key_minus_query),
        inputs=SMALL,
        params=ONE,
        output=[2003.0, 204.5, 26.0],
    ),
    _mistake(
        "distance-unsigned",
        "distance-unsigned",
        "rows of the past give for keys of the future",
        _by_row(unsigned),
        "https://github.com/speechbrain/speechbrain/issues/3070",
        inputs=SMALL,
        params=ONE,
        output=[23.0, 204.5, 26.0],
    ),
    _mistake("distance-one-less", "distance-shifted", "rows of a distance one less give", _by_row(one_less)),
    _mistake(
        "rows-in-order",
        "distance-order",
        "rows taken in their order give, from the farthest past on: `distances` was not read",
        _by_row(in_order),
    ),
    _mistake(
        "shift-trick",
        "relative-shift",
        "the shift trick gives: beyond the last distance it reads another query's products",
        called(NAME, shifted),
        "https://github.com/espnet/espnet/issues/2684",
    ),
    _mistake("position-term-missing", "term-missing", "no position term gives", called(NAME, _content)),
    _mistake(
        "content-term-missing", "term-missing", "the position term alone gives", called(NAME, _position)
    ),
    _mistake(
        "position-not-scaled",
        "scale-terms",
        "an unscaled position term gives",
        called(NAME, position_not_scaled),
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
        "query-from-0",
        "restarted-positions",
        "a query counted from 0 gives: the length of the memory is forgotten",
        _by_row(moved_positions(query_from_0)),
    ),
    _mistake(
        "aligned-at-end",
        "end-alignment",
        "indices aligned at the last key give where positions are declared",
        _by_row(moved_positions(aligned_at_end)),
    ),
)
