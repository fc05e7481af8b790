"""swin: indices by brute force, coordinates against mpmath and worked numbers, bad input."""

from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import swin
from posref.numerics.rounding import exact, ulp


@pytest.mark.parametrize("window", [[1, 1], [1, 4], [3, 1], [2, 2], [2, 3], [3, 2], [7, 7], [4, 6]])
def test_g1_index_by_brute_force(window: list[int]) -> None:
    height, width = window
    tokens = [(y, x) for y in range(height) for x in range(width)]
    expected = [
        [(y - a + height - 1) * (2 * width - 1) + (x - b + width - 1) for a, b in tokens] for y, x in tokens
    ]
    assert swin.index(window=window).tolist() == expected


def test_worked_index_of_a_2_by_2_window() -> None:
    """Row dy * 3 + dx + 4."""
    got = swin.index(window=[2, 2])
    assert got.tolist() == [[4, 3, 1, 0], [5, 4, 2, 1], [7, 6, 4, 3], [8, 7, 5, 4]]


def test_every_row_is_used_and_mirrors_its_opposite() -> None:
    got = swin.index(window=[3, 5])
    assert sorted(set(got.ravel().tolist())) == list(range(5 * 9))
    assert (got + got.T == 44).all()
    assert (np.diag(got) == 22).all()


def real(delta: int, size: int) -> mpmath.mpf:
    if delta == 0:
        return mpmath.mpf(0)
    c = mpmath.mpf(8 * delta) / (size - 1)
    return mpmath.sign(c) * mpmath.log(1 + abs(c), 2) / 3


WINDOWS = [
    ([8, 8], None), ([2, 3], None), ([16, 8], [8, 12]), ([4, 24], [12, 12]), ([1, 5], None),
    ([6, 1], [3, 7]), ([3, 2], [1000, 2]), ([1, 2], [1, 9]),
]  # fmt: skip


@pytest.mark.parametrize(("window", "before"), WINDOWS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_g1_coordinates_are_within_an_ulp(window: list[int], before: list[int] | None, dtype: str) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    got = exact(swin.log_coords(window=window, pretrained_window=before, dtype=dtype))[1]
    height, width = window
    assert got.shape == (2 * height - 1, 2 * width - 1, 2)
    sizes = before or window
    with mpmath.workdps(60):
        for v, w in np.ndindex(2 * height - 1, 2 * width - 1):
            offsets = v - height + 1, w - width + 1
            for axis, (delta, size) in enumerate(zip(offsets, sizes, strict=True)):
                value = real(delta, size)
                assert abs(got[v, w, axis] - value) <= float(ulp(float(value), dtype))
                assert got[v, w, axis] != 0 or delta == 0


def test_worked_coordinates() -> None:
    got = swin.log_coords(window=[8, 8], pretrained_window=None)[7, 7:, 1]
    assert got[[0, 1, 2, 7]] == pytest.approx([0, 0.366511891, 0.572069011, 1.056641667], abs=5e-10)


def test_coordinates_that_are_exact() -> None:
    """c = 1, 3, 7: log2 of a power of two, over 3."""
    got = swin.log_coords(window=[2, 8], pretrained_window=[5, 9])
    assert got[:, 7, 0].tolist() == [-np.log2(3.0) / 3, 0.0, np.log2(3.0) / 3]
    assert got[1, [8, 10, 14], 1].tolist() == [1 / 3, 2 / 3, 1.0]
    assert got[1, [6, 4, 0], 1].tolist() == [-1 / 3, -2 / 3, -1.0]


def test_coordinates_are_odd_and_rows_come_first() -> None:
    got = swin.log_coords(window=[3, 5], pretrained_window=None)
    assert np.array_equal(got, -got[::-1, ::-1])
    assert (got[:, :, 0] == got[:, :1, 0]).all()
    assert (got[:, :, 1] == got[:1, :, 1]).all()
    assert got[0, 0].tolist() == got[0, 0, [1, 0]].tolist()  # the ends are log2(9) / 3 on both axes
    assert got[0, 1, 0] != got[0, 1, 1]


def test_a_wider_window_goes_beyond_that_of_pretraining() -> None:
    wide = swin.log_coords(window=[16, 16], pretrained_window=[8, 8])
    own = swin.log_coords(window=[8, 8], pretrained_window=None)
    assert np.array_equal(wide[8:23, 8:23], own)
    assert wide.max() > own.max()


def test_an_axis_of_one_token_has_coordinate_0() -> None:
    for before in (None, [1, 3], [4, 3]):
        got = swin.log_coords(window=[1, 3], pretrained_window=before)
        assert got.shape == (1, 5, 2)
        assert not got[:, :, 0].any()
        assert not np.signbit(got[:, :, 0]).any()


@pytest.mark.parametrize("before", [[1, 4], [4, 1]])
def test_an_axis_that_was_one_token_wide(before: list[int]) -> None:
    with pytest.raises(posref.SpecError, match=r"\[swin.C2\] pretrained_window: must be above 1") as caught:
        swin.log_coords(window=[2, 2], pretrained_window=before)
    assert caught.value.kind == "INVALID_PARAMETER"


@pytest.mark.parametrize("window", [[0, 3], [3], [2, 2, 2], [2.0, 2], "ab", 7, [True, 2]])
def test_windows_without_a_meaning(window: Any) -> None:
    with pytest.raises(posref.SpecError, match=r"window: "):
        swin.index(window=window)
    with pytest.raises(posref.SpecError, match=r"\] pretrained_window: "):
        swin.log_coords(window=[2, 2], pretrained_window=window)


def test_on_every_library(on: Any) -> None:
    got = on.back(swin.log_coords(window=[1, 2], pretrained_window=[1, 9], like=on(np.ones(1))))
    assert got.tolist() == [[[0.0, -1 / 3], [0.0, 0.0], [0.0, 1 / 3]]]
