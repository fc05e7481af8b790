"""Cosines and sines of angles that are sums: in double-double, or exact where that does not reach."""

from fractions import Fraction
from typing import Any, Final

import numpy as np

from posref.numerics.angles import TURN, Angles
from posref.numerics.doubled import Doubled, exact_sum, fast_sum, times
from posref.numerics.phase import ONE, points
from posref.numerics.wide import pi_times_two_to, split, wide

QUARTER: Final = Doubled(TURN.high / 4, TURN.low / 4)
"""pi / 2."""

_HIGH, _LOW, _EXPONENT = split(wide(Fraction(2**255, pi_times_two_to(256))))
RADIAN: Final = Doubled(_HIGH * 2.0**_EXPONENT, _LOW * 2.0**_EXPONENT)
"""A radian in turns, 1 / (2 pi)."""


@np.errstate(all="ignore")
def circle_points(xp: Any, turns: Doubled) -> tuple[Any, Any]:
    """Return the cosine and the sine of angles given in turns.

    Parameters
    ----------
    xp : module
        Array library.
    turns : Doubled of arrays of float64
        Angles; whole turns drop out without rounding.

    Returns
    -------
    cos, sin : arrays of float64
        Within one ulp of those of `turns` as it stands. An exact zero is +0.
    """
    part = exact_sum(turns.high - xp.round(turns.high), turns.low - xp.round(turns.low))
    quarters = xp.round(4.0 * part.high)
    rest = times(exact_sum(4.0 * part.high - quarters, 4.0 * part.low), QUARTER)
    cos, sin = points(Angles.after(xp, quarters, rest), ONE)
    return cos + 0.0, sin + 0.0


def fraction_of_turn(angle: Fraction, *, radians: bool) -> Doubled:
    """Return an exact angle, in radians or in turns, reduced to half a turn at most.

    Parameters
    ----------
    angle : Fraction
        Any size.
    radians : bool
        Whether `angle` is in radians.

    Returns
    -------
    Doubled of float
        Turns, right to about 2**-104 of their size.

    Examples
    --------
    >>> fraction_of_turn(Fraction(9, 4), radians=False)
    Doubled(high=0.25, low=0.0)
    """
    if radians:
        sizes = abs(angle.numerator).bit_length() + angle.denominator.bit_length()
        bits = -(-(2 * sizes + 256) // 512) * 512  # few sizes, so that few values of pi are made
        angle = angle * Fraction(2 ** (bits - 1), pi_times_two_to(bits))
    part = angle - round(angle)
    high = float(part)
    return fast_sum(high, float(part - Fraction(high)))
