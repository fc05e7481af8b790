"""Known wrong implementations of ``rope.rotate_vjp``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, reference
from posref.mistakes._rope_parts import OTHER, rest_dropped
from posref.operation import Mistake
from posref.reference import rope

NAME: Final = "rope.rotate_vjp"

Three = tuple[Array, Array, Array]


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def right(given: Arguments) -> Three:
    """Return the three cotangents."""
    x, cos, sin = reference(NAME, given)
    return np.asarray(x), np.asarray(cos), np.asarray(sin)


def _with(change: Callable[[Three, Arguments], Three]) -> Callable[..., Any]:
    return called(NAME, lambda given: change(right(given), given))


def forward(found: Three, given: Arguments) -> Three:
    """Turn the cotangent as the input was turned."""
    ways = {name: given[name] for name in ("pairing_in", "pairing_out")}
    start = given.get("rotary_start", 0)
    y = rope.rotate(given["grad_y"], given["cos"], given["sin"], rotary_start=start, **ways)
    return np.asarray(y), found[1], found[2]


def copies(given: Arguments) -> Three:
    """Return the cotangents for a table of its own for every row and head."""
    x, count = np.asarray(given["x"]), np.asarray(given["cos"]).shape[-1]
    full = (*x.shape[:-1], count)
    tables = {name: np.broadcast_to(np.asarray(given[name]), full) for name in ("cos", "sin")}
    return right({**given, **tables})


def _reduced(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """Return an implementation that joins the copies of a table otherwise than by their sum."""

    def compute(given: Arguments) -> Three:
        found, parts = right(given), copies(given)
        tables = (_to(reduce, part, table.shape) for part, table in zip(parts[1:], found[1:], strict=True))
        cos, sin = tables
        return found[0], cos, sin

    return called(NAME, compute)


def _to(reduce: Callable[..., Any], values: Array, shape: tuple[int, ...]) -> Array:
    full = (1,) * (values.ndim - len(shape)) + shape
    axes = tuple(axis for axis, size in enumerate(full) if size != values.shape[axis])
    return np.asarray(reduce(values, axes) if axes else values).reshape(shape)


def first(values: Array, axes: tuple[int, ...]) -> Array:
    """Return the first copy."""
    return values[tuple(0 if axis in axes else slice(None) for axis in range(values.ndim))]


def mean(values: Array, axes: tuple[int, ...]) -> Array:
    """Return the mean of the copies."""
    return np.asarray(np.mean(values, axis=axes))


def of_the_result(found: Three, given: Arguments) -> Three:
    """Use what was stored over the input: the rotated pair, where it is read."""
    ways = {"pairing_in": given["pairing_in"], "pairing_out": given["pairing_in"]}
    start = given.get("rotary_start", 0)
    y = np.asarray(rope.rotate(given["x"], given["cos"], given["sin"], rotary_start=start, **ways))
    _, cos, sin = right({**given, "x": y})
    return found[0], cos, sin


def _other_pairings(given: Arguments) -> Arguments:
    return {name: OTHER[given[name]] for name in ("pairing_in", "pairing_out")}


def _pairings_exchanged(given: Arguments) -> Arguments:
    return {"pairing_in": given["pairing_out"], "pairing_out": given["pairing_in"]}


def _dropped(found: Three, given: Arguments) -> Three:
    width = 2 * np.asarray(given["cos"]).shape[-1]
    return rest_dropped(found[0], given.get("rotary_start", 0), width), found[1], found[2]


CALL: Final[dict[str, Any]] = {
    "inputs": {"grad_y": [[1.0, 2.0]], "x": [[3.0, 5.0]], "cos": [[0.5]], "sin": [[0.25]]},
    "params": {"pairing_in": "half", "pairing_out": "half"},
}
"""Right: 1, 0.75, then 13, then 1."""
MISSING = "https://github.com/huggingface/candle/issues/3568"

MISTAKES: Final = (
    _mistake(
        "forward",
        "gradient-direction",
        "the rotation itself gives for the cotangent: it must turn back",
        _with(forward),
        **CALL,
        output=[0.0, 1.25, 13.0, 1.0],
    ),
    _mistake(
        "no-gradient",
        "gradient-missing",
        "zeros give: the operation has no backward pass",
        _with(lambda found, _: (0 * found[0], 0 * found[1], 0 * found[2])),
        MISSING,
        **CALL,
        output=[0.0, 0.0, 0.0, 0.0],
    ),
    _mistake(
        "tables-constant",
        "table-gradient",
        "zeros give for the tables: they were taken for constants",
        _with(lambda found, _: (found[0], 0 * found[1], 0 * found[2])),
        **CALL,
        output=[1.0, 0.75, 0.0, 0.0],
    ),
    _mistake(
        "sine-negated",
        "table-gradient",
        "a cotangent of the sine with the wrong sign gives",
        _with(lambda found, _: (found[0], found[1], 0.0 - found[2])),
        **CALL,
        output=[1.0, 0.75, 13.0, -1.0],
    ),
    _mistake(
        "first-copy",
        "table-gradient-sum",
        "the share of the first row and head gives: a shared table gets the sum",
        _reduced(first),
    ),
    _mistake(
        "mean-of-copies",
        "table-gradient-sum",
        "the mean over rows and heads gives: a shared table gets the sum",
        _reduced(mean),
    ),
    _mistake(
        "of-the-result",
        "gradient-operand",
        "the rotated pair gives where the input belongs: it was overwritten",
        _with(of_the_result),
        **CALL,
        output=[1.0, 0.75, 6.75, -2.75],
    ),
    _mistake(
        "sine-cosine-exchanged",
        "sine-cosine-order",
        "sines and cosines interchanged give",
        _with(lambda found, _: (found[0], found[2], found[1])),
    ),
    _mistake(
        "other-pairing",
        "pairing",
        "the other pairing gives: adjacent pairs and halves interchanged",
        altered(NAME, _other_pairings),
    ),
    _mistake(
        "pairings-exchanged",
        "pairing-out",
        "the pairings interchanged give: the cotangent is read where the input was",
        altered(NAME, _pairings_exchanged),
    ),
    _mistake(
        "start-ignored",
        "slice-start",
        "a slice at the front gives: `rotary_start` was ignored",
        altered(NAME, lambda given: {"rotary_start": 0}),
    ),
    _mistake(
        "rest-dropped",
        "pass-through",
        "zeros give where coordinates pass through",
        _with(_dropped),
    ),
)
