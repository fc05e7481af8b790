"""t5: buckets against an exact rational test of every distance, the bias by brute force, bad input."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import posref
from posref import t5

ENCODER = {"num_buckets": 32, "max_distance": 128, "bidirectional": True}
DECODER = ENCODER | {"bidirectional": False}

CONFIGURATIONS = [
    (32, 128, True), (32, 128, False), (64, 256, True), (20, 160, True), (24, 100, True), (8, 20, True),
    (4, 3, True), (4, 3, False), (2, 2, False), (3, 17, False), (7, 50, False), (16, 9, False),
    (33, 1000, False), (12, 600, True), (100, 60, False), (128, 512, True),
]  # fmt: skip


def bucket(relative: Any, **params: Any) -> list[int]:
    return t5.bucket(np.array(relative), **params).tolist()


def exact_bucket(relative: int, buckets: int, top: int, bidirectional: bool) -> int:
    """Return the bucket by comparing rational powers: (n/e)^(m-e) with (top/e)^k."""
    side = buckets // 2 if bidirectional else buckets
    offset = side if bidirectional and relative > 0 else 0
    n = abs(relative) if bidirectional else max(-relative, 0)
    e = side // 2
    if n < e:
        return offset + n
    k = 0
    while e + k < side - 1 and Fraction(n, e) ** (side - e) >= Fraction(top, e) ** (k + 1):
        k += 1
    return offset + e + k


@pytest.mark.parametrize(("buckets", "top", "bidirectional"), CONFIGURATIONS)
def test_f4_every_distance_by_exact_rationals(buckets: int, top: int, bidirectional: bool) -> None:
    relative = list(range(-top - 64, top + 65))
    got = bucket(relative, num_buckets=buckets, max_distance=top, bidirectional=bidirectional)
    assert got == [exact_bucket(r, buckets, top, bidirectional) for r in relative]


def test_f4_worked_buckets() -> None:
    both = {
        -128: 15, -64: 14, -32: 12, -16: 10, -9: 8, -7: 7, 0: 0, 1: 17, 8: 24, 16: 26, 64: 30, 128: 31
    }  # fmt: skip
    assert bucket(list(both), **ENCODER) == list(both.values())
    past = {5: 0, -15: 15, -16: 16, -20: 17, -32: 21, -64: 26, -113: 31, -128: 31}
    assert bucket(list(past), **DECODER) == list(past.values())


def test_f4_first_distances_of_the_logarithmic_buckets() -> None:
    first = [8, 12, 16, 23, 32, 46, 64, 91]
    assert bucket([-n for n in first], **ENCODER) == list(range(8, 16))
    assert bucket([1 - n for n in first], **ENCODER) == list(range(7, 15))
    causal = [16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
    assert bucket([-n for n in causal], **DECODER) == list(range(16, 32))
    assert bucket([1 - n for n in causal], **DECODER) == list(range(15, 31))


def test_f4_edges_that_floating_logarithms_miss() -> None:
    """bf16 is wrong at 45 and 90; float64 with a precomputed constant at 64; other settings elsewhere."""
    assert bucket([-45, -64, -90], **ENCODER) == [12, 14, 14]
    assert bucket([-64, -128], num_buckets=64, max_distance=256, bidirectional=True) == [24, 28]
    assert bucket([-10], num_buckets=20, max_distance=160, bidirectional=True) == [6]


def test_f4_all_large_distances_share_the_last_bucket() -> None:
    far = [-128, -129, -5000, -(2**31) - 1, -(2**53), -(2**54)]
    assert bucket(far, **ENCODER) == [15] * 6
    assert bucket([-n for n in far], **ENCODER) == [31] * 6
    assert bucket(far, **DECODER) == [31] * 6
    assert bucket([-n for n in far], **DECODER) == [0] * 6


@given(
    st.integers(-(2**54), 2**54),
    st.integers(2, 12),
    st.integers(1, 2**53),
    st.booleans(),
)
def test_f4_any_distance(relative: int, side: int, extra: int, bidirectional: bool) -> None:
    buckets = 2 * side if bidirectional else side
    top = min(side // 2 + extra, 2**53)
    got = bucket([relative], num_buckets=buckets, max_distance=top, bidirectional=bidirectional)
    assert got == [exact_bucket(relative, buckets, top, bidirectional)]


def test_f4_causal_and_bidirectional_forms_differ() -> None:
    """A decoder gives its buckets to the past alone: from distance 8 on the two disagree."""
    relative = list(range(0, -200, -1))
    encoder, decoder = bucket(relative, **ENCODER), bucket(relative, **DECODER)
    assert encoder[:8] == decoder[:8]
    assert all(a < b for a, b in zip(encoder[9:], decoder[9:], strict=True))


@pytest.mark.parametrize("params", [ENCODER, DECODER])
def test_f4_bias_is_the_bucket_of_key_minus_query(params: dict[str, Any]) -> None:
    table = np.arange(96.0).reshape(32, 3)
    queries, keys = [3, 700, -20], [0, 2, 3, 5, 64, 699, 1000]
    got = t5.bias(table, np.array(queries), np.array(keys), **params)
    for h, i, j in np.ndindex(3, 3, 7):
        row = exact_bucket(keys[j] - queries[i], 32, 128, params["bidirectional"])
        assert got[h, i, j] == table[row, h]


def test_f4_a_decoding_step_has_the_buckets_of_its_own_position() -> None:
    """Past 20, causal 32/128: buckets 17, 16, 12, 1, 0 of keys 0, 4, 8, 19, 20; with q = 0 all are 0."""
    table = np.arange(32.0)[:, None]
    keys = np.array([0, 4, 8, 19, 20])
    assert t5.bias(table, np.array([20]), keys, **DECODER)[0, 0].tolist() == [17, 16, 12, 1, 0]
    assert t5.bias(table, np.array([0]), keys, **DECODER)[0, 0].tolist() == [0] * 5


def test_bias_moves_bits() -> None:
    table = np.array([[-0.0, 5e-324], [0.1, -np.finfo(float).max], [0.0, -1.0], [2.0, 3.0]])
    got = t5.bias(table, np.array([1]), np.array([1, 0]), num_buckets=4, max_distance=5, bidirectional=False)
    assert got.tobytes() == np.ascontiguousarray(table[[0, 1]].T[:, None]).tobytes()
    short = t5.bias(
        table[:, :1].astype(np.float16),
        np.array([0]),
        np.array([0]),
        num_buckets=4,
        max_distance=5,
        bidirectional=False,
    )
    assert short.dtype == np.float16
    assert np.signbit(short).all()


def test_leading_axes_stand_before_the_heads() -> None:
    table = np.arange(8.0).reshape(4, 2)
    params = {"num_buckets": 4, "max_distance": 5, "bidirectional": False}
    got = t5.bias(table, np.array([[[3]], [[5]]]), np.array([[3, 2, 0]]), **params)
    assert got.shape == (2, 1, 2, 1, 3)
    assert got[:, 0, :, 0].tolist() == [[[0, 2, 4], [1, 3, 5]], [[4, 4, 6], [5, 5, 7]]]


def test_shapes_of_every_rank_and_none() -> None:
    assert t5.bucket(np.array(-20), **DECODER).shape == ()
    assert int(t5.bucket(np.array(-20), **DECODER)) == 17
    assert bucket([[-16], [3]], **DECODER) == [[16], [0]]
    assert t5.bucket(np.zeros((2, 3, 4), np.int8), **ENCODER).shape == (2, 3, 4)
    empty = t5.bias(np.ones((32, 2)), np.array([], int), np.arange(3), **ENCODER)
    assert empty.shape == (2, 0, 3)


@pytest.mark.parametrize(
    ("params", "parameter"),
    [
        ({"num_buckets": 31, "max_distance": 128, "bidirectional": True}, "num_buckets"),
        ({"num_buckets": 2, "max_distance": 128, "bidirectional": True}, "num_buckets"),
        ({"num_buckets": 1, "max_distance": 128, "bidirectional": False}, "num_buckets"),
        ({"num_buckets": 32, "max_distance": 8, "bidirectional": True}, "max_distance"),
        ({"num_buckets": 32, "max_distance": 16, "bidirectional": False}, "max_distance"),
    ],
)
def test_numbers_without_a_meaning(params: dict[str, Any], parameter: str) -> None:
    with pytest.raises(posref.SpecError, match=rf"\[t5.C1\] {parameter}: ") as caught:
        t5.bucket(np.array([0]), **params)
    assert caught.value.kind == "INVALID_PARAMETER"


def test_the_smallest_legal_numbers() -> None:
    assert bucket([-9, -1, 0], num_buckets=2, max_distance=2, bidirectional=False) == [1, 1, 0]
    assert bucket([-8, 8], num_buckets=32, max_distance=9, bidirectional=True) == [8, 24]
    assert bucket([-9, 9], num_buckets=32, max_distance=9, bidirectional=True) == [15, 31]


@pytest.mark.parametrize("rows", [31, 33, 16])
def test_a_table_of_other_length(rows: int) -> None:
    with pytest.raises(posref.SpecError, match=r"\[t5.C3\] table: must have num_buckets = 32 rows") as caught:
        t5.bias(np.ones((rows, 2)), np.arange(2), np.arange(3), **ENCODER)
    assert caught.value.kind == "INVALID_SHAPE"


def test_a_relative_position_reaches_twice_as_far_as_a_position() -> None:
    for beyond in (2**54 + 1, -(2**54) - 1):
        with pytest.raises(posref.SpecError, match=r"\[conventions.C4\] relative_position: .* 2\*\*54"):
            t5.bucket(np.array([beyond]), **ENCODER)


def test_on_every_library(on: Any) -> None:
    got = on.back(t5.bucket(on(np.array([[-128, -16], [0, 64]])), **ENCODER))
    assert got.tolist() == [[15, 10], [0, 30]]
    table = np.arange(8.0).reshape(4, 2)
    params = {"num_buckets": 4, "max_distance": 5, "bidirectional": False}
    bias = on.back(t5.bias(on(table), on(np.array([3])), on(np.array([3, 2, 0])), **params))
    assert bias.tolist() == [[[0, 2, 4]], [[1, 3, 5]]]
