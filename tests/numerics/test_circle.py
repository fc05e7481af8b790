"""The kernels and the double-double arithmetic, before their last rounding."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from posref.numerics.circle import cosine, sine
from posref.numerics.doubled import Doubled, fast_sum, product, times

ANGLES = np.concatenate(
    [
        np.linspace(1e-9, math.pi / 4, 2001),
        2.0 ** -np.arange(1, 60),
        np.random.default_rng(11).random(1000) * math.pi / 4,
    ]
)


@pytest.mark.parametrize(
    ("kernel", "real", "bits"),
    # what is summed in plain float64 takes at most 6 roundings of 2^-53: in the sine x^5/120, at most
    # 0.0036 of the result (and the cosine of the low part); in the cosine x^4/24, at most 0.0225
    [(sine, mpmath.sin, 57.5), (cosine, mpmath.cos, 55.8)],
)
def test_kernels_keep_more_bits_than_float64(
    kernel: Callable[[Doubled], Doubled], real: Callable[[Any], Any], bits: float
) -> None:
    low = ANGLES * 2.0**-54 * 0.75
    pair = kernel(Doubled(ANGLES, low))
    with mpmath.workdps(60):
        for angle, rest, high, tail in zip(ANGLES, low, *pair, strict=True):
            truth = real(mpmath.mpf(angle) + mpmath.mpf(rest))
            assert abs((mpmath.mpf(high) + mpmath.mpf(tail)) / truth - 1) <= mpmath.mpf(2) ** -bits


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
