"""shaw: worked indices, scores and outputs by brute force in exact numbers, bad input."""

from typing import Any

import numpy as np
import pytest

import posref
from posref import shaw


def drawn(seed: int, *shape: int) -> np.ndarray:
    """Return dyadic numbers whose products and sums float64 holds exactly."""
    return np.random.default_rng(seed).integers(-64, 65, shape) / 16.0


def test_f3_clip_16_counts_distance_40_as_16() -> None:
    sides = {"clip_left": 16, "clip_right": 16}
    got = shaw.index(np.array([40, 0]), np.array([0, 40]), **sides)
    assert got.tolist() == [[0, 16], [16, 32]]


def test_f3_worked_rows() -> None:
    got = shaw.index(np.arange(5), np.arange(5), clip_left=2, clip_right=2)
    rows = [[2, 3, 4, 4, 4], [1, 2, 3, 4, 4], [0, 1, 2, 3, 4], [0, 0, 1, 2, 3], [0, 0, 0, 1, 2]]
    assert got.tolist() == rows


def test_f3_unequal_clips() -> None:
    """Far past and near future, as in the speech encoders that ship it."""
    got = shaw.index(np.array([100]), np.array([30, 36, 37, 100, 107, 108, 109]), clip_left=64, clip_right=8)
    assert got.tolist() == [[0, 0, 1, 64, 71, 72, 72]]


@pytest.mark.parametrize(("left", "right"), [(0, 0), (0, 3), (5, 0), (2, 7), (2**53, 2**53)])
def test_f3_index_by_brute_force(left: int, right: int) -> None:
    queries, keys = [0, 9, -(2**53), 2**53], [0, 1, 8, 13, 2**53, -(2**53), 2**31 + 5]
    got = shaw.index(np.array(queries), np.array(keys), clip_left=left, clip_right=right)
    assert got.tolist() == [[max(-left, min(right, k - q)) + left for k in keys] for q in queries]


def test_f3_the_same_vector_for_the_same_offset_everywhere() -> None:
    sides = {"clip_left": 3, "clip_right": 2}
    near = shaw.index(np.arange(6), np.arange(9), **sides)
    far = shaw.index(np.arange(6) + 10**6, np.arange(9) + 10**6, **sides)
    assert np.array_equal(near, far)
    assert np.array_equal(near[1:, 1:], near[:-1, :-1])


def test_index_of_a_batch() -> None:
    got = shaw.index(np.array([[[4], [0]]]), np.array([[3, 4, 6]]), clip_left=1, clip_right=1)
    assert got.tolist() == [[[[0, 1, 2]], [[2, 2, 2]]]]


INDEX = np.array([[0, 4, 2, 3, 1], [4, 0, 1, 2, 2], [1, 1, 3, 0, 4]])


@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
def test_f3_scores_by_brute_force(lead: tuple[int, ...]) -> None:
    q, k, table = drawn(1, *lead, 3, 4), drawn(2, *lead, 5, 4), drawn(3, 5, 4)
    got = shaw.scores(q, k, table, INDEX, scale=0.375)
    assert got.shape == (*lead, 3, 5)
    for at in np.ndindex(*lead, 3, 5):
        *head, i, j = at
        left = q[(*head, i)]
        assert got[at] == 0.375 * (left @ k[(*head, j)] + left @ table[INDEX[i, j]])


@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
def test_f3_output_by_brute_force(lead: tuple[int, ...]) -> None:
    weights, v, table = drawn(4, *lead, 3, 5), drawn(5, *lead, 5, 4), drawn(6, 5, 4)
    got = shaw.output(weights, v, table, INDEX)
    assert got.shape == (*lead, 3, 4)
    for at in np.ndindex(*lead, 3):
        *head, i = at
        total = sum(weights[(*head, i, j)] * (v[(*head, j)] + table[INDEX[i, j]]) for j in range(5))
        assert np.array_equal(got[at], total)


def test_f3_without_tables_it_is_plain_attention() -> None:
    q, k, none = drawn(1, 2, 3, 4), drawn(2, 2, 5, 4), np.zeros((5, 4))
    assert np.array_equal(shaw.scores(q, k, none, INDEX, scale=0.5), posref.attention.scores(q, k, scale=0.5))


def test_f3_weights_are_used_as_given() -> None:
    """Weights that sum to 3 give three times the vector of the offset."""
    got = shaw.output(np.full((1, 3), 1.0), np.zeros((3, 1)), np.array([[2.0]]), np.zeros((1, 3), int))
    assert got.tolist() == [[6.0]]


def test_empty_queries_or_keys() -> None:
    table = np.ones((5, 4))
    for queries, keys in ((0, 5), (3, 0)):
        index = np.zeros((queries, keys), int)
        got = shaw.scores(np.ones((2, queries, 4)), np.ones((2, keys, 4)), table, index, scale=1.0)
        assert got.shape == (2, queries, keys)
        got = shaw.output(np.ones((2, queries, keys)), np.ones((2, keys, 4)), table, index)
        assert got.shape == (2, queries, 4)
        assert not got.any() or queries == 0


@pytest.mark.parametrize(("side", "value"), [("clip_left", -1), ("clip_right", -1), ("clip_left", 2**53 + 1)])
def test_a_clip_outside_its_domain(side: str, value: int) -> None:
    clips = {"clip_left": 2, "clip_right": 2} | {side: value}
    with pytest.raises(posref.SpecError, match=rf"\[shaw.C1\] {side}: must be an integer >= 0"):
        shaw.index(np.arange(2), np.arange(3), **clips)


@pytest.mark.parametrize("row", [-1, 5])
def test_an_index_without_a_row(row: int) -> None:
    index = np.array([[0, 4, row]])
    calls = {
        "C2": lambda: shaw.scores(np.ones((1, 4)), np.ones((3, 4)), np.ones((5, 4)), index, scale=1.0),
        "C3": lambda: shaw.output(np.ones((1, 3)), np.ones((3, 4)), np.ones((5, 4)), index),
    }
    for clause, call in calls.items():
        message = rf"\[shaw.{clause}\] index: must be a row from 0 to 4, got {row}"
        with pytest.raises(posref.SpecError, match=message) as caught:
            call()
        assert caught.value.kind == "OUT_OF_RANGE"


def test_heads_of_keys_are_not_repeated() -> None:
    with pytest.raises(posref.SpecError, match="k: leading axes"):
        shaw.scores(np.ones((4, 3, 2)), np.ones((2, 5, 2)), np.ones((5, 2)), INDEX, scale=1.0)


def test_on_every_library(on: Any) -> None:
    got = on.back(shaw.index(on(np.array([5])), on(np.array([0, 5, 9])), clip_left=2, clip_right=1))
    assert got.tolist() == [[0, 2, 3]]
    q, k, table = drawn(1, 2, 3, 4), drawn(2, 2, 5, 4), drawn(3, 5, 4)
    scores = on.back(shaw.scores(on(q), on(k), on(table), on(INDEX), scale=0.5))
    assert scores[1, 2, 3] == 0.5 * (q[1, 2] @ k[1, 3] + q[1, 2] @ table[0])
    weights = drawn(4, 2, 3, 5)
    y = on.back(shaw.output(on(weights), on(k), on(table), on(INDEX)))
    assert np.array_equal(y[1, 2], weights[1, 2] @ (k[1] + table[INDEX[2]]))
