"""Double-double sums and quotients, angles as sums, ladders of any size: against exact fractions."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from posref.numerics.doubled import Doubled, add, exact_sum, quotient
from posref.numerics.rounding import ulp
from posref.numerics.stretched import stretched
from posref.numerics.turns import circle_points, fraction_of_turn


def doubles(seed: int, count: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.standard_normal(count) * 2.0 ** generator.integers(-80, 80, count)


def whole(number: Doubled, index: int) -> Fraction:
    return Fraction(float(number.high[index])) + Fraction(float(number.low[index]))


def test_a_sum_of_two_numbers_is_exact_whichever_is_larger() -> None:
    left, right = doubles(1, 400), doubles(2, 400)
    total = exact_sum(left, right)
    for n in range(400):
        assert whole(total, n) == Fraction(left[n]) + Fraction(right[n])


def test_a_sum_of_doubled_numbers_keeps_its_digits_where_they_cancel() -> None:
    high, tail = doubles(3, 300), doubles(4, 300)
    one, other = exact_sum(high, high * 2.0**-54 * tail / np.abs(tail)), exact_sum(-high, high * 2.0**-60)
    total = add(one, other)
    for n in range(300):
        real = whole(one, n) + whole(other, n)
        assert abs(whole(total, n) - real) <= abs(real) * Fraction(1, 2**103)


def test_a_quotient_is_rounded_once() -> None:
    high, divisor = doubles(5, 300), np.arange(1.0, 301.0)
    number = exact_sum(high, high * 2.0**-55)
    got = quotient(number, divisor)
    for n in range(300):
        real = whole(number, n) / int(divisor[n])
        assert abs(Fraction(float(got[n])) - real) <= Fraction(float(ulp(float(real), "float64"))) * Fraction(
            501, 1000
        )


@pytest.mark.parametrize("size", [2.0**-400, 1e-3, 1.0, 1e6, 2.0**200])
def test_points_of_an_angle_in_turns(size: float) -> None:
    high = doubles(6, 60) % 1.0 * size
    turns = exact_sum(high, high * 2.0**-54)
    cos, sin = circle_points(np, turns)
    with mpmath.workdps(120):
        for n in range(60):
            angle = 2 * mpmath.pi * (mpmath.mpf(float(turns.high[n])) + mpmath.mpf(float(turns.low[n])))
            for got, real in ((cos[n], mpmath.cos(angle)), (sin[n], mpmath.sin(angle))):
                slack = mpmath.mpf(2) ** -100
                assert abs(mpmath.mpf(float(got)) - real) <= float(ulp(float(real), "float64")) + slack


@pytest.mark.parametrize(
    "angle", [Fraction(1, 3), Fraction(-(10**40), 7), Fraction(2**900 + 1), Fraction(1, 2**800)]
)
@pytest.mark.parametrize("radians", [True, False])
def test_fraction_of_a_turn_of_any_size(angle: Fraction, radians: bool) -> None:
    part = fraction_of_turn(angle, radians=radians)
    got = Fraction(part.high) + Fraction(part.low)
    with mpmath.workdps(700):
        turns = mpmath.mpf(angle.numerator) / angle.denominator / (2 * mpmath.pi if radians else 1)
        real = turns - mpmath.nint(turns)
        found = mpmath.mpf(got.numerator) / got.denominator
        assert abs(found - real) <= abs(real) * mpmath.mpf(2) ** -102
    assert abs(got) <= Fraction(1, 2)


def test_a_ladder_keeps_its_digits_after_the_point_whatever_the_factor() -> None:
    exponents = [Fraction(0), Fraction(1, 3), Fraction(5, 2)]
    for factor in (Fraction(1), Fraction(-3, 7), Fraction(2**1900 + 1)):
        got = stretched(10000.0, exponents, factor)
        with mpmath.workdps(900):
            for value, exponent in zip(got, exponents, strict=True):
                power = mpmath.mpf(10000) ** (-mpmath.mpf(exponent.numerator) / exponent.denominator)
                real = mpmath.mpf(factor.numerator) / factor.denominator * power
                assert abs(mpmath.mpf(str(value)) - real) <= mpmath.mpf(10) ** -116


def test_a_power_out_of_sight_is_none_the_less_above_zero() -> None:
    (power,) = stretched(10000.0, [Fraction(10**17)], Fraction(1))
    assert 0 < power < 2.0**-1000
