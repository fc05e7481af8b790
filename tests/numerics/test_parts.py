"""Parts of tables, factors and lines: counted by hand, and with the bits of the whole."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import posref
from posref.numerics import distances, products, tokens
from posref.numerics.buckets import span
from posref.numerics.checks import admit
from posref.numerics.given import Given
from posref.numerics.tokens import cache_blocks, places, tokens_at

DRAW = np.random.default_rng(20250303)


@pytest.mark.parametrize(
    ("shape", "width", "count"),
    [
        ((5,), 3, 2),  # four rows at a time
        ((2, 3, 5), 3, 12),
        ((2, 3, 2), 3, 4),  # two rows of two entries each
        ((2, 3, 1), 3, 2),
        ((3,), 100, 3),
        ((0,), 3, 1),
        ((1,), 3, 1),
        ((2, 3, 5), 1, 4),
    ],
)
def test_places_and_blocks_are_as_large_as_they_may_be(
    shape: tuple[int, ...], width: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "ENTRIES", 12)
    for found in (list(places(shape, width)), list(cache_blocks(shape, width, 12))):
        seen = np.zeros(shape, int)
        for place in found:
            assert len(place) == len(shape)
            seen[place] += 1
        assert (seen == 1).all()
        assert len(found) == count


def test_the_one_row_of_a_table_serves_all_tokens() -> None:
    assert list(places((1,), 3)) == [(slice(None),)]
    assert all(first == slice(None) for first, *_ in places((1, 300, 500), 3))
    assert list(cache_blocks((1,), 3, 12)) == [(slice(0, 1),)]


@pytest.mark.parametrize(
    ("shape", "found"),
    [
        ((3, 5, 4), (1, 2, 4)),
        ((2, 3, 5, 4), (2, 1, 2, 4)),
        ((1, 5, 4), (1, 2, 4)),
        ((3, 1, 4), (1, 1, 4)),
        ((5, 4), (2, 4)),
        ((1, 4), (1, 4)),
        ((4,), (4,)),
    ],
)
def test_tokens_at_a_place(shape: tuple[int, ...], found: tuple[int, ...]) -> None:
    whole = np.arange(np.prod(shape)).reshape(shape)
    part = tokens_at((slice(1, 2), slice(2, 4)), whole)
    assert part.shape == found
    if len(shape) == 3 and 1 not in shape:
        assert np.array_equal(part, whole[1:2, 2:4])


def scores(q: Any, k: Any) -> Given:
    return admit("attention.scores", {}, {"q": q, "k": k, "scale": 1.0})


@pytest.mark.parametrize(("wide", "count"), [(8, 3), (1, 5), (12, 2), (20, 1), (1000, 1)])
def test_factors_are_wide_a_few_rows_at_a_time(
    wide: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "WIDE", wide)
    k = DRAW.standard_normal((5, 4)).astype(np.float32)
    found = list(products._spans(scores(k, k), "k"))
    assert len(found) == count
    assert np.array_equal(np.concat([part for _, part in found]), k.astype(np.float64))
    assert all(part.dtype == np.float64 and np.array_equal(part, k[place]) for place, part in found)
    batch = np.stack([k, -k, k])
    monkeypatch.setattr(products, "WIDE", 3 * wide)
    found = list(products._spans(scores(batch, batch), "k"))
    assert len(found) == count
    assert np.array_equal(np.concat([part for _, part in found], axis=-2), batch.astype(np.float64))


def test_products_in_parts_are_the_products(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small integers: every sum is exact, in whatever order."""
    q = DRAW.integers(-9, 9, (2, 3, 4)).astype(np.float32)
    k = DRAW.integers(-9, 9, (2, 5, 4)).astype(np.float32)
    given = scores(q, k)
    weights = DRAW.integers(-9, 9, (2, 3, 5)).astype(np.float64)
    for wide in (7, 17, 100):
        monkeypatch.setattr(products, "WIDE", wide)
        assert np.array_equal(products.against(given, given.q, "k"), np.einsum("bqd,bkd->bqk", q, k))
        assert np.array_equal(products.weighed(given, weights, "k"), np.einsum("bqk,bkd->bqd", weights, k))


def test_products_of_another_library_are_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    xp = pytest.importorskip("array_api_strict")
    monkeypatch.setattr(products, "WIDE", 1)
    monkeypatch.setattr(products, "LARGE", 1)
    k = xp.asarray(DRAW.integers(-9, 9, (7, 4)).astype(np.float64))
    given = scores(k, k)
    assert np.array_equal(np.asarray(products.against(given, given.q, "k")), np.asarray(k @ k.mT))
    assert np.array_equal(np.asarray(products.weighed(given, k @ k.mT, "k")), np.asarray(k @ k.mT @ k))
    assert list(products.key_spans(given)) == [slice(0, 7)]


@pytest.mark.parametrize(("queries", "large", "count"), [(5, 60, 3), (5, 10, 7), (1, 12, 3), (5, 140, 1)])
def test_keys_that_have_rows_at_a_time(
    queries: int, large: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "LARGE", large)
    found = list(products.key_spans(scores(np.zeros((queries, 4)), np.zeros((7, 4)))))
    assert len(found) == count
    assert [n for place in found for n in range(7)[place]] == list(range(7))


def test_no_query_has_spans_of_keys_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "LARGE", 12)
    assert len(list(products.key_spans(scores(np.zeros((0, 4)), np.zeros((7, 4)))))) == 3


@pytest.mark.parametrize("size", [1, 3, 4, 100])
def test_consecutive_positions_are_told_across_blocks(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distances, "ELEMENTS", size)
    run = np.arange(5, 17)
    assert distances._consecutive(run)
    assert distances._consecutive(np.stack([run, run - 100, run + 3]))
    assert not distances._consecutive(run[::-1])
    assert not distances._consecutive(np.stack([run * (row != 30) for row in range(40)]))
    assert not distances._consecutive(np.zeros(12, np.int64))
    for place in range(1, 12):
        for jump in (-1, 1):
            gap = run + np.where(np.arange(12) >= place, jump, 0)
            assert not distances._consecutive(gap)
            for row in range(3):
                assert not distances._consecutive(np.stack([gap if n == row else run for n in range(3)]))


def bias(q: Any, k: Any, on: Any = np.asarray) -> Given:
    given = {"q_positions": on(q), "k_positions": on(k), "slopes": on(np.ones(2))}
    return admit("alibi.bias", {}, given | {"form": "neg_abs", "future": "keep", "dtype": "float64"})


@pytest.mark.parametrize(
    ("queries", "keys", "step", "shape"),
    [
        (16, 17, 1, (1, 1, 32)),
        (15, 17, 1, (1, 15, 17)),
        (17, 15, 1, (1, 17, 15)),
        (17, 16, 1, (1, 1, 32)),
        (16, 16, 2, (1, 16, 16)),
    ],
)
def test_long_runs_are_made_from_one_line(queries: int, keys: int, step: int, shape: tuple[int, ...]) -> None:
    seen = []

    def function(part: Given, offset: Any) -> Any:
        seen.append(offset.shape)
        return offset.astype(np.float64) * part.slopes[:, None, None]

    q, k = np.arange(queries) * step, np.arange(keys) + 5
    found = distances.by_distance(bias(q, k), function)
    assert seen == [shape]
    assert np.array_equal(found, np.broadcast_to(k - q[:, None], (2, queries, keys)))


@pytest.mark.parametrize("large", [1, 20, 300, 700])
def test_lines_in_parts_have_the_bits_of_the_whole(large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    q = np.stack([np.arange(20), np.arange(7, 27)])[:, None]
    k = np.stack([np.arange(30) - 4, np.arange(30) + 9])[:, None]
    ways: dict[str, Any] = {"form": "neg_distance", "future": "neg_inf", "dtype": "float32"}
    whole = posref.alibi.bias(q, k, np.array([1 / 3, 0.1, 3.0]), **ways)
    monkeypatch.setattr(distances, "LARGE", large)
    assert posref.alibi.bias(q, k, np.array([1 / 3, 0.1, 3.0]), **ways).tobytes() == whole.tobytes()
    offset = k[..., None, :] - q[..., None]
    real = np.where(offset > 0, -np.inf, offset * np.array([1 / 3, 0.1, 3.0])[:, None, None])
    assert np.array_equal(whole[:, 0], real.astype(np.float32))


@pytest.mark.parametrize(
    ("ones", "others"),
    [
        ([-3, 2], [5, 9]),
        ([10], [1]),
        ([10, 40], [1, 12]),
        ([-9, -20], [-1, -30, 7]),
        ([4], [4]),
        ([0, 3], [2]),
    ],
)
def test_a_span_is_the_largest_distance(ones: list[int], others: list[int], on: Any) -> None:
    q, k = np.array(ones), np.array(others)
    given = bias(q, k, on)
    found = span(given, given.stored["q_positions"], given.stored["k_positions"])
    assert found == np.abs(q[:, None] - k).max()
    whole = given.stored["q_positions"]
    assert span(given, whole, whole) == np.abs(q).max()


def test_rows_of_a_table_in_every_library(on: Any) -> None:
    table, index = DRAW.standard_normal((5, 3)), np.array([[4, 0], [1, 1], [2, 3]])
    found = on.back(posref.learned.lookup(on(table), on(index)))
    assert np.array_equal(found, table[index])


def test_rows_of_a_table_in_parts_give_what_they_give_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    x = DRAW.standard_normal((2, 3, 4, 2)).astype(np.float32)
    for shape in ((4,), (1, 4), (3, 4), (2, 1, 4), (1, 3, 4), (2, 3, 4)):
        positions = DRAW.integers(-99, 99, shape)
        every = np.broadcast_to(positions, (2, 3, 4))
        for entries in (1, 2, 5, 1000):
            monkeypatch.setattr(tokens, "ENTRIES", entries)
            found = posref.rope.apply(x, positions, rotary_dim=2, base=10.0, pairing="half")
            for at in np.ndindex(2, 3, 4):
                alone = posref.rope.apply(
                    x[at][None], every[at][None], rotary_dim=2, base=10.0, pairing="half"
                )
                assert np.array_equal(found[at], alone[0])


@pytest.mark.parametrize(("queries", "keys"), [(1, 6), (6, 1), (5, 6)])
def test_products_do_not_depend_on_how_rows_lie(queries: int, keys: int) -> None:
    """NumPy adds the products of two rows in another order where they are columns in memory."""
    draw = np.random.default_rng(3)
    q, k, table = (draw.standard_normal((2, rows, 8)) for rows in (queries, keys, 4))
    weights, index = draw.random((2, queries, keys)), draw.integers(0, 4, (queries, keys))
    turn = {"rotary_dim": 8, "base": 100.0, "pairing": "half"}
    terms = {"terms": ["c2c", "c2p", "p2c"], "scale": 1.0}
    calls: list[tuple[Callable[..., Any], list[np.ndarray], dict[str, Any]]] = [
        (posref.attention.scores, [q, k], {"scale": 1.0}),
        (posref.deberta.scores, [q, k, table, table, index], terms),
        (posref.rope.score, [q, k, np.arange(queries), np.arange(keys)], turn),
        (posref.shaw.scores, [q, k, table[0], index], {"scale": 1.0}),
        (posref.shaw.output, [weights, k, table[0], index], {}),
    ]
    for function, inputs, params in calls:
        laid = [array.T.copy().T for array in inputs]
        assert function(*laid, **params).tobytes() == function(*inputs, **params).tobytes(), function
