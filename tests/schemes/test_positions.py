"""positions: key minus query, padding, packing and shards, exact, by brute force."""

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


def masked(mask: list[list[int]], rule: str, **own: int) -> list[list[int]]:
    found = positions.from_mask(np.array(mask), rule=rule, **({"pad_value": None, "padding_idx": None} | own))
    assert found.dtype == np.int64
    return [[int(number) for number in row] for row in found]


def counted(mask: list[list[int]], token: int, pad: int) -> list[list[int]]:
    """Count the tokens of each row one by one, the first being `token`."""
    return [[token + sum(row[:t]) if row[t] else pad for t in range(len(row))] for row in mask]


MASKS = [
    [[0, 0, 1, 1, 1]],
    [[1, 0, 1], [1, 1, 1], [0, 0, 0]],
    [[1, 1, 1, 0, 0, 0, 1], [0, 1, 0, 1, 0, 1, 1]],
]


@pytest.mark.parametrize("mask", MASKS)
def test_g3_position_ids_from_a_padding_mask(mask: list[list[int]]) -> None:
    assert masked(mask, "arange") == [list(range(len(mask[0])))] * len(mask)
    assert masked(mask, "cumsum", pad_value=-5) == counted(mask, 0, -5)
    assert masked(mask, "roberta", padding_idx=3) == counted(mask, 4, 3)
    assert masked(mask, "opt") == counted(mask, 2, 1)


def test_g3_the_ids_of_the_public_reports() -> None:
    assert masked([[0, 0, 1, 1, 1]], "cumsum", pad_value=0) == [[0, 0, 0, 1, 2]]
    assert masked([[1, 0, 1]], "cumsum", pad_value=1) == [[0, 1, 1]]
    assert masked([[1, 1, 1, 0, 0]], "roberta", padding_idx=1) == [[2, 3, 4, 1, 1]]
    assert masked([[1, 1, 1]], "opt") == [[2, 3, 4]]


def test_g3_padding_does_not_move_a_token() -> None:
    """The ids of the tokens are the same whatever stands before them."""
    for rule, own in (("cumsum", {"pad_value": 0}), ("roberta", {"padding_idx": 1}), ("opt", {})):
        plain = masked([[1, 1, 1, 1]], rule, **own)[0]
        for pads in range(4):
            assert masked([[0] * pads + [1] * 4], rule, **own)[0][pads:] == plain


def test_g3_offsets_fit_the_tables_that_hold_them() -> None:
    """A table of 514 rows and padding index 3 holds 510 tokens and no more."""
    table = np.zeros((514, 1))
    fits = positions.from_mask(np.ones((1, 510), dtype=int), rule="roberta", pad_value=None, padding_idx=3)
    assert posref.learned.lookup(table, fits).shape == (1, 510, 1)
    beyond = positions.from_mask(np.ones((1, 511), dtype=int), rule="roberta", pad_value=None, padding_idx=3)
    with pytest.raises(posref.SpecError, match=r"\[learned.C2\] positions"):
        posref.learned.lookup(table, beyond)


@pytest.mark.parametrize(
    ("own", "match", "kind"),
    [
        ({"rule": "cumsum"}, r"\[positions.C4\] pad_value", "MISSING_PARAMETER"),
        ({"rule": "roberta"}, r"\[positions.C4\] padding_idx", "MISSING_PARAMETER"),
        ({"rule": "opt", "padding_idx": 1}, r"\[positions.C4\] padding_idx", "INVALID_PARAMETER"),
        ({"rule": "arange", "pad_value": 0}, r"\[positions.C4\] pad_value", "INVALID_PARAMETER"),
        ({"rule": "roberta", "padding_idx": -1}, r"\[positions.C4\] padding_idx", "INVALID_PARAMETER"),
        ({"rule": "cumsum", "pad_value": 2**53 + 1}, r"\[positions.C4\] pad_value", "OUT_OF_RANGE"),
    ],
)
def test_g3_a_rule_has_its_own_parameter_and_no_other(own: dict[str, Any], match: str, kind: str) -> None:
    with pytest.raises(posref.SpecError, match=match) as caught:
        positions.from_mask(np.array([[0, 1]]), **({"pad_value": None, "padding_idx": None} | own))
    assert caught.value.kind == kind


@pytest.mark.parametrize("mask", [np.array([[0, 2]]), np.array([[-1, 0]])])
def test_g3_a_mask_holds_zeros_and_ones(mask: np.ndarray) -> None:
    with pytest.raises(posref.SpecError, match=r"\[positions.C4\] attention_mask: must hold 0 and 1"):
        positions.from_mask(mask, rule="opt", pad_value=None, padding_idx=None)


def test_g3_packed_documents_restart() -> None:
    assert positions.from_lengths(np.array([0, 3, 5])).tolist() == [0, 1, 2, 0, 1]
    lengths = [4, 0, 1, 7, 0, 2]
    got = positions.from_lengths(np.concatenate([[0], np.cumsum(lengths)]))
    assert got.tolist() == [t for length in lengths for t in range(length)]
    assert positions.from_lengths(np.array([0])).tolist() == []


@pytest.mark.parametrize("bounds", [[1, 3], [0, 3, 2], [0, -1], [-2, 0]])
def test_g3_cumulative_lengths_start_at_0_and_do_not_decrease(bounds: list[int]) -> None:
    with pytest.raises(posref.SpecError, match=r"\[positions.C5\] cu_seqlens"):
        positions.from_lengths(np.array(bounds))


def test_g3_packing_and_causality_by_position_agree_inside_a_document() -> None:
    """Within a document the restarted ids differ by as much as the places do."""
    ids = positions.from_lengths(np.array([0, 3, 8]))
    relative = positions.relative(ids, ids)
    places = positions.relative(np.arange(8), np.arange(8))
    for part in (slice(0, 3), slice(3, 8)):
        assert np.array_equal(relative[part, part], places[part, part])


def shard(ids: list[int], world_size: int, rank: int, scheme: str) -> list[int]:
    found = positions.shard(np.array(ids), world_size=world_size, rank=rank, scheme=scheme)
    return [int(number) for number in found]


def test_shards_by_hand() -> None:
    eight = list(range(8))
    assert [shard(eight, 2, r, "zigzag") for r in range(2)] == [[0, 1, 6, 7], [2, 3, 4, 5]]
    assert [shard(eight, 2, r, "contiguous") for r in range(2)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [shard(eight, 2, r, "striped") for r in range(2)] == [[0, 2, 4, 6], [1, 3, 5, 7]]


@pytest.mark.parametrize("scheme", ["contiguous", "zigzag", "striped"])
@pytest.mark.parametrize("world_size", [1, 2, 3, 4])
def test_shards_hold_every_token_once(world_size: int, scheme: str) -> None:
    ids = [3 * t - 20 for t in range(24)]
    shares = [shard(ids, world_size, rank, scheme) for rank in range(world_size)]
    assert sorted(number for share in shares for number in share) == ids
    assert {len(share) for share in shares} == {24 // world_size}


def test_zigzag_balances_the_work_of_a_causal_mask() -> None:
    """A query at place t sees t + 1 keys: every rank's queries see equally many."""
    seen = {sum(t + 1 for t in shard(list(range(24)), 4, rank, "zigzag")) for rank in range(4)}
    assert seen == {sum(range(1, 25)) // 4}


@pytest.mark.parametrize(
    ("call", "match"),
    [
        ((list(range(6)), 2, 0, "zigzag"), r"\[positions.C6\] position_ids: length 6 .* 4 chunks"),
        ((list(range(7)), 2, 0, "striped"), r"\[positions.C6\] position_ids"),
        ((list(range(8)), 2, 2, "striped"), r"\[positions.C6\] rank: must be below world_size 2"),
        ((list(range(8)), 2, -1, "striped"), r"\[positions.C6\] rank"),
        ((list(range(8)), 0, 0, "striped"), r"\[positions.C6\] world_size"),
        ((list(range(8)), 2, 0, "ring"), r"\[conventions.C6\] scheme"),
    ],
)
def test_shards_that_do_not_exist(call: Any, match: str) -> None:
    with pytest.raises(posref.SpecError, match=match):
        shard(*call)


def test_on_every_library(on: Any) -> None:
    got = positions.relative(on(np.array([2, 5])), on(np.array([0, 9, -4])))
    assert on.back(got).tolist() == [[-2, 7, -6], [-5, 4, -9]]
    mask = on(np.array([[0, 1, 1, 0, 1], [1, 1, 1, 1, 1]]))
    got = positions.from_mask(mask, rule="cumsum", pad_value=7, padding_idx=None)
    assert on.back(got).tolist() == [[7, 0, 1, 7, 2], [0, 1, 2, 3, 4]]
    got = positions.from_mask(mask, rule="arange", pad_value=None, padding_idx=None)
    assert on.back(got).tolist() == [[0, 1, 2, 3, 4]] * 2
    assert on.back(positions.from_lengths(on(np.array([0, 2, 2, 5])))).tolist() == [0, 1, 0, 1, 2]
    got = positions.shard(on(np.arange(8) + 100), world_size=2, rank=1, scheme="zigzag")
    assert on.back(got).tolist() == [102, 103, 104, 105]
