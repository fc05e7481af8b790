"""sincos2d: requirement G1, the rows that three released models compute, and every column by mpmath."""

from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import sincos2d
from posref.numerics.rounding import ulp

MAE: dict[str, Any] = {
    "base": 10000.0,
    "denominator": "dim",
    "axis_order": "x_first",
    "layout": "axis_major",
}
CONVENTIONS = list(
    product(("dim", "count_minus_1"), ("x_first", "y_first"), ("axis_major", "component_major"))
)


def encode(rows: Any, cols: Any, dim: int, **changed: Any) -> Any:
    return sincos2d.encode(np.asarray(rows), np.asarray(cols), dim=dim, **(MAE | changed))


@pytest.mark.parametrize(
    ("changed", "typed"),
    [
        ({}, "0.909297427 0.019998667 -0.416146837 0.999800007 0.841470985 0.009999833 0.540302306 0.99995"),
        (
            {"denominator": "count_minus_1"},
            "0.909297427 0.0002 -0.416146837 0.99999998 0.841470985 0.0001 0.540302306 0.999999995",
        ),
        (
            {"axis_order": "y_first", "layout": "component_major"},
            "0.841470985 0.009999833 0.909297427 0.019998667 0.540302306 0.99995 -0.416146837 0.999800007",
        ),
    ],
    ids=["mae", "big_vision", "timm"],
)
def test_g1_the_patch_at_row_1_column_2_in_three_released_models(changed: dict[str, str], typed: str) -> None:
    """Width 8, nine decimals each."""
    row = encode([1], [2], 8, **changed)[0]
    assert np.abs(row - [float(number) for number in typed.split()]).max() <= 5e-10


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize(
    "places", [([0, 3], [5, -2]), ([2**53], [-6134899525417045]), ([355, -1], [22, 103993])]
)
def test_g1_columns_by_the_words_of_the_clause(convention: tuple[str, ...], places: tuple[Any, Any]) -> None:
    denominator, order, layout = convention
    dim, n = 12, 3
    changed = {"denominator": denominator, "axis_order": order, "layout": layout}
    got = encode(*places, dim, **changed)
    with mpmath.workdps(60):
        bottom = n if denominator == "dim" else n - 1
        ladder = [mpmath.mpf(10000) ** (-mpmath.mpf(j) / bottom) for j in range(n)]
        for values, y, x in zip(got.tolist(), *places, strict=True):
            a, b = (x, y) if order == "x_first" else (y, x)
            first, second = [a * w for w in ladder], [b * w for w in ladder]
            sines = [[mpmath.sin(angle) for angle in axis] for axis in (first, second)]
            cosines = [[mpmath.cos(angle) for angle in axis] for axis in (first, second)]
            blocks = {
                "axis_major": sines[0] + cosines[0] + sines[1] + cosines[1],
                "component_major": sines[0] + sines[1] + cosines[0] + cosines[1],
            }[layout]
            for value, real in zip(values, blocks, strict=True):
                assert abs(mpmath.mpf(value) - real) <= float(ulp(float(real), "float64"))


def test_g1_each_axis_is_a_sinusoid_of_half_the_width() -> None:
    rows, cols = np.array([0, 1, 2, 40]), np.array([7, 3, 2, 0])
    table = encode(rows, cols, 16)
    half = {"dim": 8, "base": 10000.0, "denominator": "dim", "layout": "sin_cos", "odd": "error"}
    assert np.array_equal(table[:, :8], posref.sinusoidal.encode(cols, **half))
    assert np.array_equal(table[:, 8:], posref.sinusoidal.encode(rows, **half))


def test_g1_a_square_grid_hides_the_order_of_the_axes() -> None:
    """As sets of rows, both orders give the same table on a square grid, and not on another."""

    def rows_of(height: int, width: int, order: str) -> set[bytes]:
        y, x = (part.ravel() for part in np.mgrid[:height, :width])
        return {row.tobytes() for row in encode(y, x, 8, axis_order=order)}

    assert rows_of(3, 3, "x_first") == rows_of(3, 3, "y_first")
    assert rows_of(2, 3, "x_first") != rows_of(2, 3, "y_first")


def test_g1_dot_products_depend_on_both_offsets_only() -> None:
    """16 products of entries with errors of u and their sum: 16 (2.5 + 16) u at most."""
    table = encode([2, 5, 12, 15], [1, 7, 21, 27], 16)
    assert abs(table[0] @ table[1] - table[2] @ table[3]) <= 2 * 16 * 18.5 * 2.0**-53


@pytest.mark.parametrize(
    ("dim", "changed", "clause"),
    [
        (6, {}, "sincos2d.C1"),
        (0, {}, "sincos2d.C1"),
        (4, {"denominator": "count_minus_1"}, "sincos2d.C1"),
        (8.0, {}, "conventions.C6"),
    ],
)
def test_bad_widths(dim: Any, changed: dict[str, str], clause: str) -> None:
    with pytest.raises(posref.SpecError, match=rf"\[{clause}\] dim"):
        encode([1], [2], dim, **changed)


def test_rows_and_columns_have_one_shape() -> None:
    with pytest.raises(posref.SpecError, match=r"\[sincos2d.C3\] cols") as caught:
        encode([1, 2], [1], 8)
    assert caught.value.kind == "INVALID_SHAPE"
    with pytest.raises(posref.SpecError, match=r"\[sincos2d.C3\] rows"):
        encode([[1, 2]], [[1, 2]], 8)
    assert encode(np.zeros(0, dtype=int), np.zeros(0, dtype=int), 8).shape == (0, 8)


def test_on_every_library(on: Any) -> None:
    rows, cols = np.array([0, -3, 7]), np.array([2, 5, 355])
    got = sincos2d.encode(on(rows), on(cols), dim=8, **MAE, dtype="float32")
    assert np.array_equal(on.back(got), encode(rows, cols, 8, dtype="float32"))
