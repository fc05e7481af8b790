"""Known wrong implementations of ``rope.apply_vjp``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, moved, replaced
from posref.mistakes._ladders import LADDERS
from posref.mistakes._rope_parts import OTHER, climbed, magnitude, rest_dropped, rotary, turned
from posref.mistakes._rope_rotate_vjp import MISSING
from posref.mistakes._rope_scaled import unweighted
from posref.operation import Mistake
from posref.reference import rope

NAME: Final = "rope.apply_vjp"


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _turning(turn: Callable[[Array, Array, dict[str, Any]], Array]) -> Callable[..., Any]:
    def compute(given: Arguments) -> Array:
        return turn(np.asarray(given["grad_y"]), np.asarray(given["positions"]), rotary(given))

    return called(NAME, compute)


def _laddered(change: Callable[[Array], Array]) -> Callable[..., Any]:
    return turning_back(lambda g, places, given: turned(g, places, climbed(given, change), given))


def turning_back(turn: Callable[[Array, Array, dict[str, Any]], Array]) -> Callable[..., Any]:
    """Return the backward pass of a wrong rotation: it turns the other way."""
    return _turning(lambda g, places, given: turn(g, -places, given))


def rotated(g: Array, positions: Array, given: dict[str, Any]) -> Array:
    """Turn the cotangent as the input was turned."""
    return np.asarray(rope.apply(g, positions, **given))


def inverse(y: Array, given: Arguments) -> Array:
    """Divide by the magnitude factor, as the inverse does."""
    shared = rotary(given)
    start, width = shared["rotary_start"], shared["rotary_dim"]
    inside = (np.arange(y.shape[-1]) >= start) & (np.arange(y.shape[-1]) < start + width)
    return np.where(inside, y / magnitude(shared) ** 2, y)


def _call(output: list[float]) -> dict[str, Any]:
    inputs = {"grad_y": [[1.0, 0.0]], "x": [[3.0, 5.0]], "positions": [1]}
    params = {"rotary_dim": 2, "base": 10000.0, "pairing": "half"}
    return {"inputs": inputs, "params": params, "output": output}


MISTAKES: Final = (
    _mistake(
        "forward",
        "gradient-direction",
        "the rotation itself gives for the cotangent: it must turn back",
        _turning(rotated),
        **_call([0.540302306, 0.841470985]),
    ),
    _mistake(
        "no-gradient",
        "gradient-missing",
        "zeros give: the operation has no backward pass",
        called(NAME, lambda given: np.zeros(np.asarray(given["grad_y"]).shape)),
        MISSING,
        **_call([0.0, 0.0]),
    ),
    _mistake(
        "of-the-input",
        "gradient-operand",
        "the input turned back gives: the cotangent belongs there",
        altered(NAME, lambda given: {"grad_y": given["x"]}),
    ),
    _mistake(
        "magnitude-forgotten",
        "magnitude",
        "a magnitude factor of 1 gives where the scaling has another",
        turning_back(unweighted),
    ),
    _mistake(
        "inverse",
        "magnitude",
        "the inverse gives where the transpose belongs: divided by the magnitude factor",
        replaced(NAME, lambda y, given: inverse(np.asarray(y), given)),
    ),
    _mistake(
        "scaling-not-applied",
        "scaling-ignored",
        "plain frequencies give: the scaling never reached the backward pass",
        altered(NAME, lambda given: {"scaling": None, "seq_len": None}),
    ),
    _mistake(
        "other-pairing",
        "pairing",
        "the other pairing gives: adjacent pairs and halves interchanged",
        altered(NAME, lambda given: {"pairing": OTHER[given["pairing"]]}),
    ),
    _mistake(
        "base-10000",
        "fixed-base",
        "base 10000 gives where another is declared",
        altered(NAME, lambda given: {"base": 10000.0}),
    ),
    *(
        _mistake(name, "frequency-exponent", text, _laddered(change))
        for name, (change, text) in LADDERS.items()
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
        replaced(
            NAME,
            lambda y, given: rest_dropped(np.asarray(y), given.get("rotary_start", 0), given["rotary_dim"]),
        ),
    ),
    *moved(
        NAME,
        "positions-minus-1",
        "positions-consecutive",
        "positions-of-last-token",
        "positions-to-4095",
        "positions-from-0",
        "positions-plus-1",
        "positions-absolute",
        "positions-truncated",
        "positions-of-row-0",
        "positions-bfloat16",
    ),
)
