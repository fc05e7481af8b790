"""Sine and cosine on the first eighth of a turn, as Taylor polynomials in double-double.

No library's own sine is trusted: libraries differ, and promise no error below one ulp. What the
polynomials leave out is below 2**-69 of the result for angles up to pi/4; the parts that are summed
in plain float64 are small against the result, which comes out right to 2**-57 (sine) and 2**-55 (cosine)
of its size before the last rounding.
"""

from math import factorial
from typing import Any, Final

from posref.numerics.doubled import Doubled, fast_sum, product

SINE: Final = tuple((-1) ** n / factorial(2 * n + 1) for n in range(1, 10))
"""Coefficients of the powers 3, 5, ..., 19 of the angle."""

SIXTH_LOW: Final = -(2.0**-54) / 6
"""What the float64 nearest to -1/6 lacks."""

COSINE: Final = tuple((-1) ** n / factorial(2 * n) for n in range(2, 11))
"""Coefficients of the powers 4, 6, ..., 20 of the angle."""


def sine(angle: Doubled) -> Doubled:
    """Return the sine of an angle of at most pi/4 in size, in radians."""
    square, square_low = product(angle.high, angle.high)
    cube, cube_low = product(angle.high, square)
    sixth, sixth_low = product(cube, SINE[0])
    rest = sixth_low + SIXTH_LOW * cube + SINE[0] * (cube_low + angle.high * square_low)
    rest = rest + cube * square * _series(SINE[1:], square)
    high, low = fast_sum(angle.high, sixth)
    return fast_sum(high, low + (rest + angle.low * (1.0 - 0.5 * square)))


def cosine(angle: Doubled) -> Doubled:
    """Return the cosine of an angle of at most pi/4 in size, in radians."""
    square, square_low = product(angle.high, angle.high)
    high, low = fast_sum(1.0, -0.5 * square)
    rest = square * square * _series(COSINE, square)
    return fast_sum(high, low + (rest - (0.5 * square_low + angle.high * angle.low)))


def _series(coefficients: tuple[float, ...], variable: Any) -> Any:
    """Return the polynomial with these coefficients, constant first, by Horner's rule."""
    total = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = total * variable + coefficient
    return total
