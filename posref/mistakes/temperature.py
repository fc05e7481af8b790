"""Known wrong implementations of the operations in `spec/schemes/temperature.md`."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import FLOAT32, Arguments, Array, altered, called, moved, significant
from posref.mistakes._ignored import ignored
from posref.operation import Mistake

NAME: Final = "temperature.scale"
LLAMA: Final = {"beta": 0.1, "floor_scale": 8192, "plus_one": True}
LARGEST: Final = 2**54


def count(arguments: Arguments, plus_one: bool | None = None) -> Array:
    """Return the tokens counted so far, with the right rule or another; never below 0."""
    more = int(arguments["plus_one"] if plus_one is None else plus_one)
    return np.asarray(np.maximum(np.asarray(arguments["positions"]) + more, 0))


def length(arguments: Arguments) -> int:
    """Return the tokens of a step."""
    return int(min(arguments["floor_scale"], LARGEST))


def steps(arguments: Arguments) -> Array:
    """Return the number of whole steps."""
    return count(arguments) // length(arguments)


def _grown(logarithm: Callable[[Arguments], Array]) -> Callable[..., Any]:
    return called(NAME, lambda arguments: 1 + arguments["beta"] * logarithm(arguments))


def rounded(arguments: Arguments) -> Array:
    """Round the count to float32 before it is divided."""
    single = significant(count(arguments), FLOAT32)
    return np.asarray(np.log1p(np.floor(single / length(arguments))))


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _at(position: int, value: float, **changed: Any) -> dict[str, Any]:
    return {"inputs": {"positions": [position]}, "params": {**LLAMA, **changed}, "output": [value]}


MISTAKES: Final = (
    _mistake(
        "other-origin",
        "step-origin",
        "the other rule gives: with and without plus_one interchanged",
        _grown(lambda a: np.log1p(count(a, not a["plus_one"]) // length(a))),
        **_at(8191, 1.0),
    ),
    _mistake(
        "strength-0-1",
        "step-strength",
        "a strength of 0.1 gives where another is declared",
        altered(NAME, lambda _: {"beta": 0.1}),
    ),
    _mistake(
        "no-steps",
        "step-floor",
        "a quotient that was not rounded down gives: the scale grows with every token",
        _grown(lambda a: np.log1p(count(a) / length(a))),
        **_at(4095, 1.040546511),
    ),
    _mistake(
        "rounded-steps",
        "step-floor",
        "a quotient rounded to the nearest integer gives where it is rounded down",
        _grown(lambda a: np.log1p((2 * count(a) + length(a)) // (2 * length(a)))),
    ),
    _mistake(
        "logarithm-of-steps",
        "step-first",
        "the logarithm of the number of steps gives: the one inside is missing",
        _grown(lambda a: np.log(np.maximum(steps(a), 1))),
        **_at(16383, 1.069314718),
    ),
    _mistake(
        "binary-logarithm",
        "step-logarithm",
        "a binary logarithm gives",
        _grown(lambda a: np.log2(1 + steps(a))),
        **_at(8191, 1.1),
    ),
    _mistake(
        "decimal-logarithm",
        "step-logarithm",
        "a decimal logarithm gives",
        _grown(lambda a: np.log10(1 + steps(a))),
    ),
    _mistake(
        "strength-inside",
        "strength-place",
        "the strength inside the logarithm gives",
        called(NAME, lambda a: 1 + np.log1p(a["beta"] * steps(a))),
        **_at(8191, 1.09531018),
    ),
    _mistake(
        "growth-alone",
        "growth-alone",
        "the growth without the one gives: early queries vanish",
        called(NAME, lambda a: a["beta"] * np.log1p(steps(a))),
        **_at(8191, 0.06931471806),
    ),
    _mistake(
        "length-8192",
        "step-length",
        "steps of 8192 tokens give where another length is declared",
        _grown(lambda a: np.log1p(count(a) // 8192)),
    ),
    _mistake(
        "next-step",
        "shifted-step",
        "steps counted from 1 give: the first one is scaled already",
        _grown(lambda a: np.log1p(steps(a) + 1)),
        **_at(0, 1.069314718),
    ),
    _mistake(
        "positions-float32",
        "position-rounding",
        "positions held in float32 (exact to 2^24 only) give",
        _grown(rounded),
    ),
    *moved(NAME, "positions-consecutive", "positions-from-0", "positions-of-row-0"),
    *ignored("temperature"),
)
