"""rope: bad input, exact movement, dtypes, shapes, and every array library."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import rope
from posref.numerics.rounding import decode_bits, exact, native, ulp

UNIT = 2.0**-53
PLAIN: dict[str, Any] = {"rotary_dim": 8, "base": 10000.0, "pairing": "adjacent"}


def draw(seed: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(list(seed.encode())).standard_normal(shape)


@pytest.mark.parametrize(
    ("changed", "kind", "fault"),
    [
        ({"rotary_dim": 7}, "INVALID_PARAMETER", "rotary_dim"),
        ({"rotary_dim": 0}, "INVALID_PARAMETER", "rotary_dim"),
        ({"rotary_dim": -8}, "INVALID_PARAMETER", "rotary_dim"),
        ({"rotary_dim": 8.0}, "INVALID_PARAMETER", "rotary_dim"),
        ({"rotary_dim": 10}, "INVALID_SHAPE", "rotary_dim"),
        ({"rotary_start": 1}, "INVALID_SHAPE", "rotary_dim"),
        ({"rotary_start": -1}, "INVALID_PARAMETER", "rotary_start"),
        ({"base": 1.0}, "INVALID_PARAMETER", "base"),
        ({"base": -10000.0}, "INVALID_PARAMETER", "base"),
        ({"base": math.inf}, "INVALID_PARAMETER", "base"),
        ({"base": math.nan}, "INVALID_PARAMETER", "base"),
        ({"pairing": "interleaved"}, "INVALID_PARAMETER", "pairing"),
        ({"scaling": {"rope_type": "su"}}, "INVALID_PARAMETER", "scaling"),
    ],
)
def test_d7_invalid_parameters(changed: dict[str, Any], kind: str, fault: str) -> None:
    with pytest.raises(posref.SpecError) as caught:
        rope.apply(np.ones((3, 8)), np.arange(3), **(PLAIN | changed))
    assert (caught.value.kind, caught.value.parameter) == (kind, fault)
    value = next(iter(changed.values()))
    assert str(value) in str(caught.value)


@pytest.mark.parametrize(
    ("cos", "sin", "fault"),
    [
        (np.ones((3, 5)), np.ones((3, 5)), "cos"),
        (np.ones((4, 4)), np.ones((4, 4)), "cos"),
        (np.ones((3, 4)), np.ones((3, 3)), "sin"),
        (np.ones((1, 3, 4)), np.ones((3, 4)), "sin"),
        (np.ones((2, 3, 4)), np.ones((2, 3, 4)), "cos"),
        (np.ones(4), np.ones(4), "cos"),
    ],
)
def test_d7_mismatched_tables(cos: np.ndarray, sin: np.ndarray, fault: str) -> None:
    with pytest.raises(posref.SpecError, match=r"\[rope.C12\]") as caught:
        rope.rotate(np.ones((3, 8)), cos, sin, pairing_in="half", pairing_out="half")
    assert (caught.value.kind, caught.value.parameter) == ("INVALID_SHAPE", fault)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_short_tables_are_faithful(dtype: str) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    positions = np.array([22, 355, 428137, 21053343141])
    frequencies = np.array([1.0, 0.75, 2.0**-7])
    cos, sin = (exact(table)[1] for table in rope.cos_sin(positions, frequencies, dtype=dtype))
    with mpmath.workdps(60):
        for t, i in np.ndindex(cos.shape):
            angle = mpmath.mpf(int(positions[t])) * frequencies[i]
            for value, real in ((cos[t, i], mpmath.cos(angle)), (sin[t, i], mpmath.sin(angle))):
                assert abs(float(value) - real) < float(ulp(float(real), dtype))


def test_position_zero_is_the_identity() -> None:
    for dtype in ("float64", "float32", "float16"):
        x = draw("zero", 2, 8).astype(dtype)
        assert np.array_equal(rope.apply(x, np.array([0, 0]), **PLAIN), x)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_coordinates_outside_the_slice_move_bit_for_bit(dtype: str) -> None:
    """Signed zeros, subnormals and the largest number among them; no magnitude factor touches them."""
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    bits = {"float64": 64, "float32": 32, "float16": 16, "bfloat16": 16}[dtype]
    sign = 1 << (bits - 1)
    top = {"float64": 0x7FEFFFFFFFFFFFFF, "float32": 0x7F7FFFFF, "float16": 0x7BFF, "bfloat16": 0x7F7F}[dtype]
    special = np.array([sign, 1, sign | 1, top], dtype=f"uint{bits}")
    row = np.concatenate(
        [decode_bits(special[:2], dtype), [0.5, 1.5, -0.25, 2.0], decode_bits(special[2:], dtype)]
    )
    x = native(row[None], dtype)
    options: dict[str, Any] = {"rotary_dim": 4, "rotary_start": 2, "base": 10000.0, "pairing": "half"}
    y = rope.apply(x, np.array([5]), **options)
    stored, before = y.view(f"uint{bits}")[0], x.view(f"uint{bits}")[0]
    assert np.array_equal(stored[[0, 1, 6, 7]], before[[0, 1, 6, 7]])
    assert not np.array_equal(stored[2:6], before[2:6])
    cos, sin = np.full((1, 2), 2.0), np.zeros((1, 2))
    doubled = rope.rotate(x, cos, sin, pairing_in="half", pairing_out="half", rotary_start=2)
    assert np.array_equal(doubled.view(f"uint{bits}")[0][[0, 1, 6, 7]], before[[0, 1, 6, 7]])
    assert exact(doubled)[1][0, 2:6].tolist() == [1.0, 3.0, -0.5, 4.0]


def test_the_two_pairings_differ_by_a_permutation_of_coordinates() -> None:
    x, at = draw("pairing", 3, 8), np.array([1, 50, 700])
    adjacent = rope.apply(x, at, **PLAIN)
    order = np.concatenate([np.arange(0, 8, 2), np.arange(1, 8, 2)])
    half = rope.apply(x[:, order], at, **(PLAIN | {"pairing": "half"}))
    assert np.array_equal(half, adjacent[:, order])
    assert np.abs(rope.apply(x, at, **(PLAIN | {"pairing": "half"})) - adjacent).max() > 0.1


def test_the_denominator_is_the_rotated_width_not_the_head_width() -> None:
    x = draw("partial", 3, 32)
    whole = rope.apply(x, np.array([1, 2, 300]), **PLAIN)
    assert np.array_equal(whole[:, :8], rope.apply(x[:, :8], np.array([1, 2, 300]), **PLAIN))
    assert np.array_equal(whole[:, 8:], x[:, 8:])


def test_positions_broadcast_over_heads_and_not_over_tokens() -> None:
    x, at = draw("batch", 2, 3, 4, 8), np.array([[[0, 1, 2, 3]], [[7, 8, 9, 100]]])
    y = rope.apply(x, at, **PLAIN)
    for b, h in np.ndindex(2, 3):
        assert np.array_equal(y[b, h], rope.apply(x[b, h], at[b, 0], **PLAIN))
    for wrong in (
        at[..., :1],
        at[0, 0, :1],
        np.zeros((3, 1, 4), dtype=int),
        np.zeros((5, 2, 3, 4), dtype=int),
    ):
        with pytest.raises(posref.SpecError, match=r"\[rope.C11\] positions"):
            rope.apply(x, wrong, **PLAIN)


def test_fractional_positions_interpolate_and_are_refused_where_forbidden() -> None:
    """1/4 of a token at base 10000: position interpolation of a factor 4 is exact in the angle."""
    x = draw("fraction", 1, 8)
    quarter = rope.apply(x, np.array([0.25]), **PLAIN)
    cos, sin = rope.cos_sin(np.array([1]), rope.inv_freq(rotary_dim=8, base=10000.0) / 4)
    chained = rope.rotate(x, cos, sin, pairing_in="adjacent", pairing_out="adjacent")
    size = np.abs(x).reshape(1, 4, 2).sum(axis=-1).repeat(2, axis=-1)
    # angles below 1/4 differ by the ulp of a given frequency (u/4), table and rotation by 3 u each
    assert (np.abs(quarter - chained) <= 7 * UNIT * size).all()
    at = np.array([0.25])
    for call in (
        lambda: rope.score(x, x, at, np.array([1]), **PLAIN),
        lambda: rope.score(x, x, np.array([1]), at, **PLAIN),
        lambda: rope.matrix(at, **PLAIN),
    ):
        with pytest.raises(posref.SpecError) as caught:
            call()
        assert caught.value.kind == "INVALID_DTYPE"


def test_the_magnitude_factor_multiplies_both_tables() -> None:
    at, frequencies = np.array([3, 500]), np.array([1.0, 0.01])
    plain, doubled = (rope.cos_sin(at, frequencies, attention_factor=factor) for factor in (1.0, 2.0))
    assert np.array_equal(doubled.cos, 2 * plain.cos)
    assert np.array_equal(doubled.sin, 2 * plain.sin)


def test_no_token_gives_an_empty_result() -> None:
    none = np.zeros(0, dtype=int)
    assert rope.apply(np.zeros((2, 0, 8)), none, **PLAIN).shape == (2, 0, 8)
    assert rope.cos_sin(none, np.array([1.0, 0.5])).cos.shape == (0, 2)
    assert rope.matrix(none, **PLAIN).shape == (0, 8, 8)
    assert rope.score(np.zeros((0, 8)), np.zeros((3, 8)), none, np.arange(3), **PLAIN).shape == (0, 3)


def test_an_overflow_of_the_dtype_is_an_error_not_an_infinity() -> None:
    x = np.array([[65504.0, -65504.0]], dtype=np.float16)
    with pytest.raises(posref.SpecError, match=r"\[conventions.C2\] x: .*overflows float16") as caught:
        rope.apply(x, np.array([1]), **(PLAIN | {"rotary_dim": 2}))
    assert caught.value.kind == "OUT_OF_RANGE"


def test_on_every_library(on: Any) -> None:
    q, k, at = draw("on q", 2, 3, 4, 8), draw("on k", 2, 3, 4, 8), np.array([0, 1, 355, -(2**53)])
    options = PLAIN | {"rotary_dim": 4, "rotary_start": 2, "pairing": "half"}
    both = rope.apply_qk(on(q), on(k), on(at), **options)
    expected = rope.apply_qk(q, k, at, **options)
    assert np.array_equal(on.back(both.q), expected.q)
    assert np.array_equal(on.back(both.k), expected.k)
    table = rope.cos_sin(on(at), on(np.array([1.0, 0.5])))
    turned = rope.rotate(on(q), table.cos, table.sin, pairing_in="adjacent", pairing_out="half")
    plain = rope.cos_sin(at, np.array([1.0, 0.5]))
    assert np.array_equal(on.back(turned), rope.rotate(q, *plain, pairing_in="adjacent", pairing_out="half"))
    assert np.array_equal(on.back(rope.matrix(on(at), **PLAIN)), rope.matrix(at, **PLAIN))
