"""positions: key minus query, exact, by brute force."""

from typing import Any

import numpy as np
import pytest

import posref
from posref import positions


def test_a6_relative_takes_two_sequences_of_their_own_length_and_origin() -> None:
    queries, keys = [7, -3], [0, 5, 7, 100]
    got = positions.relative(np.array(queries), np.array(keys))
    assert got.tolist() == [[k - q for k in keys] for q in queries]
    assert got.dtype == np.int64


def test_the_widest_difference_is_exact() -> None:
    """2^54 - 1 needs more than the 53 bits of a float64, so no floating-point subtraction could pass."""
    got = positions.relative(np.array([-(2**53) + 1]), np.array([2**53]))
    assert got.tolist() == [[2**54 - 1]]


def test_unsigned_positions_do_not_wrap() -> None:
    got = positions.relative(np.array([200], dtype=np.uint8), np.array([100, 255], dtype=np.uint8))
    assert got.tolist() == [[-100, 55]]


def test_leading_axes_broadcast() -> None:
    queries, keys = np.arange(6).reshape(2, 1, 3), np.arange(20).reshape(1, 4, 5)
    got = positions.relative(queries, keys)
    assert got.shape == (2, 4, 3, 5)
    for b, h, i, j in np.ndindex(got.shape):
        assert got[b, h, i, j] == keys[0, h, j] - queries[b, 0, i]


def test_empty_sequences() -> None:
    assert positions.relative(np.zeros(0, dtype=int), np.arange(3)).shape == (0, 3)
    assert positions.relative(np.arange(3), np.zeros(0, dtype=int)).shape == (3, 0)


def test_leading_axes_that_do_not_broadcast() -> None:
    with pytest.raises(posref.SpecError, match=r"\[positions.C2\] k_positions") as caught:
        positions.relative(np.zeros((2, 3), dtype=int), np.zeros((3, 3), dtype=int))
    assert caught.value.kind == "INVALID_SHAPE"


def test_on_every_library(on: Any) -> None:
    got = positions.relative(on(np.array([2, 5])), on(np.array([0, 9, -4])))
    assert on.back(got).tolist() == [[-2, 7, -6], [-5, 4, -9]]
