"""The kernels and the double-double arithmetic, before their last rounding."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from posref.numerics.circle import cosine_and_sine
from posref.numerics.doubled import Doubled, fast_sum, product, times

ANGLES = np.concatenate(
    [
        np.linspace(1e-9, math.pi / 4, 2001),
        2.0 ** -np.arange(1, 60),
        np.random.default_rng(11).random(1000) * math.pi / 4,
    ]
)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_kernels_keep_more_bits_than_float64(sign: float) -> None:
    angles = sign * ANGLES
    low = angles * 2.0**-54 * 0.75
    cosines, sines = cosine_and_sine(Doubled(angles, low))
    with mpmath.workdps(60):
        # 0.16 and 0.045 units of 2^-53, by the count of roundings in the module's docstring
        for made, real, most in ((cosines, mpmath.cos, 0.16), (sines, mpmath.sin, 0.045)):
            for angle, rest, high, tail in zip(angles, low, *made, strict=True):
                truth = real(mpmath.mpf(angle) + mpmath.mpf(rest))
                assert abs((mpmath.mpf(high) + mpmath.mpf(tail)) / truth - 1) <= most * mpmath.mpf(2) ** -53


def test_what_the_polynomials_leave_out() -> None:
    """The next terms at 0.786 radians, in units of the results there."""
    assert 0.786**20 / math.factorial(20) / math.cos(0.786) < 2.0**-67
    assert 0.786**18 / math.factorial(19) < 2.0**-62


def test_products_and_sums_are_exact() -> None:
    draw = np.random.default_rng(12)
    left, right = draw.standard_normal(300), draw.standard_normal(300) * 2.0**-20
    left = np.where(np.abs(left) < np.abs(right), 1.0, left)
    for one, two, high, low in zip(left, right, *product(left, right), strict=True):
        assert Fraction(high) + Fraction(low) == Fraction(one) * Fraction(two)
    for one, two, high, low in zip(left, right, *fast_sum(left, right), strict=True):
        assert Fraction(high) + Fraction(low) == Fraction(one) + Fraction(two)


def test_times_keeps_102_bits() -> None:
    draw = np.random.default_rng(13)
    left = Doubled(draw.random(300) + 0.5, (draw.random(300) - 0.5) * 2.0**-54)
    right = Doubled(draw.random(300) + 0.5, (draw.random(300) - 0.5) * 2.0**-54)
    for a, b, c, d, high, low in zip(*left, *right, *times(left, right), strict=True):
        real = (Fraction(a) + Fraction(b)) * (Fraction(c) + Fraction(d))
        assert abs((Fraction(high) + Fraction(low)) / real - 1) <= Fraction(1, 2**102)
