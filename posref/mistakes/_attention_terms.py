"""Known wrong implementations of ``attention.score_terms``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, replaced
from posref.operation import Mistake

NAME: Final = "attention.score_terms"
Terms = tuple[Array, ...]


def exchanged(right: Terms, arguments: Arguments) -> Terms:
    """Exchange the two cross terms."""
    return right[0], right[2], right[1], right[3]


def dropped(right: Terms, arguments: Arguments) -> Terms:
    """Count content with content and position with position only."""
    return right[0], np.zeros_like(right[1]), np.zeros_like(right[2]), right[3]


def merged(right: Terms, arguments: Arguments) -> Terms:
    """Leave position with position out."""
    return right[0], right[1], right[2], np.zeros_like(right[3])


def keys_only(arguments: Arguments) -> Arguments:
    """Use the encodings of the keys for the queries too."""
    keys = np.asarray(arguments["position_k"])
    queries = np.asarray(arguments["position_q"])
    places = np.minimum(np.arange(queries.shape[-2]), max(keys.shape[-2] - 1, 0))
    return {"position_q": keys[..., places, :]} if keys.shape[-2] else {}


def first_row(arguments: Arguments) -> Arguments:
    """Read the keys of the first row for every row."""
    found = {}
    for name in ("content_k", "position_k"):
        keys = np.asarray(arguments[name])
        found[name] = np.broadcast_to(keys[:1], keys.shape) if keys.ndim > 2 else keys
    return found


def _scaled(change: Callable[[float, Arguments], float]) -> Callable[..., Any]:
    return altered(NAME, lambda arguments: {"scale": change(arguments["scale"], arguments)})


def _mistake(name: str, flag: str, text: str, function: Any, **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, "", check)


CALL: Final[dict[str, Any]] = {
    "inputs": {
        "content_q": [[1.0, 2.0]],
        "position_q": [[3.0, -1.0]],
        "content_k": [[4.0, 1.0]],
        "position_k": [[0.5, 2.0]],
    },
    "params": {"scale": 0.5},
}
"""The four terms are 3, 2.25, 5.5 and -0.25."""

MISTAKES: Final = (
    _mistake(
        "cross-exchanged",
        "term-order",
        "content-position and position-content interchanged give",
        replaced(NAME, exchanged),
        **CALL,
        output=[3.0, 5.5, 2.25, -0.25],
    ),
    _mistake(
        "cross-dropped",
        "cross-terms",
        "a score of content plus a score of position gives: both cross terms are missing",
        replaced(NAME, dropped),
        **CALL,
        output=[3.0, 0.0, 0.0, -0.25],
    ),
    _mistake(
        "position-dropped",
        "cross-terms",
        "three terms give: position with position is missing",
        replaced(NAME, merged),
        **CALL,
        output=[3.0, 2.25, 5.5, 0.0],
    ),
    _mistake(
        "keys-only", "term-sides", "the keys' encodings give for the queries too", altered(NAME, keys_only)
    ),
    _mistake("scale-forgotten", "scale-missing", "unscaled terms give", _scaled(lambda scale, _: 1.0)),
    _mistake(
        "scale-twice",
        "scale-twice",
        "`scale` applied twice gives",
        _scaled(lambda scale, _: scale * scale),
        **CALL,
        output=[1.5, 1.125, 2.75, -0.125],
    ),
    _mistake(
        "scale-from-width",
        "scale-assumed",
        "1/sqrt(D) gives where another `scale` is declared",
        _scaled(lambda _, arguments: np.asarray(arguments["content_q"]).shape[-1] ** -0.5),
    ),
    _mistake(
        "scale-shared",
        "term-count",
        "a scale divided among the terms gives: 1/sqrt(4 D) for four of them",
        _scaled(lambda scale, _: scale / 2),
    ),
    _mistake(
        "keys-of-row-0", "batch-rows", "the first row's keys give for every row", altered(NAME, first_row)
    ),
)
