"""learned: requirements C1 to C3, rows moved bit for bit, interpolation by exact fractions."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import posref
from posref import learned
from posref.numerics.rounding import exact, native, ulp
from posref.operation import signature


def draw(seed: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(list(seed.encode())).standard_normal(shape)


def interpolated(table: np.ndarray, length: int, align_corners: bool) -> list[list[Fraction]]:
    """Evaluate learned.C3 word for word in fractions."""
    rows = len(table)
    found = []
    for r in range(length):
        if align_corners:
            s = Fraction(0) if length == 1 else Fraction(r * (rows - 1), length - 1)
        else:
            s = min(
                max((r + Fraction(1, 2)) * rows / length - Fraction(1, 2), Fraction(0)), Fraction(rows - 1)
            )
        a = s.__floor__()
        f = s - a
        pair = zip(table[a].tolist(), table[min(a + 1, rows - 1)].tolist(), strict=True)
        found.append([(1 - f) * Fraction(x) + f * Fraction(y) for x, y in pair])
    return found


def test_c1_row_t_of_the_table_is_added_at_position_t() -> None:
    table = draw("table", 6, 4)
    assert np.array_equal(learned.lookup(table, np.arange(5)), table[:5])
    tokens = draw("tokens", 3, 4)
    assert np.array_equal(tokens + learned.lookup(table, np.array([4, 0, 4])), tokens + table[[4, 0, 4]])


def test_c1_parameters_of_a_table_and_of_a_rotation() -> None:
    """8192 positions of width 4096 are 33,554,432 numbers; a rotation has none."""
    table = next(entry for entry in signature("learned.lookup").inputs if entry.name == "table")
    sizes = {"N": 8192, "d": 4096}
    assert math.prod(sizes[axis] for axis in table.shape.split()) == 33_554_432
    assert {entry.name for entry in signature("rope.apply").inputs} == {"x", "positions"}
    assert {entry.name for entry in signature("sinusoidal.encode").inputs} == {"positions"}


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_c1_rows_are_moved_bit_for_bit(dtype: str) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    table = native([[-0.0, 1.5], [0.0, -2.0], [3.0, -0.0]], dtype)
    rows = learned.lookup(table, np.array([1, 0]), offset=1)
    assert rows.dtype == table.dtype
    assert rows.tobytes() == table[[2, 1]].tobytes()


def test_c2_a_512_row_table_has_no_row_1000_and_the_sinusoid_has() -> None:
    table = draw("trained", 512, 2)
    with pytest.raises(posref.SpecError, match=r"\[learned.C2\] positions: .*row 511, got 1000") as caught:
        learned.lookup(table, np.array([1000]))
    assert caught.value.kind == "OUT_OF_RANGE"
    plain = {"dim": 2, "base": 10000.0, "denominator": "dim", "layout": "interleaved", "odd": "error"}
    assert np.isfinite(posref.sinusoidal.encode(np.array([1000]), **plain)).all()


@pytest.mark.parametrize(
    ("positions", "offset"),
    [([0, 6], 0), ([4], 2), ([-1], 0), ([-1], 2), ([3, 0, -7], 0), ([0], 6), ([0], 2**70)],
)
def test_c2_no_row_is_wrapped_or_clamped(positions: list[int], offset: int) -> None:
    with pytest.raises(posref.SpecError, match=r"\[learned.C2\] positions") as caught:
        learned.lookup(draw("short", 6, 3), np.array(positions), offset=offset)
    assert caught.value.kind == "OUT_OF_RANGE"


def test_c2_the_offset_is_honoured_up_to_the_last_row() -> None:
    table = draw("offset", 6, 3)
    assert np.array_equal(learned.lookup(table, np.arange(4), offset=2), table[2:])
    with pytest.raises(posref.SpecError, match=r"\[learned.C2\] offset"):
        learned.lookup(table, np.arange(2), offset=-1)
    with pytest.raises(posref.SpecError, match=r"\[conventions.C4\] positions"):
        learned.lookup(table, np.array([0.5]))


def test_c3_a_row_that_was_never_trained_is_a_row() -> None:
    table = np.concatenate([draw("seen", 3, 2), np.zeros((2, 2))])
    assert np.array_equal(learned.lookup(table, np.array([4])), [[0.0, 0.0]])


@pytest.mark.parametrize("align_corners", [True, False])
@pytest.mark.parametrize(
    ("rows", "length"), [(4, 7), (7, 10), (10, 4), (5, 5), (1, 4), (6, 1), (1, 1), (2, 9), (14, 61)]
)
def test_c3_a_table_is_extended_by_linear_interpolation(rows: int, length: int, align_corners: bool) -> None:
    table = draw(f"{rows}-{length}", rows, 3)
    got = learned.resize(table, length=length, align_corners=align_corners)
    assert got.shape == (length, 3)
    for values, reals in zip(got.tolist(), interpolated(table, length, align_corners), strict=True):
        for value, real in zip(values, reals, strict=True):
            assert abs(Fraction(value) - real) <= Fraction(float(ulp(float(real), "float64")))


def test_c3_both_corner_rules_by_hand() -> None:
    """Rows 0 and 4 made four: centres at -1/4, 1/4, 3/4, 5/4, or thirds of the way."""
    table = np.array([[0.0], [4.0]])
    assert learned.resize(table, length=4, align_corners=False).tolist() == [[0.0], [1.0], [3.0], [4.0]]
    corners = learned.resize(table, length=4, align_corners=True)
    assert corners.tolist() == [[0.0], [4 / 3], [8 / 3], [4.0]]


@pytest.mark.parametrize("align_corners", [True, False])
def test_c3_the_same_length_changes_nothing_and_a_constant_stays_one(align_corners: bool) -> None:
    table = draw("same", 5, 3)
    assert np.array_equal(learned.resize(table, length=5, align_corners=align_corners), table)
    constant = np.full((5, 2), 0.1)
    assert np.array_equal(
        learned.resize(constant, length=13, align_corners=align_corners), constant[:1] + np.zeros((13, 2))
    )


def test_c3_rows_that_nearly_cancel_keep_their_digits() -> None:
    """Half of 1 less half of 1 + 2^-52 is -2^-53, to the last bit."""
    table = np.array([[1.0], [-1.0 - 2.0**-52]])
    assert learned.resize(table, length=3, align_corners=True)[1, 0] == -(2.0**-53)


def test_c3_the_largest_and_the_smallest_numbers() -> None:
    large = np.array([[1.7e308, -1e-300], [1.7e308, 1.7e308], [-1.7e308, 0.0]])
    small = np.array([[5e-324, 1e-310], [1.5e-323, -1e-310]])
    for table, length in ((large, 7), (small, 4)):
        got = learned.resize(table, length=length, align_corners=True)
        for values, reals in zip(got.tolist(), interpolated(table, length, True), strict=True):
            for value, real in zip(values, reals, strict=True):
                assert abs(Fraction(value) - real) <= Fraction(float(ulp(float(real), "float64")))


def test_c3_short_tables_are_rounded_once() -> None:
    pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    for dtype in ("float32", "float16", "bfloat16"):
        table = native(draw("short", 6, 4), dtype)
        got = exact(learned.resize(table, length=10, align_corners=False))[1]
        real = interpolated(exact(table)[1], 10, False)
        wanted = exact(native([[float(value) for value in row] for row in real], dtype))[1]
        assert np.array_equal(got, wanted)


@pytest.mark.parametrize(
    ("wrong", "clause"),
    [
        ({"length": 0}, "learned.C3"),
        ({"length": 2.0}, "conventions.C6"),
        ({"align_corners": 1}, "conventions.C6"),
    ],
)
def test_c3_bad_parameters(wrong: dict[str, Any], clause: str) -> None:
    with pytest.raises(posref.SpecError, match=rf"\[{clause}\] {next(iter(wrong))}"):
        learned.resize(draw("bad", 4, 2), **({"length": 3, "align_corners": True} | wrong))


def test_leading_axes_and_no_token() -> None:
    table = draw("axes", 7, 3)
    where = np.array([[[3], [0]], [[6], [1]]])
    assert np.array_equal(learned.lookup(table, where), table[where])
    assert learned.lookup(table, np.zeros((2, 0), dtype=int), offset=9).shape == (2, 0, 3)


def test_on_every_library(on: Any) -> None:
    table = draw("library", 5, 3)
    got = learned.lookup(on(table), on(np.array([[2, 0], [1, 4]])))
    assert np.array_equal(on.back(got), table[[[2, 0], [1, 4]]])
    got = learned.resize(on(table), length=8, align_corners=False)
    assert np.array_equal(on.back(got), learned.resize(table, length=8, align_corners=False))
