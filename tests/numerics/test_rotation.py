"""Rotation of pairs: placement, exact movement of the rest, one rounding."""

from typing import Any

import numpy as np
import pytest

import posref
from posref.numerics.namespace import space
from posref.numerics.rotation import pairs, place, rotate
from posref.numerics.rounding import native
from posref.operation import DTYPES


def coordinates(pairing: str, count: int) -> np.ndarray:
    """Return where the first and the second members of the pairs stand, by the words of rope.C4."""
    index = np.arange(count)
    return np.array([2 * index, 2 * index + 1]) if pairing == "adjacent" else np.array([index, index + count])


@pytest.mark.parametrize("pairing_out", ["adjacent", "half"])
@pytest.mark.parametrize("pairing_in", ["adjacent", "half"])
def test_pairs_are_read_and_written_where_they_are_named(pairing_in: str, pairing_out: str) -> None:
    """With cosine 2 and sine 3 a pair (u, w) becomes (2u - 3w, 3u + 2w), in small integers: exact."""
    x = np.arange(1.0, 11.0)[None]
    cos, sin = np.full((1, 3), 2.0), np.full((1, 3), 3.0)
    y = rotate(np, x, cos, sin, pairing_in=pairing_in, pairing_out=pairing_out, rotary_start=1)
    u, w = x[0, 1 + coordinates(pairing_in, 3)]
    first, second = y[0, 1 + coordinates(pairing_out, 3)]
    assert np.array_equal(first, 2 * u - 3 * w)
    assert np.array_equal(second, 3 * u + 2 * w)
    assert np.array_equal(y[0, [0, 7, 8, 9]], x[0, [0, 7, 8, 9]])


@pytest.mark.parametrize("pairing", ["adjacent", "half"])
def test_pairs_names_the_same_coordinates(pairing: str) -> None:
    assert np.array_equal(np.array(pairs(pairing, 5)).T, coordinates(pairing, 5))


def test_place_gathers_exact_copies(on: Any) -> None:
    entries = np.array([[0.0, 1.5, -2.5]])
    where = np.array([[1, 0], [2, 1]])
    here = space({"entries": on(entries)})
    got = place(here, here.enter(on(entries)), where)
    assert np.array_equal(on.back(here.give(got)), [[[1.5, 0.0], [-2.5, 1.5]]])


@pytest.mark.parametrize("pairing", ["adjacent", "half"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_zero_that_was_turned_has_no_sign(dtype: str, pairing: str) -> None:
    """Minus zero less zero, and minus zero and minus zero, are -0; beside the slice a sign stays."""
    pairs = [-0.0, 2.0, -3.0, -0.0] if pairing == "adjacent" else [-0.0, -3.0, 2.0, -0.0]
    x = native(np.array([[-0.0, *pairs, -0.0]]), dtype)
    y = posref.rope.apply(x, np.array([0]), rotary_dim=4, rotary_start=1, base=10.0, pairing=pairing)
    assert np.asarray(y, np.float64).tolist() == [[0.0, *pairs, 0.0]]
    assert np.signbit(np.asarray(y, np.float64)).tolist() == [[True, *(one < 0 for one in pairs), True]]
