"""rope: requirement D5, the two layouts and the permutations between them, and rows of a table (D7, D9)."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posref
from posref import rope
from posref.numerics.rounding import native

PLAIN: dict[str, Any] = {"rotary_dim": 8, "base": 10000.0}
FORTH = {"source": "adjacent", "target": "half"}
BACK = {"source": "half", "target": "adjacent"}


def draw(seed: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(list(seed.encode())).standard_normal(shape)


def test_d5_the_layouts_are_not_interchangeable() -> None:
    x = np.array([[1.0, 2.0, 3.0, 4.0]])
    adjacent, half = (
        rope.apply(x, np.array([1]), rotary_dim=4, base=10000.0, pairing=name)
        for name in ("adjacent", "half")
    )
    assert np.abs(adjacent - half).max() > 0.5


@settings(max_examples=25)
@given(
    pairs=st.integers(1, 9),
    before=st.integers(0, 3),
    after=st.integers(0, 3),
    position=st.integers(-(2**53), 2**53),
)
def test_d5_half_of_the_permuted_is_the_permuted_of_adjacent(
    pairs: int, before: int, after: int, position: int
) -> None:
    """The theorem half(P x) = P adjacent(x), to the last bit: the same products in other places."""
    part = {"rotary_dim": 2 * pairs, "rotary_start": before}
    x, at = draw("theorem", 3, before + 2 * pairs + after), np.array([position, 7, 0])
    left = rope.apply(rope.permute(x, **FORTH, **part), at, base=10000.0, pairing="half", **part)
    right = rope.permute(rope.apply(x, at, base=10000.0, pairing="adjacent", **part), **FORTH, **part)
    assert np.array_equal(left, right)


@pytest.mark.parametrize("width", [2, 4, 6, 8, 80, 128])
def test_d5_there_and_back_is_nothing(width: int) -> None:
    x = draw("back", 2, width + 3)
    part = {"rotary_dim": width, "rotary_start": 2}
    there = rope.permute(x, **FORTH, **part)
    assert np.array_equal(rope.permute(there, **BACK, **part), x)
    assert np.array_equal(there, x) == (width == 2)
    assert np.array_equal(rope.permute(x, source="half", target="half", **part), x)


def test_d5_worked_permutation() -> None:
    x = np.arange(6.0)
    assert rope.permute(x, **FORTH, rotary_dim=6).tolist() == [0, 2, 4, 1, 3, 5]
    assert rope.permute(x, **BACK, rotary_dim=6).tolist() == [0, 3, 1, 4, 2, 5]
    middle = rope.permute(np.arange(8.0), **FORTH, rotary_dim=6, rotary_start=1)
    assert middle.tolist() == [0, 1, 3, 5, 2, 4, 6, 7]


@pytest.mark.parametrize("heads", [1, 2, 3])
def test_d5_permuted_weights_give_permuted_heads(heads: int) -> None:
    """(P W) x is P (W x): a projection is re-laid once instead of every query and key."""
    weight, x = draw("weight", heads * 12, 5), draw("token", 5)
    moved = rope.permute_weight(weight, num_heads=heads, rotary_dim=8, **FORTH)
    wanted = rope.permute((weight @ x).reshape(heads, 12), rotary_dim=8, **FORTH)
    # BLAS sums a row alike wherever it stands, or not: two sums of five products differ by 10 roundings
    bound = 10 * 2.0**-53 * (np.abs(weight) @ np.abs(x)).max()
    assert np.abs((moved @ x).reshape(heads, 12) - wanted).max() <= bound


def test_d5_scores_do_not_depend_on_the_layout() -> None:
    x, at = draw("layer", 4, 6), np.arange(4) + 3
    weights = [draw(name, 8, 6) for name in ("w q", "w k")]
    options = {"rotary_dim": 8, "base": 10000.0}
    adjacent = rope.score(*(x @ w.T for w in weights), at, at, pairing="adjacent", **options)
    moved = [rope.permute_weight(w, num_heads=1, rotary_dim=8, **FORTH) for w in weights]
    half = rope.score(*(x @ w.T for w in moved), at, at, pairing="half", **options)
    # a projection errs by 6 roundings of its size on either side, the score by 15 of its own
    size = (np.abs(x) @ np.abs(weights[0]).T).max() * (np.abs(x) @ np.abs(weights[1]).T).max() * 8
    assert np.abs(adjacent - half).max() <= 2 * 27 * 2.0**-53 * 2 * size


def test_d5_grouped_key_heads_are_permuted_by_their_own_number() -> None:
    """B02: with 8 query heads and 2 key heads of width 4, 8 / 2 is no number of heads."""
    rows = np.arange(8.0).reshape(8, 1)
    right = rope.permute_weight(rows, num_heads=2, rotary_dim=4, **BACK).ravel()
    assert right.tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    assert rope.permute_weight(rows, num_heads=4, rotary_dim=2, **BACK).ravel().tolist() == list(range(8))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_d5_bits_move(dtype: str) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    x = native([[-0.0, 1.5, 0.0, -2.0, 3.0, -0.0]], dtype)
    got = rope.permute(x, **FORTH, rotary_dim=6)
    assert got.dtype == x.dtype
    assert got.tobytes() == x[:, [0, 2, 4, 1, 3, 5]].tobytes()
    weight = native([[-0.0], [1.5], [0.0], [-0.0]], dtype)
    got = rope.permute_weight(weight, num_heads=1, rotary_dim=4, **FORTH)
    assert got.tobytes() == weight[[0, 2, 1, 3]].tobytes()
    rows = rope.table_slice(x.reshape(6, 1), -x.reshape(6, 1), offset=4, length=2)
    assert not np.shares_memory(rows.cos, x)
    assert rows.cos.tobytes() == x.reshape(6, 1)[4:].tobytes()
    assert rows.sin.tobytes() == (-x).reshape(6, 1)[4:].tobytes()


@pytest.mark.parametrize(
    ("wrong", "clause", "fault"),
    [
        ({"source": "interleaved"}, "rope.C15", "source"),
        ({"target": None}, "conventions.C6", "target"),
        ({"rotary_dim": 5}, "rope.C2", "rotary_dim"),
        ({"rotary_dim": 10}, "rope.C2", "rotary_dim"),
        ({"rotary_start": 3}, "rope.C2", "rotary_dim"),
        ({"rotary_start": -1}, "rope.C2", "rotary_start"),
    ],
)
def test_d5_bad_permutations(wrong: dict[str, Any], clause: str, fault: str) -> None:
    with pytest.raises(posref.SpecError, match=rf"\[{clause}\] {fault}"):
        rope.permute(draw("bad", 3, 8), **({**FORTH, "rotary_dim": 6, "rotary_start": 0} | wrong))


@pytest.mark.parametrize(
    ("wrong", "clause", "fault"),
    [
        ({"num_heads": 3}, "rope.C16", "weight"),
        ({"num_heads": 0}, "rope.C16", "num_heads"),
        ({"num_heads": 4}, "rope.C2", "rotary_dim"),
    ],
)
def test_d5_bad_weight_permutations(wrong: dict[str, Any], clause: str, fault: str) -> None:
    with pytest.raises(posref.SpecError, match=rf"\[{clause}\] {fault}"):
        rope.permute_weight(draw("bad", 16, 3), **({**FORTH, "rotary_dim": 8, "num_heads": 2} | wrong))


@pytest.mark.parametrize(
    ("offset", "length", "fault"),
    [
        (-1, 1, "offset"),
        (-4, 2, "offset"),
        (2, -1, "length"),
        (6, 1, "length"),
        (3, 4, "length"),
        (7, 0, "length"),
    ],
)
def test_d7_a_row_that_is_not_there_is_an_error(offset: int, length: int, fault: str) -> None:
    table = draw("rows", 6, 2)
    number = offset if fault == "offset" else length
    with pytest.raises(posref.SpecError, match=rf"\[rope.C13\] {fault}: .*{number}") as caught:
        rope.table_slice(table, table, offset=offset, length=length)
    assert caught.value.kind == "OUT_OF_RANGE"


def test_d7_unequal_tables_are_refused() -> None:
    with pytest.raises(posref.SpecError, match=r"\[rope.C13\] sin"):
        rope.table_slice(draw("six", 6, 2), draw("five", 5, 2), offset=0, length=1)
    assert rope.table_slice(draw("six", 6, 2), draw("six", 6, 2), offset=6, length=0).cos.shape == (0, 2)


def test_d9_a_table_grows_without_changing_earlier_rows() -> None:
    omega = rope.inv_freq(**PLAIN)
    short, long = rope.cos_sin(np.arange(1000), omega), rope.cos_sin(np.arange(5000), omega)
    for before, after in zip(short, long, strict=True):
        assert np.array_equal(after[:1000], before)
    offset = rope.cos_sin(np.arange(700, 1000), omega)
    rows = rope.table_slice(*long, offset=700, length=300)
    assert np.array_equal(rows.cos, offset.cos)
    assert np.array_equal(rows.sin, offset.sin)


def test_layouts_on_every_library(on: Any) -> None:
    x = draw("library", 2, 4, 8)
    got = on.back(rope.permute(on(x), **FORTH, rotary_dim=6, rotary_start=1))
    assert np.array_equal(got, rope.permute(x, **FORTH, rotary_dim=6, rotary_start=1))
    got = on.back(rope.permute_weight(on(x[0].T), num_heads=2, rotary_dim=4, **BACK))
    assert np.array_equal(got, rope.permute_weight(x[0].T, num_heads=2, rotary_dim=4, **BACK))
    rows = rope.table_slice(on(x[0]), on(x[1]), offset=1, length=2)
    assert np.array_equal(on.back(rows.cos), x[0, 1:3])
    assert np.array_equal(on.back(rows.sin), x[1, 1:3])
