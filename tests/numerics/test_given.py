"""What comes out of a call in every library, whole or in pieces, masked or refused."""

from typing import Any

import numpy as np
import pytest

import posref
from posref.errors import SpecError
from posref.numerics import given, pieces, sums, tokens

DRAW = np.random.default_rng(20250404)
X = DRAW.standard_normal((2, 3, 5, 4))
AT = np.arange(3, 8)
ROTARY: dict[str, Any] = {"rotary_dim": 4, "base": 100.0, "pairing": "half"}


def turned(x: Any) -> Any:
    """Return the rotation of X by brute force."""
    angle = AT[:, None] * np.array([1.0, 0.1])
    u, w = x[..., :2], x[..., 2:]
    return np.concat((u * np.cos(angle) - w * np.sin(angle), u * np.sin(angle) + w * np.cos(angle)), axis=-1)


@pytest.mark.parametrize("most", [1, 9, 2**17])
def test_results_in_every_library(on: Any, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = pieces.pieces
    monkeypatch.setattr(given, "pieces", lambda call, along, each, *_: cut(call, along, each, most=most))
    x, at = on(X), on(AT)
    assert np.allclose(on.back(posref.rope.apply(x, at, **ROTARY)), turned(X), rtol=1e-12, atol=1e-12)
    both = posref.rope.apply_qk(x, on(X[:, :1]), at, **ROTARY)
    assert np.allclose(on.back(both.k), turned(X[:, :1]), rtol=1e-12, atol=1e-12)
    found = on.back(posref.rope.score(x, x, at, at, **ROTARY))
    assert np.allclose(found, np.einsum("...qd,...kd->...qk", turned(X), turned(X)), rtol=1e-10, atol=1e-10)
    table = posref.axial_rope.cos_sin(
        on(np.array([[1, 2], [3, 4]])), axis_dims=[2, 2], base=10.0, frequencies="reset"
    )
    assert np.allclose(
        on.back(table.sin), np.sin([[1, 2], [3, 4]]), rtol=2.0**-51, atol=0
    )  # 4 u: ours, the library's 2, 1 to spare
    assert np.allclose(on.back(table.cos), np.cos([[1, 2], [3, 4]]), rtol=2.0**-51, atol=0)
    assert on.back(posref.positions.from_lengths(on(np.array([0, 2, 5, 6])))).tolist() == [0, 1, 0, 1, 2, 0]
    mask = on.back(posref.attention.causal_mask(at, on(np.array([2, 4, 9]))))
    assert mask.tolist() == (np.array([2, 4, 9]) <= AT[:, None]).tolist()
    moved = on.back(posref.rope.permute(x, source="half", target="adjacent", rotary_dim=4))
    assert np.array_equal(moved, X[..., [0, 2, 1, 3]])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("slope", [0.5, 3e4, 1e290])
def test_a_masked_bias_is_minus_infinity_whatever_it_is(dtype: str, slope: float) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    q, k = np.array([2**50, 0]), np.array([2**50, 1, 2**52])
    call = {"form": "key_index", "future": "neg_inf", "dtype": dtype}
    if slope > 1 or dtype == "float16":
        large = np.array([slope])
        found = posref.alibi.bias(np.array([0, -1]), np.array([0, 2**30]), large * 1e10, **call)
        assert found.astype(np.float64).tolist() == [[[0.0, -np.inf], [-np.inf, -np.inf]]]
        assert not np.signbit(found[0, 0, 0])
    if slope == 1e290 and dtype != "float64":
        with pytest.raises(SpecError, match=f"overflows {dtype}") as caught:
            posref.alibi.bias(q, k, np.array([slope]), **call)
        assert (caught.value.clause, caught.value.parameter) == ("conventions.C2", "dtype")
    small = posref.alibi.bias(np.array([1]), np.array([-2, 0, 1, 3]), np.array([0.5]), **call)
    assert small.astype(np.float64).tolist() == [[[-1.0, 0.0, 0.5, -np.inf]]]


def test_masks_and_refusals_in_every_library(on: Any) -> None:
    found = posref.alibi.bias(
        on(np.array([1, 2])), on(np.array([0, 2])), on(np.array([0.5])), form="neg_distance", future="neg_inf"
    )
    assert on.back(found).tolist() == [[[-0.5, -np.inf], [-1.0, 0.0]]]
    for bad, word in ((np.nan, "nan"), (np.inf, "an infinity")):
        x = X.copy()
        x[1, 2, 3, 0] = bad
        for call in (
            lambda x: posref.rope.apply(on(x), on(AT), **ROTARY),
            lambda x: posref.attention.scores(on(x), on(X), scale=1.0),
        ):
            with pytest.raises(SpecError, match=f"must be finite, got {word}"):
                call(x)
    big = np.full((2, 4), 1e200)
    with pytest.raises(SpecError, match="a value of the result overflows float64") as caught:
        posref.attention.scores(on(big), on(big), scale=1.0)
    assert (caught.value.clause, caught.value.parameter) == ("conventions.C2", "q")


def test_long_runs_in_every_library(on: Any) -> None:
    q, k = np.arange(20), np.arange(3, 25)
    found = posref.alibi.bias(on(q), on(k), on(np.array([0.5])), form="neg_abs", future="keep")
    assert np.array_equal(on.back(found)[0], -0.5 * np.abs(k - q[:, None]))


def test_what_is_moved_stays_in_its_dtype() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = X.astype(ml_dtypes.bfloat16)
    moved = posref.rope.permute(x, source="half", target="adjacent", rotary_dim=4)
    assert moved.dtype == x.dtype
    assert moved.tobytes() == x[..., [0, 2, 1, 3]].tobytes()


@pytest.mark.parametrize("shape", [(5, 2), (3, 5, 2), (1, 5, 2), (2, 1, 5, 2), (1, 1, 5, 2), (2, 3, 5, 2)])
@pytest.mark.parametrize("size", [1, 30, 2**16])
def test_cotangents_of_tables_are_sums_in_every_library(
    on: Any, shape: tuple[int, ...], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "ELEMENTS", size)
    monkeypatch.setattr(tokens, "ENTRIES", size)
    gradient, cos, sin = (
        DRAW.standard_normal(X.shape),
        DRAW.standard_normal(shape),
        DRAW.standard_normal(shape),
    )
    found = posref.rope.rotate_vjp(
        on(gradient), on(X), on(cos), on(sin), pairing_in="half", pairing_out="half"
    )
    (u, w), (first, second) = ((part[..., :2], part[..., 2:]) for part in (X, gradient))
    full = (1,) * (4 - len(shape)) + shape
    axes = tuple(axis for axis, length in enumerate(full) if length == 1)
    wanted = [np.concat((cos * first + sin * second, cos * second - sin * first), axis=-1)]
    wanted += [
        np.sum(part, axis=axes, keepdims=True).reshape(shape)
        for part in (u * first + w * second, u * second - w * first)
    ]
    for part, want in zip(found, wanted, strict=True):
        assert np.allclose(on.back(part), want, rtol=1e-12, atol=1e-12)
        assert on.back(part).shape == want.shape


def test_cotangents_have_the_dtype_of_the_call(on: Any) -> None:
    x, table = X.astype(np.float32), DRAW.standard_normal((5, 2))
    ways = {"pairing_in": "half", "pairing_out": "half"}
    for part in posref.rope.rotate_vjp(on(x), on(x), on(table), on(table), **ways):
        assert on.back(part).dtype == np.float32
