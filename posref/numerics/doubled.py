"""Double-double arithmetic on arrays: a number is the unevaluated sum of a high and a low float64.

Only ``+ - * /`` are used, so the same lines run on every array library. No operation is fused.
"""

from typing import Any, NamedTuple

SPLITTER = 134217729.0
"""2**27 + 1: Veltkamp's constant, which halves a significand of 53 bits."""


class Doubled(NamedTuple):
    """``high + low``, with `low` at most about half an ulp of `high`."""

    high: Any
    low: Any


def fast_sum(large: Any, small: Any) -> Doubled:
    """Return ``large + small`` exactly; `large` is 0 or at least as large in size as `small`."""
    high = large + small
    return Doubled(high, small - (high - large))


def exact_sum(left: Any, right: Any) -> Doubled:
    """Return ``left + right`` exactly, whichever is larger."""
    high = left + right
    part = high - left
    return Doubled(high, (left - (high - part)) + (right - part))


def add(left: Doubled, right: Doubled) -> Doubled:
    """Return the sum of two double-doubles, to about 2**-104 of itself even where they cancel."""
    high, high_error = exact_sum(left.high, right.high)
    low, low_error = exact_sum(left.low, right.low)
    high, error = fast_sum(high, high_error + low)
    return fast_sum(high, error + low_error)


def quotient(number: Doubled, divisor: Any) -> Any:
    """Return ``number / divisor``, rounded once to float64."""
    high = number.high / divisor
    back, back_low = product(high, divisor)
    return high + ((number.high - back) - back_low + number.low) / divisor


def product(left: Any, right: Any) -> Doubled:
    """Return ``left * right`` exactly, sizes staying between 2**-900 and 2**990 (Dekker)."""
    left_high, left_low = _halves(left)
    right_high, right_low = _halves(right)
    high = left * right
    error = left_high * right_high - high
    return Doubled(high, left_low * right_low + (left_low * right_high + (left_high * right_low + error)))


def _halves(number: Any) -> tuple[Any, Any]:
    scaled = number * SPLITTER
    high = scaled - (scaled - number)
    return high, number - high


def times(left: Doubled, right: Doubled) -> Doubled:
    """Return the product of two double-doubles, to about 2**-102 in relative terms."""
    high, low = product(left.high, right.high)
    return fast_sum(high, low + (left.high * right.low + left.low * right.high))
