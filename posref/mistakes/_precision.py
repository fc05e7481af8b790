"""Frequencies and angles held too short, on the way to any table of sines and cosines."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import BFLOAT16, FLOAT32, Arguments, Array, called, significant
from posref.operation import Mistake

Change = Callable[[Array], Array]

CAST: Final = "https://github.com/huggingface/candle/issues/3520"
SHORT_TURN: Final = "https://github.com/kekzl/imp/issues/1316"


def short(values: Array) -> Array:
    """Round to bfloat16."""
    return significant(values, BFLOAT16)


def reduced(angle: Array) -> Array:
    """Take off whole turns of a single-precision 2 pi."""
    return np.asarray(angle - np.rint(angle / (2 * np.pi)) * significant(2 * np.pi, FLOAT32))


def shortened(operation: str, compute: Callable[[Arguments, Change, Change], Any]) -> list[Mistake]:
    """Return the mistakes of a table that `compute` makes of any change of frequencies and of angles."""
    return [
        Mistake(
            "frequency-bfloat16",
            operation,
            "frequency-rounding",
            "your output is what frequencies held in bfloat16 give: the buffer was cast with the model",
            called(operation, lambda given: compute(given, short, np.asarray)),
            CAST,
        ),
        Mistake(
            "single-two-pi",
            operation,
            "angle-reduction",
            "your output is what angles reduced by a 2 pi of single precision give",
            called(operation, lambda given: compute(given, np.asarray, reduced)),
            SHORT_TURN,
        ),
    ]
