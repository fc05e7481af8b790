"""Judging one output without vectors."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import posref
from posref.conformance import pieces, single
from posref.conformance.diagnose import UNKNOWN
from posref.errors import SpecError

Array = np.ndarray[Any, Any]
ROPE = {"rotary_dim": 8, "base": 10000.0, "pairing": "half"}


def inputs(dtype: Any = np.float32, shape: tuple[int, ...] = (2, 3, 5, 8)) -> dict[str, Array]:
    x = np.random.default_rng(1).normal(size=shape).astype(dtype)
    return {"x": x, "positions": np.arange(10, 10 + shape[-2])}


def honest(x: Array, positions: Array, base: float = 10000.0, pairing: str = "half", sign: int = 1) -> Array:
    """A plain program: frequencies, angles and tables in float32, the rest in the dtype of x."""
    width = x.shape[-1]
    frequency = np.float32(base) ** (-np.arange(0, width, 2, dtype=np.float32) / np.float32(width))
    angle = positions.astype(np.float32)[..., None] * frequency
    cos, sin = np.cos(angle).astype(x.dtype), (sign * np.sin(angle)).astype(x.dtype)
    pair = np.arange(width // 2)
    a, b = (pair, pair + width // 2) if pairing == "half" else (2 * pair, 2 * pair + 1)
    y = np.empty_like(x)
    y[..., a] = x[..., a] * cos - x[..., b] * sin
    y[..., b] = x[..., a] * sin + x[..., b] * cos
    return y


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_an_honest_output_passes(dtype: Any) -> None:
    given = inputs(dtype)
    verdict = posref.judge("rope.apply", given, honest(**given), ROPE)
    assert verdict
    assert verdict.dtype == np.dtype(dtype).name
    assert (verdict.elements, verdict.uninformative) == (240, 0)
    assert verdict.worst_error is not None
    assert 0 < verdict.worst_error.ratio <= 1
    assert verdict.diagnosis == ""


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", ml_dtypes.bfloat16])
def test_the_reference_passes_by_itself_and_keeps_a_strong_claim(dtype: Any) -> None:
    given = inputs(np.dtype(dtype))
    verdict = posref.judge("rope.apply", given, posref.rope.apply(*given.values(), **ROPE), ROPE)
    assert verdict
    assert verdict.strongest_claim in ("exact", "correctly_rounded", "faithful")


def test_inputs_in_order_and_integers_for_reals() -> None:
    given = inputs()
    verdict = posref.judge("rope.apply", tuple(given.values()), honest(**given), {**ROPE, "base": 10000})
    assert verdict


@pytest.mark.parametrize(
    ("change", "words"),
    [({"pairing": "adjacent"}, "[other-pairing"), ({"sign": -1}, "[sign-reversed")],
)
def test_a_known_mistake_is_named(change: dict[str, Any], words: str) -> None:
    given = inputs()
    verdict = posref.judge("rope.apply", given, honest(**given, **change), ROPE)
    assert not verdict
    assert verdict.strongest_claim == "none"
    assert verdict.diagnosis.startswith("your output is what ")
    assert words in verdict.diagnosis
    assert verdict.reason in str(verdict)


def test_noise_has_no_name() -> None:
    given = inputs()
    noise = np.random.default_rng(3).normal(size=(2, 3, 5, 8)).astype(np.float32)
    verdict = posref.judge("rope.apply", given, noise, ROPE)
    assert (verdict.passed, verdict.diagnosis) == (False, UNKNOWN)


def test_one_wrong_element_is_found_and_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    given = inputs(shape=(4, 3, 5, 8))
    output = posref.rope.apply(*given.values(), **ROPE)
    output[3, 1, 2, 5] += 1
    for most in (10**6, 40, 1):
        monkeypatch.setattr(single, "pieces", lambda *a, most=most: pieces.pieces(*a, most))
        verdict = posref.judge("rope.apply", given, output, ROPE)
        assert not verdict
        assert verdict.elements == 480
        assert verdict.worst_error is not None
        assert verdict.worst_error.index == (3, 1, 2, 5)
        assert verdict.worst_error.error == pytest.approx(1, rel=1e-6)


def test_the_strongest_claim_is_that_of_all_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    given = inputs(shape=(4, 1, 5, 8))
    whole = posref.judge("rope.apply", given, honest(**given), ROPE)
    mixed = posref.rope.apply(*given.values(), **ROPE)
    mixed[2] = honest(**given)[2]
    alone = posref.judge("rope.apply", {**given, "x": given["x"][2]}, mixed[2], ROPE)
    monkeypatch.setattr(single, "pieces", lambda *a: pieces.pieces(*a, 40))
    assert posref.judge("rope.apply", given, honest(**given), ROPE).strongest_claim == whole.strongest_claim
    assert posref.judge("rope.apply", given, mixed, ROPE).strongest_claim == alone.strongest_claim


def test_a_claim_that_is_not_kept() -> None:
    given = inputs()
    assert posref.judge("rope.apply", given, honest(**given), ROPE, "f32-angle")
    assert not posref.judge("rope.apply", given, honest(**given), ROPE, "correctly_rounded")


def test_float64_is_judged_to_the_accuracy_of_the_reference() -> None:
    given = inputs(np.float64)
    output = posref.rope.apply(*given.values(), **ROPE)
    assert posref.judge("rope.apply", given, output, ROPE)
    assert not posref.judge("rope.apply", given, output * (1 + 1e-13), ROPE)
    ladder = posref.rope.inv_freq(rotary_dim=8, base=10000.0, dtype="float64")
    assert posref.judge("rope.inv_freq", {}, ladder, {"rotary_dim": 8, "base": 10000.0}, "ulp:1")
    off = ladder * np.array([1, 1, 1 + 4 * 2.0**-52, 1])
    assert not posref.judge("rope.inv_freq", {}, off, {"rotary_dim": 8, "base": 10000.0}, "ulp:1")


def test_several_outputs_as_a_tuple_and_by_name() -> None:
    given = inputs()
    both = {"q": given["x"], "k": given["x"][:, :1], "positions": given["positions"]}
    q, k = posref.rope.apply_qk(*both.values(), **ROPE)
    assert posref.judge("rope.apply_qk", both, (q, k), ROPE)
    assert posref.judge("rope.apply_qk", both, {"k": k, "q": q}, ROPE)
    assert not posref.judge("rope.apply_qk", both, (q, -k), ROPE)
    with pytest.raises(ValueError, match="has the outputs q, k; got q"):
        posref.judge("rope.apply_qk", both, {"q": q}, ROPE)


def test_integers_are_judged_exactly() -> None:
    positions = {"q_positions": np.array([2**53]), "k_positions": np.array([1, 2**53])}
    right = np.array([[1 - 2**53, 0]])
    assert posref.judge("positions.relative", positions, right, {})
    verdict = posref.judge("positions.relative", positions, right + np.array([[1, 0]]), {})
    assert not verdict
    assert verdict.claim == "exact"


def test_a_wrong_form_is_a_failure_in_words() -> None:
    given = inputs()
    output = honest(**given)
    cases = [
        (output.astype(np.float64), {}, "y has dtype float64 where float32 is declared"),
        (output, {"dtype": "float16"}, "y has dtype float32 where float16 is declared"),
        (output[0], {}, "y has shape (3, 5, 8) where (2, 3, 5, 8) is declared"),
        ((output, output), {}, "returned a sequence of 2 where 1 declared: y"),
    ]
    for wrong, more, words in cases:
        verdict = posref.judge("rope.apply", given, wrong, ROPE, **more)
        assert not verdict
        assert verdict.reason == words


def test_not_a_number_fails() -> None:
    given = inputs()
    output = honest(**given)
    output[1, 2, 3, 4] = np.nan
    verdict = posref.judge("rope.apply", given, output, ROPE)
    assert not verdict
    assert verdict.worst_error is not None
    assert verdict.worst_error.index == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"operation": "rope.aply"}, ValueError, "no operation 'rope.aply'"),
        ({"claim": "near"}, ValueError, "no claim 'near'"),
        ({"claim": "f32-angle-f16"}, ValueError, "the claim f32-angle-f16 is not made for float32"),
        ({"dtype": "int8"}, ValueError, "no dtype 'int8'"),
        ({"params": {**ROPE, "theta": 1.0}}, ValueError, "no parameter 'theta'"),
        ({"params": {"rotary_dim": 8, "base": 10000.0}}, TypeError, "'pairing' is missing"),
        ({"params": {**ROPE, "rotary_dim": 7}}, SpecError, "rotary_dim"),
        ({"inputs": {"x": np.zeros((1, 8), np.float32)}}, ValueError, "the input 'positions' is missing"),
        ({"inputs": {**inputs(), "z": 1}}, ValueError, "no input 'z'"),
        ({"inputs": [1, 2, 3]}, ValueError, "has the inputs x, positions; got 3"),
    ],
)
def test_what_the_caller_gets_wrong(change: dict[str, Any], error: type[Exception], message: str) -> None:
    given = inputs()
    arguments = {"operation": "rope.apply", "inputs": given, "output": honest(**given), "params": ROPE}
    with pytest.raises(error, match=message):
        posref.judge(**{**arguments, **change})


def test_an_expected_value_that_overflows_is_the_callers_choice_of_dtype() -> None:
    given = {"q": np.full((1, 4), 300, np.float16), "k": np.full((1, 4), 300, np.float16)}
    output = np.full((1, 1), np.inf, np.float16)
    with pytest.raises(SpecError, match="overflows float16"):
        posref.judge("attention.scores", given, output, {"scale": 1.0})
