"""Real powers of wide bases: against mpmath, at the ends of the range, and where a base is nearly 1."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from posref.numerics.decay import FAR, exponents, power_of_two, rates
from posref.numerics.namespace import space


@pytest.mark.parametrize(
    ("base", "unit"),
    [
        (Fraction(2, 7), 512.0),
        (Fraction(1, 2), 1.0),
        (1 - Fraction(1, 10**300), 1e-290),
        (Fraction(1, 10**300), 77.0),
        (Fraction(7, 2), 1e300),
    ],
)
def test_a_rate_is_right_to_118_digits(base: Fraction, unit: float) -> None:
    (got,) = rates([base], unit)
    with mpmath.workdps(600):
        top, bottom = got.as_integer_ratio()
        real = mpmath.log(mpmath.mpf(base.numerator) / base.denominator, 2) / mpmath.mpf(unit)
        assert abs(mpmath.mpf(top) / bottom - real) <= abs(real) * mpmath.mpf(10) ** -118


def test_powers_of_two_are_right_to_the_last_bit_or_its_neighbour() -> None:
    here = space({})
    at = np.arange(-900, 901, 7)
    exponent = exponents(here, at, 0.5, rates([Fraction(2, 7), Fraction(999, 1000)], 1.75))
    got = power_of_two(here, exponent).value()
    with mpmath.workdps(60):
        for t, i in np.ndindex(got.shape):
            base = mpmath.mpf((Fraction(2, 7), Fraction(999, 1000))[i].numerator) / (7, 1000)[i]
            real = base ** ((mpmath.mpf(int(at[t])) - 0.5) / 1.75)
            assert abs(got[t, i] - real) <= 0.51 * np.spacing(got[t, i])


def test_whole_exponents_are_exact_and_the_far_ones_leave_the_range() -> None:
    here = space({})
    at = np.array([0, 1, -1, 1022, -1023, 1075, -1024, 2**53, -(2**53)])
    exponent = exponents(here, at, 0.0, rates([Fraction(1, 2)], 1.0))
    assert np.abs(exponent.high).max() == FAR
    got = power_of_two(here, exponent).value().ravel().tolist()
    assert got[:5] == [1.0, 0.5, 2.0, 2.0**-1022, 2.0**1023]
    assert got[5:] == [0.0, float("inf"), 0.0, float("inf")]


@pytest.mark.parametrize("scale", range(44, 50))
def test_an_offset_that_float64_does_not_hold(scale: int) -> None:
    """The distance from 0.3 to a far token has 54 bits and more; a slow rate shows the last ones."""
    here = space({})
    at = np.array([2**53 - 1, -(2**53) + 1, 2**52 + 1])
    rate = Decimal(3) / 2**scale
    made = exponents(here, at, 0.3, [rate])
    pairs = zip(made.high[:, 0].tolist(), made.low[:, 0].tolist(), strict=True)
    for (high, low), position in zip(pairs, at.tolist(), strict=True):
        exact = (position - Fraction(0.3)) * Fraction(rate)
        assert abs((Fraction(high) + Fraction(low)) / exact - 1) <= Fraction(1, 2**95)
