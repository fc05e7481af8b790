"""A call cut into pieces is the call: same bits as one piece, whatever the shapes."""

from typing import Any

import numpy as np
import pytest

import posref
from posref.numerics import given, pieces, tokens, turned
from posref.numerics.pieces import blocks, spans
from posref.numerics.rounding import finite

DRAW = np.random.default_rng(20250202)
ROTARY: dict[str, Any] = {"rotary_dim": 6, "rotary_start": 1, "base": 100.0, "pairing": "half"}


def draw(*shape: int) -> np.ndarray:
    return DRAW.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (7,), (3, 5), (4, 0), (2, 3, 4), (5, 1, 6)])
@pytest.mark.parametrize("entries", [1, 2, 5, 6, 1000])
def test_blocks_cover_everything_once_and_are_small(shape: tuple[int, ...], entries: int) -> None:
    count = np.zeros(shape, int)
    for block in blocks(shape, entries):
        assert count[block].size <= entries
        count[block] += 1
    assert (count == 1).all()


@pytest.mark.parametrize(("size", "step", "number"), [(0, 3, 1), (1, 3, 1), (7, 3, 3), (6, 3, 2)])
def test_spans(size: int, step: int, number: int) -> None:
    found = list(spans(size, step))
    assert len(found) == number
    assert [n for span in found for n in range(size)[span]] == list(range(size))


CALLS: dict[str, Any] = {
    "rope.rotate": lambda: posref.rope.rotate(
        X, np.cos(ANGLE), np.sin(ANGLE), pairing_in="half", pairing_out="adjacent", rotary_start=1
    ),
    "rope.apply": lambda: posref.rope.apply(X, AT, **ROTARY),
    "rope.apply rows": lambda: posref.rope.apply(X, AT[None, None] + np.arange(3)[:, None, None], **ROTARY),
    "rope.apply_qk": lambda: posref.rope.apply_qk(X, X[0, :1], AT, **ROTARY),
    "rope.rerotate": lambda: posref.rope.rerotate(X, np.array(-4), **ROTARY),
    "rope.score": lambda: posref.rope.score(X, X, AT, AT - 5, **ROTARY),
    "rope.rotate_vjp": lambda: posref.rope.rotate_vjp(
        X, -X, np.cos(ANGLE), np.sin(ANGLE), pairing_in="half", pairing_out="adjacent"
    ),
    "xpos.apply": lambda: posref.xpos.apply(
        X, AT, role="key", rotary_dim=6, base=100.0, gamma=0.4, scale_base=8.0, center=1.0, pairing="half"
    ),
    "attention.scores": lambda: posref.attention.scores(X, X, scale=0.5),
    "attention.output": lambda: posref.attention.output(
        X, X, X, draw(1, 11, 11) * 0, np.tri(11, dtype=bool)[None], scale=0.5
    ),
    "alibi.bias": lambda: posref.alibi.bias(
        SKIPPING, np.arange(30), np.array([0.5, 0.1]), form="neg_abs", future="neg_inf", dtype="float32"
    ),
    "t5.bias": lambda: posref.t5.bias(
        draw(8, 3) * 0 + np.arange(3, dtype=np.float32), SKIPPING, np.arange(30),
        num_buckets=8, max_distance=20, bidirectional=True,
    ),
    "learned.lookup": lambda: posref.learned.lookup(X[0, 0], np.array([[0, 3, 3], [10, 1, 2]])),
    "sinusoidal.encode": lambda: posref.sinusoidal.encode(
        AT, dim=8, base=100.0, denominator="dim", layout="interleaved", odd="error", dtype="float32"
    ),
}  # fmt: skip
X, AT, ANGLE = draw(3, 2, 11, 8), np.arange(100, 111), DRAW.standard_normal((11, 3))
SKIPPING = np.arange(40) * 2


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("most", [1, 50, 300])
def test_pieces_have_the_bits_of_the_whole(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums over tokens may round elsewhere in float64; float32 does not show it here."""
    whole = np.asarray(CALLS[name]()) if not isinstance(CALLS[name](), tuple) else CALLS[name]()
    cut = pieces.pieces
    monkeypatch.setattr(given, "pieces", lambda call, along, each, *_: cut(call, along, each, most=most))
    monkeypatch.setattr(tokens, "ENTRIES", most)
    monkeypatch.setattr(turned, "ELEMENTS", most)
    found = CALLS[name]()
    for part, want in zip(
        found if isinstance(found, tuple) else (found,), whole if isinstance(whole, tuple) else (whole,),
        strict=True,
    ):  # fmt: skip
        if "vjp" in name or name.startswith("attention"):
            assert np.allclose(part, want, rtol=1e-6, atol=1e-7)
        else:
            assert part.tobytes() == want.tobytes()


@pytest.mark.parametrize("future", ["neg_inf", "keep"])
@pytest.mark.parametrize("form", ["neg_distance", "neg_abs"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_consecutive_positions_have_the_bits_of_single_pairs(form: str, future: str, dtype: str) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    q, k, slopes = np.arange(7, 47), np.arange(10, 60), np.array([1 / 3, -0.7])
    ways: dict[str, Any] = {"form": form, "future": future, "dtype": dtype}
    lines = posref.alibi.bias(q, k, slopes, **ways)
    for i in (0, 1, 17, 39):
        one = posref.alibi.bias(q[i : i + 1], k, slopes, **ways)
        assert lines[:, i : i + 1].tobytes() == one.tobytes()


def test_positions_that_skip_one_token_are_not_consecutive() -> None:
    q, k = np.arange(40), np.arange(40)
    k[20:] += 1
    got = posref.alibi.bias(q, k, np.array([1.0]), form="neg_distance", future="keep")
    assert np.array_equal(got[0], k[None, :] - q[:, None])


def test_small_unsigned_positions_do_not_wrap() -> None:
    q, k = np.arange(200, 250, dtype=np.uint8), np.arange(50, dtype=np.uint8)
    got = posref.alibi.bias(q, k, np.array([1.0]), form="neg_distance", future="keep")
    assert np.array_equal(got[0], np.arange(50)[None, :] - np.arange(200, 250)[:, None])


@pytest.mark.parametrize("place", [0, 5, 7, -1])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_seen_wherever_it_is(bad: float, place: int) -> None:
    """In the slice and outside; the input is named, not the result."""
    x = draw(3, 40, 8)
    x[1, 20, place] = bad
    assert not finite(x, "float32")
    assert not finite(x[:, ::2], "float32")
    with pytest.raises(posref.errors.SpecError, match=r"conventions.C3\] x: must be finite"):
        posref.rope.apply(x, np.arange(40), **ROTARY)
    assert finite(np.nan_to_num(x), "float32")


def test_zeros_inside_are_positive_and_an_underflow_keeps_its_sign() -> None:
    x = np.array([[0.0, -0.0, -1e-38, 0.0, -0.0]], np.float32)
    cos, sin = np.array([[-1.0, 2.0**-30]]), np.array([[1.0, 0.0]])
    y = posref.rope.rotate(x, cos, sin, pairing_in="adjacent", pairing_out="adjacent")
    assert y.tolist() == [[0.0, 0.0, 0.0, 0.0, 0.0]]
    assert np.signbit(y).tolist() == [[False, False, True, False, True]]
