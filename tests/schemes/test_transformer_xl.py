"""transformer_xl: scores by brute force, rows by distance and not by order, bad input."""

from typing import Any

import numpy as np
import pytest

import posref
from posref import transformer_xl


def drawn(seed: int, *shape: int) -> np.ndarray:
    """Return dyadic numbers whose products and sums float64 holds exactly."""
    return np.random.default_rng(seed).integers(-64, 65, shape) / 16.0


def arguments(queries: list[int], keys: list[int], distances: list[int]) -> dict[str, np.ndarray]:
    return {
        "q": drawn(1, 2, len(queries), 4),
        "k": drawn(2, 2, len(keys), 4),
        "r": drawn(3, 2, len(distances), 4),
        "distances": np.array(distances),
        "u": drawn(4, 2, 4),
        "v": drawn(5, 2, 4),
        "q_positions": np.array(queries, int),
        "k_positions": np.array(keys, int),
    }


DISTANCES = [
    ([2, 3], [0, 1, 2, 3], [3, 2, 1, 0, -1]),
    ([2, 3], [0, 1, 2, 3], [-1, 0, 1, 2, 3]),
    ([0, 1, 2], [0, 1, 2, 3], [0, 2, -3, 1, -2, -1]),
    ([10**6 + 7], [10**6, -5, 10**6 + 9], [40, 7, 10**6 + 12, -2]),
    ([2**53, -(2**53)], [2**53, -(2**53), 0], [2**54, 0, -(2**54), 2**53, -(2**53)]),
]


@pytest.mark.parametrize(("queries", "keys", "distances"), DISTANCES)
def test_scores_by_brute_force(queries: list[int], keys: list[int], distances: list[int]) -> None:
    given = arguments(queries, keys, distances)
    got = transformer_xl.scores(**given, scale=0.25)
    q, k, r, u, v = (given[name] for name in "qkruv")
    for h, i, j in np.ndindex(2, len(queries), len(keys)):
        row = distances.index(queries[i] - keys[j])
        content, position = (q[h, i] + u[h]) @ k[h, j], (q[h, i] + v[h]) @ r[h, row]
        assert got[h, i, j] == 0.25 * (content + position)


def test_worked_distances() -> None:
    """Two queries and four keys: distances 2 1 0 -1 and 3 2 1 0."""
    given = arguments([2, 3], [0, 1, 2, 3], [3, 2, 1, 0, -1])
    given |= {"q": np.zeros((2, 2, 4)), "u": np.zeros((2, 4)), "v": np.eye(4)[:2]}
    given["r"] = np.array([3.0, 2.0, 1.0, 0.0, -1.0])[None, :, None] * np.ones((2, 5, 4))
    got = transformer_xl.scores(**given, scale=1.0)
    assert got[0].tolist() == got[1].tolist() == [[2, 1, 0, -1], [3, 2, 1, 0]]


def test_the_future_has_rows_of_its_own() -> None:
    """With sines of distance +1 and -1 (d = 2) the scores of a past and a future key differ."""
    past, future = np.array([0.841470985, 0.540302306]), np.array([-0.841470985, 0.540302306])
    given = arguments([5], [4, 6], [1, -1])
    given |= {"q": np.zeros((2, 1, 4)), "u": np.zeros((2, 4)), "v": np.full((2, 4), 1.0)}
    given["r"] = np.zeros((2, 2, 4))
    given["r"][:, :, :2] = past, future
    got = transformer_xl.scores(**given, scale=1.0)[0, 0]
    assert got.tolist() == [past.sum(), future.sum()]


def test_rows_are_found_by_distance_not_by_order() -> None:
    given = arguments([2, 3], [0, 1, 2, 3], [3, 2, 1, 0, -1])
    order = np.array([4, 0, 3, 1, 2])
    turned = given | {"distances": given["distances"][order], "r": given["r"][:, order]}
    assert np.array_equal(
        transformer_xl.scores(**given, scale=1.0), transformer_xl.scores(**turned, scale=1.0)
    )


def test_only_distances_matter() -> None:
    given = arguments([2, 3], [0, 1, 2, 3], [3, 2, 1, 0, -1])
    moved = given | {name: given[name] + 10**9 for name in ("q_positions", "k_positions")}
    assert np.array_equal(
        transformer_xl.scores(**given, scale=1.0), transformer_xl.scores(**moved, scale=1.0)
    )


def test_a_decoding_step_is_the_last_row_of_the_whole() -> None:
    given = arguments([2, 3], [0, 1, 2, 3], [3, 2, 1, 0, -1])
    step = given | {"q": given["q"][:, 1:], "q_positions": np.array([3])}
    whole = transformer_xl.scores(**given, scale=0.5)
    assert np.array_equal(transformer_xl.scores(**step, scale=0.5), whole[:, 1:])


def test_empty_queries_or_keys() -> None:
    assert transformer_xl.scores(**arguments([], [1, 2, 3], [0, 4]), scale=1.0).shape == (2, 0, 3)
    assert transformer_xl.scores(**arguments([5, 1, 2], [], [0, 4]), scale=1.0).shape == (2, 3, 0)


@pytest.mark.parametrize(
    ("distances", "missing"), [([3, 2, 1, 0], -1), ([-1, 0, 1, 2], 3), ([3, 2, 0, -1, 4], 1)]
)
def test_a_distance_without_a_row(distances: list[int], missing: int) -> None:
    given = arguments([2, 3], [0, 1, 2, 3], distances)
    message = rf"\[transformer_xl.C2\] distances: .* {missing} is missing"
    with pytest.raises(posref.SpecError, match=message) as caught:
        transformer_xl.scores(**given, scale=1.0)
    assert caught.value.kind == "OUT_OF_RANGE"


@pytest.mark.parametrize("queries", [[2, 3], []])
def test_a_distance_listed_twice(queries: list[int]) -> None:
    given = arguments(queries, [0, 1, 2, 3], [3, 2, 1, 0, -1, 2])
    with pytest.raises(
        posref.SpecError, match=r"\[transformer_xl.C2\] distances: must differ, got 2 twice"
    ) as caught:
        transformer_xl.scores(**given, scale=1.0)
    assert caught.value.kind == "INVALID_PARAMETER"


def test_shapes_that_do_not_fit() -> None:
    given = arguments([2, 3], [0, 1, 2, 3], [3, 2, 1, 0, -1])
    with pytest.raises(posref.SpecError, match="distances: axis N is 5"):
        transformer_xl.scores(**given | {"distances": np.array([3, 2, 1, 0])}, scale=1.0)
    with pytest.raises(posref.SpecError, match="q_positions: axis Q is 2"):
        transformer_xl.scores(**given | {"q_positions": np.array([2, 3, 4])}, scale=1.0)


def test_on_every_library(on: Any) -> None:
    queries, keys, distances = DISTANCES[2]
    given = arguments(queries, keys, distances)
    moved = {name: on(value) for name, value in given.items()}
    got = on.back(transformer_xl.scores(**moved, scale=0.5))
    assert np.array_equal(got, transformer_xl.scores(**given, scale=0.5))
