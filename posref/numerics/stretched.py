"""Ladders of frequencies times an exact factor of any size."""

import math
from collections.abc import Iterable
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from posref.numerics.wide import WIDE, Frequencies, wider

LEAST: Final = WIDE.power(2, -4000)
"""Powers below this are set to it: times any two float64, both are out of sight."""


def stretched(base: float, exponents: Iterable[Fraction], factor: Fraction) -> Frequencies:
    """Return ``factor * base**-e`` for each exponent `e`.

    Parameters
    ----------
    base : float
        Above 1.
    exponents : iterable of Fraction
        Not negative.
    factor : Fraction
        Any, of either sign. A large one brings as many digits more as it is large: the fraction of a
        turn stays right.

    Returns
    -------
    tuple of Decimal
        As many as there are exponents.

    Examples
    --------
    >>> [float(power) for power in stretched(100.0, [Fraction(0), Fraction(1, 2)], Fraction(-5))]
    [-5.0, -0.5]
    """
    digits = WIDE.prec + max(0, math.ceil(0.302 * factor.__abs__().__floor__().bit_length()))
    here = wider(digits)
    logarithm = here.ln(_decimal(here, Fraction(base)))
    times = _decimal(here, factor)
    powers = (here.exp(here.multiply(_decimal(here, -exponent), logarithm)) for exponent in exponents)
    return tuple(here.multiply(times, max(power, LEAST)) for power in powers)


def _decimal(here: Context, number: Fraction) -> Decimal:
    return here.divide(Decimal(number.numerator), Decimal(number.denominator))
