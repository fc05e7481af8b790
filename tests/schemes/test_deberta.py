"""deberta: buckets against an exact rational test, scores by brute force in rationals, bad input."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import posref
from posref import deberta

V3 = {"position_buckets": 256, "max_relative_positions": 512, "clamp_first": False}


def bucket(offset: Any, **params: Any) -> list[int]:
    return deberta.bucket(np.array(offset), **params).tolist()


def exact_bucket(offset: int, buckets: int, positions: int, clamp: bool) -> int:
    """Return the bucket by comparing rational powers: (|d|/mid)^(mid-1) with ((M-1)/mid)^k."""
    middle, top = buckets // 2, positions - 1
    d = min(max(offset, -top), top) if clamp else offset
    if abs(d) <= middle:
        return d
    k = 0
    while Fraction(abs(d), middle) ** (middle - 1) > Fraction(top, middle) ** k:
        k += 1
    return (1 if d > 0 else -1) * (middle + k)


@pytest.mark.parametrize("clamp", [False, True])
def test_f5_every_offset_of_the_released_model(clamp: bool) -> None:
    offsets = list(range(-600, 601))
    got = bucket(offsets, **V3 | {"clamp_first": clamp})
    reached = {k: Fraction(511, 128) ** k for k in range(145)}
    for d, value in zip(offsets, got, strict=True):
        size = min(abs(d), 511) if clamp else abs(d)
        if size <= 128:
            assert value == d
            continue
        k, power = abs(value) - 128, Fraction(size, 128) ** 127
        assert reached[k - 1] < power <= reached[k]
        assert (value > 0) == (d > 0)


@pytest.mark.parametrize("clamp", [False, True])
@pytest.mark.parametrize(
    ("buckets", "positions"), [(2, 3), (2, 40), (4, 4), (4, 30), (6, 100), (16, 17), (32, 65), (32, 512)]
)
def test_f5_other_settings_by_exact_rationals(buckets: int, positions: int, clamp: bool) -> None:
    offsets = list(range(-positions - 40, positions + 41))
    got = bucket(offsets, position_buckets=buckets, max_relative_positions=positions, clamp_first=clamp)
    assert got == [exact_bucket(d, buckets, positions, clamp) for d in offsets]


@given(st.integers(-(2**54), 2**54), st.integers(1, 6), st.integers(2, 10**6), st.booleans())
def test_f5_any_offset(offset: int, middle: int, extra: int, clamp: bool) -> None:
    numbers = {"position_buckets": 2 * middle, "max_relative_positions": middle + extra}
    got = bucket([offset], **numbers, clamp_first=clamp)
    assert got == [exact_bucket(offset, 2 * middle, middle + extra, clamp)]


def test_f5_worked_buckets() -> None:
    worked = {127: 127, 128: 128, 129: 129, 200: 169, 256: 192, 511: 255, 512: 256, -129: -129}
    assert bucket(list(worked), **V3) == list(worked.values())
    assert bucket([512, 600, -512, -511], **V3 | {"clamp_first": True}) == [255, 255, -255, -255]


def test_f5_the_index_of_a_clamped_offset() -> None:
    """Rows 0..511: offset -511 has row 1 either way; -512 has row 0, or 1 if clamped first."""
    rows = {
        clamp: np.clip(np.array(bucket([-511, -512, 600], **V3 | {"clamp_first": clamp})) + 256, 0, 511)
        for clamp in (False, True)
    }
    assert rows[False].tolist() == [1, 0, 511]
    assert rows[True].tolist() == [1, 1, 511]


def test_f5_far_offsets_keep_their_order_without_the_clamp() -> None:
    got = bucket([2**20, 2**31 + 1, 2**53, 2**54, -(2**54)], **V3)
    assert got[0] < got[1] < got[2] < got[3] == -got[4]
    power, k = Fraction(2**54, 128) ** 127, got[3] - 128
    assert Fraction(511, 128) ** (k - 1) < power <= Fraction(511, 128) ** k


def test_f5_the_offset_is_query_minus_key() -> None:
    """q = 5, k = 3: offset 2, row span + 2 = 258; the opposite sign would read row 254."""
    offset = -posref.positions.relative(np.array([5]), np.array([3]))
    assert (deberta.bucket(offset, **V3) + 256).tolist() == [[258]]


def drawn(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-64, 65, shape) / 16.0


@pytest.mark.parametrize(
    "terms", [["c2c"], ["c2p"], ["p2c"], ["c2c", "c2p"], ["p2c", "c2c"], ["c2c", "c2p", "p2c"]]
)
def test_f5_scores_by_brute_force(terms: list[str]) -> None:
    """Values are dyadic, so every sum is exact."""
    q, k, pos_q, pos_k = drawn(1, 2, 3, 4), drawn(2, 2, 5, 4), drawn(3, 2, 6, 4), drawn(4, 2, 6, 4)
    index = np.array([[0, 5, 2, 3, 1], [4, 0, 5, 2, 2], [1, 1, 3, 0, 5]])
    got = deberta.scores(q, k, pos_q, pos_k, index, terms=terms, scale=0.25)
    for h, i, j in np.ndindex(2, 3, 5):
        row = index[i, j]
        parts = {"c2c": q[h, i] @ k[h, j], "c2p": q[h, i] @ pos_k[h, row], "p2c": k[h, j] @ pos_q[h, row]}
        assert got[h, i, j] == 0.25 * sum(parts[name] for name in terms)


def test_f5_disentangled_terms_are_no_scalar_bias() -> None:
    """Unlike T5's bias, the position terms change with the content at fixed positions."""
    at, one = np.zeros((1, 1), int), np.ones((1, 1, 1))
    choice = {"terms": ["c2p"], "scale": 1.0}
    low, high = (deberta.scores(q * one, one, one, 3 * one, at, **choice) for q in (1.0, 2.0))
    assert (low[0, 0, 0], high[0, 0, 0]) == (3.0, 6.0)


def test_the_order_of_terms_does_not_matter() -> None:
    q, k, p = drawn(5, 1, 2, 3), drawn(6, 1, 4, 3), drawn(7, 1, 2, 3)
    index = np.array([[0, 1, 1, 0], [1, 0, 1, 0]])
    one = deberta.scores(q, k, p, -p, index, terms=["c2c", "c2p", "p2c"], scale=1.0)
    other = deberta.scores(q, k, p, -p, index, terms=["p2c", "c2p", "c2c"], scale=1.0)
    assert np.array_equal(one, other)


def test_empty_queries_or_keys() -> None:
    p = drawn(8, 2, 4, 3)
    for queries, keys in ((0, 3), (3, 0)):
        got = deberta.scores(
            np.ones((2, queries, 3)),
            np.ones((2, keys, 3)),
            p,
            p,
            np.zeros((queries, keys), int),
            terms=["c2p", "p2c"],
            scale=1.0,
        )
        assert got.shape == (2, queries, keys)
    assert deberta.bucket(np.zeros((0, 2), int), **V3).shape == (0, 2)
    assert int(deberta.bucket(np.array(-200), **V3)) == -169


@pytest.mark.parametrize(("buckets", "positions"), [(256, 129), (256, 100), (2, 2)])
def test_too_few_positions_for_the_buckets(buckets: int, positions: int) -> None:
    with pytest.raises(posref.SpecError, match=r"\[deberta.C1\] max_relative_positions: ") as caught:
        bucket([0], position_buckets=buckets, max_relative_positions=positions, clamp_first=True)
    assert caught.value.kind == "INVALID_PARAMETER"


def test_odd_buckets() -> None:
    with pytest.raises(posref.SpecError, match=r"\[deberta.C1\] position_buckets: .*multiple of 2"):
        bucket([0], position_buckets=255, max_relative_positions=512, clamp_first=True)


@pytest.mark.parametrize("terms", [[], ["c2c", "c2c"], ["p2p"], "c2c", ["c2c", None]])
def test_terms_without_a_meaning(terms: Any) -> None:
    one = np.ones((1, 1, 1))
    with pytest.raises(posref.SpecError, match=r"\[deberta.C2\] terms: "):
        deberta.scores(one, one, one, one, np.zeros((1, 1), int), terms=terms, scale=1.0)


@pytest.mark.parametrize("row", [-1, 6, 2**40])
@pytest.mark.parametrize("terms", [["c2c"], ["c2p", "p2c"]])
def test_an_index_without_a_row(row: int, terms: list[str]) -> None:
    index = np.array([[0, 5, row]])
    p = drawn(9, 1, 6, 2)
    with pytest.raises(
        posref.SpecError, match=rf"\[deberta.C2\] index: must be a row from 0 to 5, got {row}"
    ) as caught:
        deberta.scores(np.ones((1, 1, 2)), np.ones((1, 3, 2)), p, p, index, terms=terms, scale=1.0)
    assert caught.value.kind == "OUT_OF_RANGE"


def test_on_every_library(on: Any) -> None:
    numbers = {"position_buckets": 4, "max_relative_positions": 30}
    got = on.back(deberta.bucket(on(np.array([[-40, -3], [2, 29]])), **numbers, clamp_first=True))
    assert got.tolist() == [[exact_bucket(d, 4, 30, True) for d in row] for row in ([-40, -3], [2, 29])]
    q, k, p = drawn(1, 2, 3, 4), drawn(2, 2, 5, 4), drawn(3, 2, 6, 4)
    index = np.arange(15).reshape(3, 5) % 6
    choice = {"terms": ["c2c", "c2p", "p2c"], "scale": 0.5}
    scores = on.back(deberta.scores(on(q), on(k), on(p), on(-p), on(index), **choice))
    assert scores[1, 2, 4] == 0.5 * (q[1, 2] @ k[1, 4] + q[1, 2] @ -p[1, 2] + k[1, 4] @ p[1, 2])
