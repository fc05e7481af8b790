"""Sines and cosines against mpmath, in ulp of the result.

The oracle is ordinary mpmath at 80 digits and more: a position and a frequency have at most 16 digits
each before the point, so 48 digits remain right of it, and a sine that vanishes there to 2^-60 still has
30 right ones.
"""

import math
import random
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from posref.numerics.namespace import space
from posref.numerics.phase import BLOCK, tables
from posref.numerics.rounding import ulp
from posref.numerics.wide import ladder

AWKWARD = (22, 355, 103993, 1146408, 245850922, 21053343141, 139755218526789, 6134899525417045)
"""Numerators of convergents of pi: at frequency 1 the sine is nearly zero."""

ONE_ULP = 1.0
"""What the reference promises; the kernels err by less than 2^-57 of the result before the last
rounding, which is half an ulp."""


def ladder_of(base: float, width: int) -> list[Any]:
    """Return the real frequencies, by mpmath's own power."""
    return [mpmath.mpf(base) ** (-mpmath.mpf(2 * i) / width) for i in range(width // 2)]


def worst(
    positions: Sequence[float], made: tuple[Any, Any], real: Iterable[Any], factor: float = 1.0
) -> float:
    """Return the largest error of `made` (cosines, sines) in ulp of the real value."""
    cos, sin = made
    found = 0.0
    for column, frequency in enumerate(real):
        for row, position in enumerate(positions):
            angle = mpmath.mpf(position) * frequency
            for table, function in ((cos, mpmath.cos), (sin, mpmath.sin)):
                value = factor * function(angle)
                unit = mpmath.mpf(float(ulp(float(value), "float64")))
                found = max(found, float(abs(mpmath.mpf(float(table[row, column])) - value) / unit))
    return found


def made_at(positions: Any, base: float, width: int, factor: float = 1.0) -> tuple[Any, Any]:
    array = np.asarray(positions)
    exponents = [Fraction(2 * i, width) for i in range(width // 2)]
    return tables(space({"positions": array}), array, ladder(base, exponents), factor)


@pytest.mark.parametrize("base", [1e4, 5e5, 1e7])
def test_at_most_one_ulp_at_awkward_and_random_positions(base: float) -> None:
    draw = random.Random(f"phase {base}")
    positions = [0, 1, 2, *AWKWARD, 2**53, -(2**53)]
    positions += [draw.randrange(-(2**53), 2**53) for _ in range(12)]
    with mpmath.workdps(80):
        assert worst(positions, made_at(positions, base, 32), ladder_of(base, 32)) <= ONE_ULP


def test_the_awkward_positions_are_awkward() -> None:
    """At frequency 1 the sine of each is tiny, so a float64 or 64-bit reduction could not pass."""
    with mpmath.workdps(80):
        for position in AWKWARD[1:]:
            assert abs(mpmath.sin(position)) < 40 / mpmath.mpf(position)
    float_reduction = math.sin(math.fmod(6134899525417045, math.tau))
    sin = made_at([6134899525417045], 1e4, 2)[1]
    with mpmath.workdps(80):
        real = float(mpmath.sin(6134899525417045))
    assert abs(float_reduction - real) > 0.01 * abs(real)
    assert abs(float(sin[0, 0]) - real) <= float(ulp(real, "float64"))


def test_nearest_to_every_quarter_turn() -> None:
    """Convergents of pi/2: odd multiples put a zero of the cosine there."""
    positions = [11, 344, 51819, 573204, 37362253, 122925461, 534483448, 3083975227, 214112296674652]
    with mpmath.workdps(80):
        assert worst(positions, made_at(positions, 1e4, 4), ladder_of(1e4, 4)) <= ONE_ULP


def test_fractional_positions_are_exact() -> None:
    draw = random.Random("fraction")
    positions = [0.25, -0.1, 1e-5, 2.0**52 + 0.5, 123.456, 1e-300, 5e-324]
    positions += [draw.random() * 10.0 ** draw.randrange(-8, 12) for _ in range(12)]
    with mpmath.workdps(80):
        assert worst(positions, made_at(positions, 1e4, 16), ladder_of(1e4, 16)) <= ONE_ULP


@pytest.mark.parametrize("base", [1e300, 1.7e308, math.nextafter(1.0, 2.0)])
def test_extreme_bases_keep_relative_accuracy(base: float) -> None:
    """With base 1.7e308 the slow angles are below 1e-280, and with the last one all are near 1 radian."""
    positions = [1, 3, 1000, 2**53 - 1, -(2**53)]
    with mpmath.workdps(400):
        assert worst(positions, made_at(positions, base, 8), ladder_of(base, 8)) <= ONE_ULP


def test_given_frequencies_of_any_size() -> None:
    frequencies = [math.pi, 1.7e308, 3.3e200, -2.5, 1e-310, 5e-324, 0.0]
    positions = [1.0, 2.0**53, 7.5, 1e-300, -3.0]
    with mpmath.workdps(700):
        array = np.asarray(positions)
        made = tables(space({"positions": array}), array, tuple(map(Decimal, frequencies)))
        assert worst(positions, made, [mpmath.mpf(entry) for entry in frequencies]) <= ONE_ULP


@pytest.mark.parametrize(
    ("position", "significand", "exponent"),
    [
        (141505860595423, 1758956217536914, -97),
        (344713476313121, 5776452164838256, -100),
        (3556574297293909, 6158575117674893, -100),
    ],
)
def test_products_chosen_to_cancel(position: int, significand: int, exponent: int) -> None:
    """Integers next to multiples of pi/2 * 2^k that happen to split into two factors below 2^53.

    The angle lies within 2^-102 of an odd number of quarter turns: about the worst that a position and
    a float64 frequency can do, and fatal to a fraction of a turn of 128 bits.
    """
    frequency = math.ldexp(significand, exponent)
    with mpmath.workdps(120):
        quarters = position * mpmath.mpf(frequency) / (mpmath.pi / 2)
        assert abs(quarters - mpmath.nint(quarters)) < mpmath.mpf(2) ** -102
        array = np.array([position])
        made = tables(space({"positions": array}), array, (Decimal(frequency),))
        assert worst([position], made, [mpmath.mpf(frequency)]) <= ONE_ULP


@pytest.mark.parametrize("factor", [1.3465735902799727, 1.9999999, 0.1, 1e300, 2.0**-1000])
def test_a_magnitude_factor_costs_no_second_rounding(factor: float) -> None:
    positions = [*range(1, 40), AWKWARD[5]]
    with mpmath.workdps(80):
        assert worst(positions, made_at(positions, 1e4, 8, factor), ladder_of(1e4, 8), factor) <= ONE_ULP


def test_exact_values() -> None:
    cos, sin = made_at([0, -0.0], 1e4, 8)
    assert (cos == 1.0).all()
    assert (sin == 0.0).all()
    assert not np.signbit(sin).any()
    array = np.array([-3])
    _, sin = tables(space({"positions": array}), array, (Decimal(0), Decimal("-0.0")))
    assert not np.signbit(sin).any()


def test_sine_is_odd_and_cosine_even_bit_for_bit() -> None:
    positions = np.array([1, 7, 355, 10**6 + 3, 2**53])
    cos, sin = made_at(positions, 5e5, 64)
    mirror_cos, mirror_sin = made_at(-positions, 5e5, 64)
    assert np.array_equal(cos, mirror_cos)
    assert np.array_equal(sin, -mirror_sin)


def test_blocks_meet_without_a_seam() -> None:
    """A table longer than a block equals its rows made one by one at both sides of the seam."""
    rows = BLOCK // 4
    positions = np.arange(2 * rows + 3)
    cos, sin = made_at(positions, 1e4, 8)
    for row in (0, rows - 1, rows, 2 * rows - 1, 2 * rows, 2 * rows + 2):
        alone = made_at(positions[row : row + 1], 1e4, 8)
        assert np.array_equal(alone[0][0], cos[row])
        assert np.array_equal(alone[1][0], sin[row])
    assert cos.shape == (2 * rows + 3, 4)


def test_leading_axes_and_empty() -> None:
    positions = np.arange(12).reshape(2, 1, 6)
    cos, _ = made_at(positions, 1e4, 8)
    assert cos.shape == (2, 1, 6, 4)
    assert np.array_equal(cos.reshape(12, 4), made_at(np.arange(12), 1e4, 8)[0])
    assert made_at(np.zeros((3, 0), dtype=np.int64), 1e4, 8)[1].shape == (3, 0, 4)


def test_on_every_library(on: Any) -> None:
    """The same bits on libraries whose arithmetic is IEEE: only + - * and integers are used."""
    positions = np.array([*AWKWARD, -5, 0])
    frequencies = ladder(1e4, [Fraction(i, 4) for i in range(4)])
    here = space({"positions": on(positions)})
    cos, sin = tables(here, here.enter(on(positions)), frequencies)
    expected = made_at(positions, 1e4, 8)
    assert np.array_equal(on.back(here.give(cos)), expected[0])
    assert np.array_equal(on.back(here.give(sin)), expected[1])
