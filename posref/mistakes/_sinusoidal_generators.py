"""Known wrong implementations of ``sinusoidal.inv_freq`` and ``sinusoidal.shift_matrix``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, replaced
from posref.mistakes._ladders import LADDERS
from posref.mistakes._precision import Change, shortened
from posref.operation import Mistake
from posref.reference import sinusoidal

LADDER, SHIFT = "sinusoidal.inv_freq", "sinusoidal.shift_matrix"
DENOMINATORS: Final = {"dim": "count_minus_1", "count_minus_1": "dim"}
LAYOUTS: Final = {"interleaved": "sin_cos", "sin_cos": "interleaved", "cos_sin": "interleaved"}


def _ladder(arguments: Arguments) -> Array:
    names = ("dim", "base", "denominator")
    return np.asarray(sinusoidal.inv_freq(**{name: arguments[name] for name in names}))


def _shift(arguments: Arguments, omega: Array, angle: Change = np.asarray) -> Array:
    """Return the matrix for any ladder, each angle passed through `angle`."""
    dim, layout, theta = arguments["dim"], arguments["layout"], angle(arguments["offset"] * omega)
    even, odd, first, last = slice(0, dim, 2), slice(1, dim, 2), slice(0, dim // 2), slice(dim // 2, dim)
    s, c = {"interleaved": (even, odd), "sin_cos": (first, last), "cos_sin": (last, first)}[layout]
    matrix = np.zeros((dim, dim))
    matrix[s, s] = matrix[c, c] = np.diag(np.cos(theta))
    matrix[s, c], matrix[c, s] = np.diag(np.sin(theta)), np.diag(-np.sin(theta))
    return matrix


def _other_denominator(arguments: Arguments) -> Arguments:
    return {"denominator": DENOMINATORS[arguments["denominator"]]} if arguments["dim"] > 2 else {}


def _laddered(change: Callable[[Array], Array]) -> Callable[..., Any]:
    return called(SHIFT, lambda arguments: _shift(arguments, change(_ladder(arguments))))


def _base(operation: str) -> Mistake:
    text = "your output is what base 10000 gives where another is declared"
    function = altered(operation, lambda arguments: {"base": 10000.0})
    return Mistake(
        "base-10000",
        operation,
        "fixed-base",
        text,
        function,
        "https://github.com/deepspeedai/DeepSpeed/issues/4442",
    )


def _denominator(operation: str, **check: Any) -> Mistake:
    text = "your output is what the other ladder gives: divided by d/2 and by d/2 - 1 interchanged"
    function = altered(operation, _other_denominator)
    return Mistake(
        "other-denominator",
        operation,
        "ladder-end",
        text,
        function,
        "https://github.com/wenet-e2e/wenet/issues/2141",
        check,
    )


def _ladders() -> list[Mistake]:
    found = []
    for name, (change, text) in LADDERS.items():
        description, flag = f"your output is what {text}", "frequency-exponent"
        ladder = replaced(LADDER, lambda omega, _, change=change: change(omega))  # type: ignore[misc]
        found.append(Mistake(name, LADDER, flag, description, ladder))
        found.append(Mistake(name, SHIFT, flag, description, _laddered(change)))
    return found


def _turned(
    name: str, flag: str, text: str, change: Callable[[Arguments], Arguments], **check: Any
) -> Mistake:
    return Mistake(name, SHIFT, flag, f"your output is what {text}", altered(SHIFT, change), "", check)


MISTAKES: Final = (
    *_ladders(),
    _base(LADDER),
    _base(SHIFT),
    _denominator(
        LADDER,
        inputs={},
        params={"dim": 4, "base": 10000.0, "denominator": "count_minus_1"},
        output=[1.0, 0.01],
    ),
    _denominator(SHIFT),
    Mistake(
        "unwritten",
        LADDER,
        "unwritten",
        "your output is what zeros give: the buffer was never filled",
        replaced(LADDER, lambda omega, _: np.zeros_like(omega)),
        "https://github.com/huggingface/transformers/issues/45902",
    ),
    *shortened(SHIFT, lambda given, frequency, angle: _shift(given, frequency(_ladder(given)), angle)),
    _turned(
        "turned-back",
        "rotation-sign",
        "the transposed matrix gives: it shifts the other way",
        lambda arguments: {"offset": -arguments["offset"]},
        inputs={},
        params={
            "offset": 1,
            "dim": 2,
            "base": 10000.0,
            "denominator": "dim",
            "layout": "interleaved",
        },
        output=[0.540302306, -0.841470985, 0.841470985, 0.540302306],
    ),
    _turned(
        "offset-plus-1",
        "shifted-position",
        "an offset one too high gives",
        lambda arguments: {"offset": min(arguments["offset"] + 1, 2**53)},
    ),
    _turned(
        "offset-absolute",
        "unsigned-position",
        "a negative offset without its sign gives",
        lambda arguments: {"offset": abs(arguments["offset"])},
    ),
    _turned(
        "other-layout",
        "sine-layout",
        "the other arrangement of columns gives: pairs and halves interchanged",
        lambda arguments: {"layout": LAYOUTS[arguments["layout"]]},
    ),
)
