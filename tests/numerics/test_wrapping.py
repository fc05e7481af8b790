"""Angles by a wrapping multiplication: right wherever they say they are sure."""

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from posref.numerics.namespace import space
from posref.numerics.phase import exact_tables
from posref.numerics.reduction import prepare
from posref.numerics.rounding import ulp
from posref.numerics.wide import ladder
from posref.numerics.wrapping import BACK, FRONT, LEAST, wrapped

LADDER = ladder(1e4, [Fraction(i, 8) for i in range(8)])


def test_front_and_back_are_a_unit_of_the_upper_bits() -> None:
    assert float(Fraction(FRONT) * 2**53).is_integer()
    assert (int(Fraction(FRONT) * 2**53)).bit_length() == 24
    with mpmath.workdps(60):
        unit = mpmath.ldexp(2 * mpmath.pi, -32)
        assert abs((mpmath.mpf(FRONT) + mpmath.mpf(BACK)) / unit - 1) < mpmath.mpf(2) ** -76


@pytest.mark.parametrize("bits", [4, 31, 32, 53])
def test_sure_angles_are_right(bits: int) -> None:
    """To 2^-58.9 of their size, by the count of roundings in the module's docstring."""
    draw = random.Random(f"wrapping {bits}")
    positions = np.array([0, 2**bits, *(draw.randrange(2**bits) for _ in range(200))])
    reduction = prepare(space({"positions": positions}), positions.astype(np.float64), LADDER)
    digits = [(digit.number[:, None], digit.weight) for digit in reduction.digits]
    angles, size = wrapped(np, digits)
    assert (size[1:] >= LEAST).mean() > 0.9
    with mpmath.workdps(80):
        for row, column in zip(*np.nonzero(size >= LEAST), strict=True):
            angle = int(positions[row]) * mpmath.mpf(10000) ** (-mpmath.mpf(int(column)) / 8)
            rest = angle - mpmath.nint(angle / (mpmath.pi / 2)) * (mpmath.pi / 2)
            found = mpmath.mpf(angles.rest.high[row, column]) + mpmath.mpf(angles.rest.low[row, column])
            assert abs(found - rest) <= abs(rest) * mpmath.mpf(2) ** -58.9
            quarters = int(mpmath.nint(angle / (mpmath.pi / 2))) % 4
            assert (angles.upright[row, column], angles.across[row, column]) == (
                (1, 0),
                (0, 1),
                (-1, 0),
                (0, -1),
            )[quarters]


def test_unsure_entries_are_reduced_in_full() -> None:
    """Next to a quarter turn, and at fractions: where only the full reduction is right."""
    positions = np.array([21053343141.0, 139755218526789.0, 6134899525417045.0, 0.3, 5e-324, 1.0])
    reduction = prepare(space({"positions": positions}), positions, LADDER[:1])
    _, size = wrapped(np, [(digit.number[:, None], digit.weight) for digit in reduction.digits[:2]])
    unsure = size < reduction.least[:, None]
    assert unsure[:, 0].tolist() == [True, True, True, True, True, False]
    _, sin = exact_tables(space({"positions": positions}), positions, LADDER[:1])
    with mpmath.workdps(80):
        for position, found in zip(positions, sin[:, 0], strict=True):
            real = mpmath.sin(mpmath.mpf(position))
            assert abs(mpmath.mpf(float(found)) - real) <= float(ulp(float(real), "float64"))


def test_the_error_at_random_positions_is_well_below_one_ulp() -> None:
    positions = np.random.default_rng(8).integers(-(2**53), 2**53, 250)
    tables = exact_tables(space({"positions": positions}), positions, LADDER)
    worst = 0.0
    with mpmath.workdps(80):
        for column in range(8):
            frequency = mpmath.mpf(10000) ** (-mpmath.mpf(column) / 8)
            for row, position in enumerate(positions):
                angle = int(position) * frequency
                for table, real in zip(tables, (mpmath.cos(angle), mpmath.sin(angle)), strict=True):
                    off = abs(mpmath.mpf(float(table[row, column])) - real)
                    worst = max(worst, float(off) / float(ulp(float(real), "float64")))
    # half a unit, and the 0.16 units of the cosine before the last rounding
    assert 0.45 < worst <= 0.67
