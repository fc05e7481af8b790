"""Sine and cosine on the eighths of a turn around zero, by Taylor polynomials and the rests of roundings.

No library's own sine is trusted: libraries differ, and promise no error below one ulp. An angle x in
radians, at most 0.786 in size, is split on fixed grids, ``x = a + b`` with `a` a multiple of 2^-25, and
``a^2 = c + d`` with `c` a multiple of 2^-20, so that ``1 - a^2/2`` and ``x - 43/256 a c`` are exact. What
is then summed in plain float64 is small against the result; with u = 2^-53, in units of the result's size:

- cosine: ``x^4/24 - ...`` is below 0.0225 and takes 5 roundings, the sums of small parts 2 more of 0.0225;
  the omitted ``x^20/20!`` is below 2^-67. Together less than 0.16 u.
- sine: ``x^2 (1/6 - 43/256)``, below 0.001, and ``x^4/120 - ...``, below 0.0033, take 5 roundings each, the
  sums of small parts 4 more of 0.0042 at most, and the part of the angle beyond float64 one of 2^-53; the
  omitted ``x^18/19!`` is below 2^-62. Together less than 0.045 u.

So the sine is right to 2^-57.4 and the cosine to 2^-55.6 of its size before the last rounding.
"""

from math import factorial
from typing import Any, Final

from posref.numerics.doubled import Doubled

GRID: Final = 1.5 * 2.0**27
"""Adding and subtracting it leaves a multiple of 2^-25."""

COARSE: Final = 1.5 * 2.0**32
"""The same for 2^-20."""

SIXTH: Final = 43 / 256
"""About 1/6 in six bits."""

SINE: Final = (1 / 768, *((-1) ** n / factorial(2 * n + 1) for n in range(2, 9)))
"""What `SIXTH` has more than 1/6, and the coefficients of the powers 5, 7, ..., 17 of the angle."""

COSINE: Final = tuple((-1) ** n / factorial(2 * n) for n in range(2, 10))
"""Coefficients of the powers 4, 6, ..., 18 of the angle."""


def cosine_and_sine(angle: Doubled) -> tuple[Doubled, Doubled]:
    """Return the cosine and the sine of an angle in radians; the low parts are not normalised.

    Parameters
    ----------
    angle : Doubled of arrays of float64
        At most 0.786 in size, of either sign.

    Returns
    -------
    cosine, sine : Doubled
        The low parts are at most 0.02 and 2^-8 of the high ones in size.
    """
    high, low = angle
    front = (high + GRID) - GRID
    back = high - front
    front_square = front * front
    back_square = (high + front) * back
    square = front_square + back_square

    upright = 1.0 - 0.5 * front_square
    small = square * square * _series(COSINE, square) - high * low
    cosine = Doubled(upright, small - 0.5 * back_square)

    coarse = (front_square + COARSE) - COARSE
    cubic = high - SIXTH * (front * coarse)
    left_out = front * ((front_square - coarse) + back_square) + back * square
    rest = high * square * _series(SINE, square) + (low * upright - SIXTH * left_out)
    return cosine, Doubled(cubic, rest)


def _series(coefficients: tuple[float, ...], variable: Any) -> Any:
    """Return the polynomial with these coefficients, constant first, by Horner's rule."""
    total = variable * coefficients[-1] + coefficients[-2]
    for coefficient in coefficients[-3::-1]:
        total *= variable
        total += coefficient
    return total
