"""Types of command-line arguments: numbers within a range, refused with the range."""

import argparse
import math
from collections.abc import Callable
from typing import TypeVar

Number = TypeVar("Number", int, float)


def at_least(least: int, multiple_of: int = 1) -> Callable[[str], int]:
    """Return the type of an integer that is not below `least`, and a multiple of something."""
    kind = "even and " if multiple_of == 2 else ""

    def read(text: str) -> int:
        value = _number(int, "an integer", text)
        if value < least or value % multiple_of:
            raise argparse.ArgumentTypeError(f"must be {kind}at least {least}, got {text}")
        return value

    return read


def above(bound: float) -> Callable[[str], float]:
    """Return the type of a finite number above `bound`."""

    def read(text: str) -> float:
        value = _number(float, "a number", text)
        if not bound < value < math.inf:
            raise argparse.ArgumentTypeError(f"must be above {bound:g}, got {text}")
        return value

    return read


def _number(kind: type[Number], said: str, text: str) -> Number:
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be {said}, got {text!r}") from None
