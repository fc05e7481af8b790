"""Tables of several blocks, and angles that only the full reduction decides: the bits of single positions."""

from decimal import Decimal
from typing import Any

import mpmath
import numpy as np
import pytest

from posref.numerics import phase
from posref.numerics.namespace import space
from posref.numerics.phase import exact_tables
from posref.numerics.rounding import ulp
from posref.numerics.wide import Frequencies

FREQUENCIES: Frequencies = tuple(map(Decimal, ("1", "-0.7", "0.03", "1e-12", "0", "1e-300", "3.25", "90.5")))
POSITIONS = [0.3, 1.0, 2.0**40 + 1, 0.0, 0.5, 7.0, 5e-324, -3.75, 21053343141.0, -1.0, 12345.0]


def real(position: float, frequency: Decimal) -> tuple[Any, Any]:
    angle = mpmath.mpf(position) * mpmath.mpf(str(frequency))
    return mpmath.cos(angle), mpmath.sin(angle)


@pytest.mark.parametrize("size", [8, 16, 24, 2**15])
def test_blocks_have_the_bits_of_single_positions(
    on: Any, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phase, "BLOCK", size)

    def tables(positions: list[float]) -> list[Any]:
        given = on(np.array(positions))
        here = space({"p": given})
        made = exact_tables(here, here.enter(given), FREQUENCIES)
        return [part if here.is_numpy else on.back(part) for part in made]

    found = tables(POSITIONS)
    for row, position in enumerate(POSITIONS):
        for part, one in zip(found, tables([position]), strict=True):
            assert part[row].tobytes() == one[0].tobytes()


def test_entries_are_right_whatever_decides_them() -> None:
    positions = np.array(POSITIONS)
    tables = exact_tables(space({"p": positions}), positions, FREQUENCIES, 1.3465735902799727)
    with mpmath.workdps(400):
        for row, position in enumerate(POSITIONS):
            for column, frequency in enumerate(FREQUENCIES):
                for table, exact in zip(tables, real(position, frequency), strict=True):
                    want = exact * mpmath.mpf(1.3465735902799727)
                    off = abs(mpmath.mpf(float(table[row, column])) - want)
                    assert off <= float(ulp(float(want), "float64"))
                    assert exact or not np.signbit(table[row, column])


def test_only_what_is_whole_is_turned() -> None:
    here = space({})
    whole = np.arange(300)
    assert phase._turnable(here, whole, 1.0) is not None
    assert phase._turnable(here, whole * 1.0, 1.0).dtype == np.int64
    assert phase._turnable(here, whole.reshape(3, 100), 1.0).shape == (300,)
    assert phase._turnable(here, whole + 0.5, 1.0) is None
    assert phase._turnable(here, whole[:255], 1.0) is None
    assert phase._turnable(here, whole[:256], 1.0) is not None
    for factor, turns in ((2.0**-60, True), (2.0**60, True), (2.0**-61, False), (2.0**61, False)):
        assert (phase._turnable(here, whole, factor) is not None) == turns


def test_negative_frequencies_turn_the_other_way() -> None:
    positions = np.array(POSITIONS)
    forth = exact_tables(space({}), positions, tuple(map(Decimal, ("0.7", "3"))))
    back = exact_tables(space({}), positions, tuple(map(Decimal, ("-0.7", "-3"))))
    assert np.array_equal(forth[0], back[0])
    assert np.array_equal(forth[1], -back[1])
    assert np.abs(forth[1]).max() > 0.5
