"""rope: requirement D6, offsets and cached keys; re-rotation and cotangents."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import rope

UNIT = 2.0**-53
PLAIN: dict[str, Any] = {"rotary_dim": 8, "base": 10000.0, "pairing": "half"}
YARN: dict[str, Any] = {
    "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096, "beta_fast": 32.0,
    "beta_slow": 1.0, "ramp": "index", "truncate": True, "extrapolation_factor": 1.0,
    "attention_factor": None, "mscale": None, "mscale_all_dim": None, "mscale_rule": "hf",
}  # fmt: skip
GROWN: dict[str, Any] = {"rope_type": "dynamic", "factor": 2.0, "original_max_position_embeddings": 64}
LISTS: dict[str, Any] = {
    "rope_type": "longrope", "factor": 32.0, "original_max_position_embeddings": 64,
    "short_factor": [1.0, 1.0, 1.2, 1.5], "long_factor": [1.0, 2.0, 8.0, 32.0],
}  # fmt: skip


def draw(seed: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(list(seed.encode())).standard_normal(shape)


def norms(x: np.ndarray) -> np.ndarray:
    """Return the length of each half-layout pair."""
    return np.asarray(np.hypot(x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]))


def test_d6_prefill_and_decode_agree_to_the_last_bit() -> None:
    """Token t is rotated by its absolute position, in whatever chunk it comes."""
    x = draw("tokens", 2, 12, 8)
    whole = rope.apply(x, np.arange(12), **PLAIN)
    for cuts in ([0, 5, 12], [0, 1, 2, 12], list(range(13))):
        parts = [rope.apply(x[:, a:b], np.arange(a, b), **PLAIN) for a, b in pairwise(cuts)]
        assert np.array_equal(np.concatenate(parts, axis=1), whole)


def test_d6_a_decoding_step_reads_the_row_of_its_position() -> None:
    table = rope.cos_sin(np.arange(9), rope.inv_freq(rotary_dim=8, base=10000.0))
    x = draw("step", 1, 8)
    row = rope.table_slice(*table, offset=5, length=1)
    got = rope.rotate(x, *row, pairing_in="half", pairing_out="half")
    # a frequency that is rounded first moves the angle by 2 u of it, at most 10 u
    assert (np.abs(got - rope.apply(x, np.array([5]), **PLAIN)) <= 22 * UNIT * np.tile(norms(x), 2)).all()
    assert np.abs(got - x).max() > 0.1


def test_d6_cached_keys_are_rotated_once() -> None:
    """B98: rotated again on the way out of the cache, the angle doubles."""
    options = PLAIN | {"rotary_dim": 2}
    x = np.array([[1.0, 0.0]])
    once = rope.apply(x, np.array([5]), **options)
    twice = rope.apply(once, np.array([5]), **options)
    assert np.allclose(once, [[0.283662185, -0.958924275]], rtol=0, atol=5e-10)
    assert np.allclose(twice, [[-0.839071529, -0.544021111]], rtol=0, atol=5e-10)


@pytest.mark.parametrize("delta", [0, 1, -2, 355, -(2**40)])
@pytest.mark.parametrize("scaling", [None, YARN, {"rope_type": "linear", "factor": 4.0}])
def test_d6_a_shifted_key_is_the_key_at_the_new_position(delta: int, scaling: dict[str, Any] | None) -> None:
    """Both sides are rotations of the same key: 6 u of a pair's length each, and 6 u of the cached one."""
    options = PLAIN | {"scaling": scaling}
    k, at = draw("shift", 4, 8), np.array([0, 5, -3, 2**20])
    cached = rope.apply(k, at, **options)
    got = rope.rerotate(cached, np.array(delta), **options)
    fresh = rope.apply(k, at + delta, **options)
    assert (np.abs(got - fresh) <= 20 * UNIT * np.tile(norms(cached), 2)).all()


def test_d6_a_shift_of_each_token() -> None:
    k, at = draw("each", 2, 1, 4, 8), np.array([0, 3, 4, 9])
    new = np.array([[[0, 1, 2, 3]], [[5, 6, 7, 8]]])
    cached = rope.apply(k, at, **PLAIN)
    got = rope.rerotate(cached, new - at, **PLAIN)
    fresh = rope.apply(k, new, **PLAIN)
    assert (np.abs(got - fresh) <= 20 * UNIT * np.tile(norms(k), 2)).all()
    same = rope.rerotate(cached, np.array([-2] * 4), **PLAIN)
    assert np.array_equal(same, rope.rerotate(cached, np.array(-2), **PLAIN))


def test_d6_only_what_was_rotated_is_shifted() -> None:
    """B29: keys 1 to 8, four of them rotated at position 5, shifted to 3."""
    k = np.arange(1.0, 9.0).reshape(1, 8)
    options = {"rotary_dim": 4, "base": 10000.0, "pairing": "half"}
    got = rope.rerotate(rope.apply(k, np.array([5]), **options), np.array(-2), **options)
    wanted = [-1.41335252, 1.87911807, -2.82885748, 4.05819114, 5.0, 6.0, 7.0, 8.0]
    assert np.allclose(got, [wanted], rtol=0, atol=5e-9)
    assert got[0, 4:].tolist() == [5.0, 6.0, 7.0, 8.0]


def test_d6_a_shift_keeps_the_length_of_scaled_keys() -> None:
    """B85, U46: the magnitude factor is in the keys already."""
    options = PLAIN | {"scaling": YARN}
    k = draw("length", 3, 8)
    cached = rope.apply(k, np.array([5, 6, 7]), **options)
    moved = rope.rerotate(cached, np.array(-3), **options)
    assert (np.abs(norms(moved) - norms(cached)) <= 9 * UNIT * norms(cached)).all()
    assert np.allclose(norms(moved) / norms(k), 1.138629436111989, rtol=1e-14, atol=0)


@pytest.mark.parametrize("scaling", [GROWN, LISTS])
def test_d6_keys_of_another_ladder_cannot_be_shifted(scaling: dict[str, Any]) -> None:
    k = draw("ladder", 2, 8)
    options = PLAIN | {"scaling": scaling}
    assert rope.rerotate(k, np.array(-1), **options, seq_len=64).shape == k.shape
    with pytest.raises(posref.SpecError, match=r"\[rope.C14\] scaling: .*65") as caught:
        rope.rerotate(k, np.array(-1), **options, seq_len=65)
    assert caught.value.kind == "INVALID_PARAMETER"
    with pytest.raises(posref.SpecError, match="seq_len") as caught:
        rope.rerotate(k, np.array(-1), **options)
    assert caught.value.kind == "MISSING_PARAMETER"


@pytest.mark.parametrize("delta", [[1], [1, 2], [[1, 2, 3]], [[1], [2], [3]]])
def test_d6_shifts_do_not_broadcast_along_tokens_or_enlarge(delta: list[Any]) -> None:
    with pytest.raises(posref.SpecError, match=r"\[rope.C14\] delta"):
        rope.rerotate(draw("shapes", 3, 8), np.array(delta), **PLAIN)
    with pytest.raises(posref.SpecError, match=r"\[conventions.C4\] delta"):
        rope.rerotate(draw("shapes", 3, 8), np.array(0.5), **PLAIN)


def test_d9_rotations_at_earlier_positions_do_not_change_with_the_length() -> None:
    """Dynamic scaling says that they do: its base follows the length."""
    x, at = draw("grow", 6, 8), np.arange(6)
    plain = [rope.apply(x, at, **PLAIN, seq_len=length) for length in (None, 6, 10**6)]
    assert all(np.array_equal(one, plain[0]) for one in plain)
    grown = [rope.apply(x, at, **PLAIN, scaling=GROWN, seq_len=length) for length in (6, 64, 65)]
    assert np.array_equal(grown[0], grown[1])
    assert not np.array_equal(grown[1], grown[2])


# cotangents


def exactly(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.vectorize(Fraction, otypes=[object])(values))


def pairs_of(pairing: str, start: int, count: int) -> list[tuple[int, int]]:
    if pairing == "adjacent":
        return [(start + 2 * i, start + 2 * i + 1) for i in range(count)]
    return [(start + i, start + count + i) for i in range(count)]


@pytest.mark.parametrize("into", ["adjacent", "half"])
@pytest.mark.parametrize("out", ["adjacent", "half"])
@pytest.mark.parametrize("table", [(2, 1, 3, 2), (3, 2), (4, 3, 2), (2, 4, 3, 2)])
def test_d6_a_cotangent_is_the_transpose_of_the_rotation(into: str, out: str, table: tuple[int, ...]) -> None:
    """<g, J v> = <vjp g, v> for every direction v of x, cos and sin, with J v in exact fractions."""
    x, g, v = (exactly(draw(name, 2, 4, 3, 6)) for name in ("x", "g", "v"))
    c, s, dc, ds = (exactly(draw(name, *table)) for name in ("cos", "sin", "d cos", "d sin"))
    forward = np.array(v)  # the derivative: linear in x, cos and sin, one at a time
    for i, ((a, b), (p, q)) in enumerate(zip(pairs_of(into, 1, 2), pairs_of(out, 1, 2), strict=True)):
        u, w, du, dw = x[..., a], x[..., b], v[..., a], v[..., b]
        forward[..., p] = du * c[..., i] - dw * s[..., i] + u * dc[..., i] - w * ds[..., i]
        forward[..., q] = du * s[..., i] + dw * c[..., i] + u * ds[..., i] + w * dc[..., i]
    left = (g * forward).sum()
    arrays = [np.array(one, dtype=np.float64) for one in (g, x, c, s)]
    got = rope.rotate_vjp(*arrays, pairing_in=into, pairing_out=out, rotary_start=1)
    assert got.grad_cos.shape == table
    terms = [(exactly(part) * way) for part, way in zip(got, (v, dc, ds), strict=True)]
    right = sum(term.sum() for term in terms)
    # a coordinate of grad_x errs by 3 u of its two products, a table's entry by 17 u of at most 16
    rows = [abs(one).sum(axis=-1) for one in (g, v, x)]
    back = (rows[0] * rows[1]).sum() * (abs(c).max() + abs(s).max())
    tables = (rows[0] * rows[2]).sum() * (abs(dc).max() + abs(ds).max())
    assert abs(left - right) <= UNIT * float(3 * back + 17 * tables)
    assert left != 0


@pytest.mark.parametrize("pairing", ["adjacent", "half"])
def test_d6_the_rotation_turned_back(pairing: str) -> None:
    options = PLAIN | {"pairing": pairing, "rotary_dim": 6, "rotary_start": 1}
    g, x, at = draw("g", 3, 9), draw("x", 3, 9), np.array([0, 355, -7])
    got = rope.apply_vjp(g, x, at, **options)
    assert np.array_equal(got, rope.apply(g, -at, **options))
    assert np.array_equal(got[:, [0, 7, 8]], g[:, [0, 7, 8]])
    assert np.array_equal(got[0], g[0])
    table = rope.cos_sin(at, rope.inv_freq(rotary_dim=6, base=10000.0))
    by_table = rope.rotate_vjp(g, x, *table, pairing_in=pairing, pairing_out=pairing, rotary_start=1)
    # frequencies that are rounded first move the largest angle by 2 u of it
    assert np.abs(got - by_table.grad_x).max() <= (2 * 355 + 12) * UNIT * 2 * np.abs(g).max()
    assert np.array_equal(got[0], by_table.grad_x[0])


def test_d6_the_magnitude_factor_is_transposed_not_inverted() -> None:
    g, x, at = draw("g", 2, 8), draw("x", 2, 8), np.array([3, 9])
    options = PLAIN | {"scaling": YARN}
    left = math.fsum((g * rope.apply(x, at, **options)).ravel())
    right = math.fsum((rope.apply_vjp(g, x, at, **options) * x).ravel())
    size = 1.1387 * float((norms(g) * norms(x)).sum())
    assert abs(left - right) <= 2 * 8 * UNIT * size


def test_d6_worked_cotangent() -> None:
    """B163: one pair at position 1, the loss is its first coordinate."""
    options = PLAIN | {"rotary_dim": 2}
    got = rope.apply_vjp(np.array([[1.0, 0.0]]), np.array([[3.0, 5.0]]), np.array([1]), **options)
    with mpmath.workdps(40):
        wanted = [mpmath.cos(1), -mpmath.sin(1)]
    assert all(abs(one - two) <= UNIT for one, two in zip(got[0].tolist(), wanted, strict=True))
    assert np.allclose(got, [[0.540302306, -0.841470985]], rtol=0, atol=5e-10)


def test_d6_a_numerical_derivative() -> None:
    """Central differences of a linear function are its derivative, up to rounding: steps of 1/4 are exact."""
    g, x, at = draw("g", 2, 8), draw("x", 2, 8), np.array([5, 77])
    got = rope.apply_vjp(g, x, at, **PLAIN)
    for place in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[place] = 0.25
        above, below = (rope.apply(x + one, at, **PLAIN) for one in (step, -step))
        slope = ((above - below) * g).sum() / 0.5
        # every coordinate of x errs by a rounding of |x| + 1/4, of y by 6 u of the pair's length
        assert abs(slope - got[place]) <= 40 * UNIT * (np.abs(x).sum() + 1) * np.abs(g).sum()


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"x": np.ones((2, 8))}, "x"),
        ({"x": np.ones((3, 6))}, "x"),
        ({"x": np.ones((1, 3, 8))}, "x"),
        ({"x": np.ones((3, 8), np.float32)}, "x"),
        ({"positions": np.arange(2)}, "positions"),
    ],
)
def test_d7_a_cotangent_belongs_to_its_input(wrong: dict[str, Any], fault: str) -> None:
    good = {"grad_y": np.ones((3, 8)), "x": np.ones((3, 8)), "positions": np.arange(3)}
    with pytest.raises(posref.SpecError) as caught:
        rope.apply_vjp(**(good | wrong), **PLAIN)
    assert caught.value.parameter == fault


def test_cache_and_cotangents_on_every_library(on: Any) -> None:
    x, g, at = draw("on x", 2, 4, 8), draw("on g", 2, 4, 8), np.array([0, 1, 355, -(2**53)])
    for delta in (at, np.array(-5)):
        got = on.back(rope.rerotate(on(x), on(delta), **PLAIN))
        assert np.array_equal(got, rope.rerotate(x, delta, **PLAIN))
    got = on.back(rope.apply_vjp(on(g), on(x), on(at), **PLAIN))
    assert np.array_equal(got, rope.apply_vjp(g, x, at, **PLAIN))
    c, s = draw("on c", 4, 4), draw("on s", 4, 4)
    ways = {"pairing_in": "adjacent", "pairing_out": "half"}
    for one, two in zip(
        rope.rotate_vjp(on(g), on(x), on(c), on(s), **ways), rope.rotate_vjp(g, x, c, s, **ways), strict=True
    ):
        assert np.array_equal(on.back(one), two)
