"""Wide numbers against mpmath at 200 digits."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest

from posref.numerics.wide import LIMB_BITS, LIMBS, ladder, limbs, pi_times_two_to, split, wide


def real(number: Decimal) -> mpmath.mpf:
    numerator, denominator = number.as_integer_ratio()
    return mpmath.mpf(numerator) / denominator


@pytest.mark.parametrize("bits", [1, 64, 512, 2048])
def test_pi_is_right_to_the_last_bit(bits: int) -> None:
    with mpmath.workprec(bits + 64):
        assert pi_times_two_to(bits) == int(mpmath.floor(mpmath.ldexp(mpmath.pi, bits)))


@pytest.mark.parametrize("base", [10000.0, 5e5, 1.0000000000000002, 1.7e308])
def test_a_ladder_has_118_digits(base: float) -> None:
    exponents = [Fraction(2 * i, 126) for i in range(63)]
    with mpmath.workdps(200):
        for exponent, power in zip(exponents, ladder(base, exponents), strict=True):
            truth = mpmath.mpf(base) ** -(mpmath.mpf(exponent.numerator) / exponent.denominator)
            assert abs(real(power) / truth - 1) < mpmath.mpf(10) ** -116


def test_exact_powers_round_to_themselves() -> None:
    assert [float(power) for power in ladder(10000.0, [Fraction(i, 4) for i in range(4)])] == [
        1.0,
        0.1,
        0.01,
        0.001,
    ]
    assert [float(power) for power in ladder(2.0, [Fraction(i) for i in (0, 1, 8, 1074, 1076)])] == [
        1.0,
        0.5,
        2.0**-8,
        5e-324,
        0.0,
    ]


@pytest.mark.parametrize("shift", [0, 32, -32, -1088, 1000])
@pytest.mark.parametrize("value", [1.0, 0.1, -2.5, 5e-324, 1.7e308])
def test_limbs_are_the_fraction_of_a_turn(value: float, shift: int) -> None:
    rows = limbs([Decimal(value)], shift)
    assert len(rows) == LIMBS
    stored = sum(row[0] << LIMB_BITS * (LIMBS - 1 - place) for place, row in enumerate(rows))
    with mpmath.workprec(4096):
        turns = abs(mpmath.mpf(value)) / (2 * mpmath.pi) * mpmath.mpf(2) ** shift
        fraction = turns - mpmath.floor(turns)
        assert stored == int(mpmath.floor(mpmath.ldexp(fraction, LIMBS * LIMB_BITS)))


@pytest.mark.parametrize("value", [1.0, -0.1, 5e-324, 1.7e308, 2.0 - 2.0**-52])
def test_split_of_a_float_is_exact(value: float) -> None:
    high, low, exponent = split(Decimal(value))
    assert Fraction(high) * Fraction(2) ** exponent == Fraction(value)
    assert low == 0
    assert 1 <= abs(high) < 2


def test_split_keeps_106_bits() -> None:
    for number in (*ladder(10000.0, [Fraction(i, 7) for i in range(8)]), wide(Fraction(1, 3))):
        high, low, exponent = split(number)
        with mpmath.workdps(150):
            pair = mpmath.ldexp(mpmath.mpf(high) + mpmath.mpf(low), exponent)
            assert abs(pair / real(number) - 1) < mpmath.mpf(2) ** -105
    assert split(Decimal(0)) == (0.0, 0.0, 0)
