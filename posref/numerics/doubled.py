"""Double-double arithmetic on arrays: a number is the unevaluated sum of a high and a low float64.

Only ``+ - *`` are used, so the same lines run on every array library. No operation is fused.
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
