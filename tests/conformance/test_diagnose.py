"""The diagnosis names the mistake that was made, and nothing where none fits."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from in_memory import value_test

from posref.conformance import diagnose
from posref.conformance.diagnose import UNKNOWN, Diagnosis, describe
from posref.conformance.report import Report
from posref.conformance.suite import check
from posref.corpus.load import Test
from posref.numerics.rounding import native
from posref.operation import Mistake, Tensor, mistakes, signature

Array = np.ndarray[Any, Any]


def rotated(x: Array, cos: Array, sin: Array, pairing: str, *, sign: float = 1.0, start: int = 0) -> Array:
    """Rotate the slice from `start` on, in the dtype of x."""
    width, pairs = 2 * cos.shape[-1], np.arange(cos.shape[-1])
    first, second = (2 * pairs, 2 * pairs + 1) if pairing == "adjacent" else (pairs, pairs + len(pairs))
    y, part = x.copy(), x[..., start : start + width]
    cos, sin = cos.astype(x.dtype), x.dtype.type(sign) * sin.astype(x.dtype)
    y[..., start + first] = part[..., first] * cos - part[..., second] * sin
    y[..., start + second] = part[..., first] * sin + part[..., second] * cos
    return y


def right(x: Array, cos: Array, sin: Array, *, pairing_in: str, pairing_out: str, rotary_start: int) -> Array:
    return rotated(x, cos, sin, pairing_in, start=rotary_start)


def wrong_pairing(x: Array, cos: Array, sin: Array, **params: Any) -> Array:
    other = {"adjacent": "half", "half": "adjacent"}[params["pairing_in"]]
    return rotated(x, cos, sin, other, start=params["rotary_start"])


def wrong_sign(x: Array, cos: Array, sin: Array, **params: Any) -> Array:
    return rotated(x, cos, sin, params["pairing_in"], sign=-1.0, start=params["rotary_start"])


def start_ignored(x: Array, cos: Array, sin: Array, **params: Any) -> Array:
    return rotated(x, cos, sin, params["pairing_in"])


def mistake(function: Callable[..., Any], description: str, report: str = "") -> Mistake:
    name = function.__name__.replace("_", "-")
    return Mistake(name, "rope.rotate", name, description, function, report)


KNOWN = (
    mistake(wrong_pairing, "your output is what the other pairing gives", "example/engine#1"),
    mistake(wrong_sign, "your output is what a backward rotation gives"),
    mistake(start_ignored, "your output is what an ignored start gives"),
)


@pytest.fixture
def judged(corpus_of: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Report]:
    monkeypatch.setattr(diagnose, "mistakes", lambda _: KNOWN)

    def judge(function: Callable[..., Any], cases: Sequence[Test] = CASES) -> Report:
        corpus_of(*cases)
        return check({"rope.rotate": function}, dtype="float32")

    return judge


def rotation(name: str, pairing: str, start: int, seed: int, flags: tuple[str, ...] = ()) -> Test:
    """One token of width 6, two pairs; 3/5 and 4/5 make the expected values rational."""
    x = tuple(float(value) for value in np.random.default_rng(seed).integers(-64, 64, 6) / 32)
    cos, sin = (0.5999999642372131, 0.800000011920929), (0.800000011920929, 0.5999999642372131)
    inputs = {
        "x": Tensor("bfloat16", (1, 6), x),
        "cos": Tensor("float32", (1, 2), cos),
        "sin": Tensor("float32", (1, 2), sin),
    }
    y = [Fraction(value) for value in x]
    for i in range(2):
        a, b = (2 * i, 2 * i + 1) if pairing == "adjacent" else (i, i + 2)
        u, w, c, s = (Fraction(value) for value in (x[start + a], x[start + b], cos[i], sin[i]))
        y[start + a], y[start + b] = u * c - w * s, u * s + w * c
    bound = [1e-6 if start <= place < start + 4 else 0.0 for place in range(6)]
    params = {"pairing_in": pairing, "pairing_out": pairing, "rotary_start": start}
    return value_test("rope.rotate", params, inputs, {"y": (y, (1, 6))}, name=name, bound=bound, flags=flags)


CASES = [
    rotation("half-0", "half", 0, 1),
    rotation("half-2", "half", 2, 2, flags=("slice",)),
    rotation("adjacent-0", "adjacent", 0, 3),
    rotation("adjacent-2", "adjacent", 2, 4, flags=("slice",)),
]


def test_a_right_implementation_needs_no_diagnosis(judged: Callable[..., Report]) -> None:
    report = judged(right)
    assert report
    assert report.operations[0].diagnosis == ""


@pytest.mark.parametrize("one", KNOWN, ids=lambda one: one.name)
def test_the_injected_mistake_is_named_and_no_other(judged: Callable[..., Report], one: Mistake) -> None:
    report = judged(one.function)
    assert not report
    diagnosis = report.operations[0].diagnosis
    assert one.name in diagnosis
    assert one.description in diagnosis
    assert not any(other.name in diagnosis for other in KNOWN if other is not one)
    failed = [result for result in report.results if result.verdict == "fail"]
    assert failed
    assert all(result.diagnosis == diagnosis for result in failed)
    assert all(not result.diagnosis for result in report.results if result.verdict == "pass")


def test_a_pair_of_mistakes_is_named(judged: Callable[..., Report]) -> None:
    def both(x: Array, cos: Array, sin: Array, **params: Any) -> Array:
        return (wrong_sign if params["pairing_in"] == "half" else wrong_pairing)(x, cos, sin, **params)

    diagnosis = judged(both).operations[0].diagnosis
    assert "wrong-pairing" in diagnosis
    assert "wrong-sign" in diagnosis


class Doubled:
    """Every element twice as large as what the implementation it is put on gives."""

    def __call__(self, *inputs: Any, **params: Any) -> Array:
        return self.on(right)(*inputs, **params)

    def on(self, inner: Callable[..., Array]) -> Callable[..., Array]:
        return lambda *inputs, **params: 2 * inner(*inputs, **params)


DOUBLED = Mistake("doubled", "rope.rotate", "doubled", "your output is what a factor of 2 gives", Doubled())


def twice_the_wrong_way(x: Array, cos: Array, sin: Array, **params: Any) -> Array:
    return 2 * wrong_sign(x, cos, sin, **params)


def test_two_mistakes_at_once_are_named(
    judged: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnose, "mistakes", lambda _: (*KNOWN, DOUBLED))
    diagnosis = judged(twice_the_wrong_way).operations[0].diagnosis
    assert diagnosis.startswith("two mistakes at once: ")
    assert "[doubled]" in diagnosis
    assert "[wrong-sign]" in diagnosis
    assert "wrong-pairing" not in diagnosis


def test_two_mistakes_at_once_must_explain_every_case(
    judged: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnose, "mistakes", lambda _: (*KNOWN, DOUBLED))

    def mostly(x: Array, cos: Array, sin: Array, **params: Any) -> Array:
        y = twice_the_wrong_way(x, cos, sin, **params)
        if params["rotary_start"]:
            y[0, 0] += 1
        return y

    assert judged(mostly).operations[0].diagnosis.startswith(UNKNOWN)


def test_two_mistakes_at_once_are_not_named_for_a_few_elements(
    judged: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnose, "mistakes", lambda _: (*KNOWN, DOUBLED))
    monkeypatch.setattr(diagnose, "TELLING", 1000)
    assert judged(twice_the_wrong_way).operations[0].diagnosis.startswith(UNKNOWN)


def test_of_two_that_fit_the_nearer_is_named(
    judged: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    def almost(x: Array, cos: Array, sin: Array, **params: Any) -> Array:
        return wrong_sign(x, cos, sin, **params) * (1 + 2.0**-22)

    names = (mistake(almost, "Nearly."), *KNOWN)
    monkeypatch.setattr(diagnose, "mistakes", lambda _: names)
    assert "[wrong-sign]" in judged(wrong_sign).operations[0].diagnosis
    assert "[almost]" in judged(almost).operations[0].diagnosis


def test_random_outputs_have_no_name(judged: Callable[..., Report]) -> None:
    rng = np.random.default_rng(5)
    report = judged(lambda x, *_, **__: rng.normal(size=x.shape).astype(x.dtype))
    assert report.failed == 4
    assert report.operations[0].diagnosis.startswith(UNKNOWN)


def test_a_mistake_that_explains_all_but_one_is_not_named(judged: Callable[..., Report]) -> None:
    def mostly(x: Array, cos: Array, sin: Array, **params: Any) -> Array:
        y = wrong_pairing(x, cos, sin, **params)
        if params == {"pairing_in": "half", "pairing_out": "half", "rotary_start": 0}:
            y[0, 0] += 1
        return y

    assert judged(mostly).operations[0].diagnosis.startswith(UNKNOWN)


def test_a_mistake_that_would_show_in_a_passing_case_is_not_named(judged: Callable[..., Report]) -> None:
    def seldom(x: Array, cos: Array, sin: Array, **params: Any) -> Array:
        half = params["pairing_in"] == "half"
        return (wrong_sign if half else right)(x, cos, sin, **params)

    diagnosis = judged(seldom).operations[0].diagnosis
    assert diagnosis.startswith(UNKNOWN)
    assert "all 2 failing cases, and no passing one, have: pairing_in = half, pairing_out = half" in diagnosis


def test_what_is_a_little_off_has_no_name(judged: Callable[..., Report]) -> None:
    def blurred(x: Array, cos: Array, sin: Array, **params: Any) -> Array:
        return (right(x, cos, sin, **params) * np.float32(1 + 2.0**-15)).astype(x.dtype)

    report = judged(blurred)
    assert report.failed == 4
    assert report.operations[0].diagnosis.startswith(UNKNOWN)


def test_a_mistake_that_raises_is_passed_over(
    judged: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(diagnose, "mistakes", lambda _: (mistake(raising, "Never."), *KNOWN))
    assert "wrong-sign" in judged(wrong_sign).operations[0].diagnosis


def test_each_mistake_is_dropped_at_its_first_mismatch(
    judged: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def counted(x: Array, *_: Any, **__: Any) -> Array:
        calls.append(1)
        return np.zeros_like(x)

    monkeypatch.setattr(diagnose, "mistakes", lambda _: (mistake(counted, "Zeros."), KNOWN[1]))
    assert "wrong-sign" in judged(wrong_sign).operations[0].diagnosis
    assert len(calls) == 1


def test_forms_and_refusals_are_counted_beside_the_values(judged: Callable[..., Report]) -> None:
    def partly(x: Array, cos: Array, sin: Array, **params: Any) -> Array:
        y = wrong_sign(x, cos, sin, **params)
        return y[0] if params["rotary_start"] else y

    diagnosis = judged(partly).operations[0].diagnosis
    assert "wrong-sign" in diagnosis
    assert "2 calls gave no output to compare" in diagnosis


def test_describe_gives_the_public_report() -> None:
    assert describe(Diagnosis(KNOWN[:1])) == (
        "your output is what the other pairing gives [wrong-pairing; see example/engine#1]"
    )
    assert describe(Diagnosis(KNOWN[1:])) == (
        "in some cases your output is what a backward rotation gives [wrong-sign]; "
        "in the others your output is what an ignored start gives [start-ignored]"
    )
    assert describe(Diagnosis(KNOWN[1:], together=True)) == (
        "two mistakes at once: your output is what a backward rotation gives [wrong-sign]; "
        "and your output is what an ignored start gives [start-ignored]"
    )
    assert describe(Diagnosis()) == UNKNOWN


def committed(operation: str, one: Mistake) -> Callable[..., Any]:
    """An implementation that makes a registered mistake and rounds its result to the dtype asked for."""
    entry = signature(operation)

    def function(*inputs: Any, dtype: str = "", **params: Any) -> Any:
        main = next((tensor.dtype.name for tensor in inputs if entry.main and tensor is not None), dtype)
        exact = [
            tensor.astype(np.float64) if tensor is not None and one.dtype == "float" else tensor
            for one, tensor in zip(entry.inputs, inputs, strict=True)
        ]
        with np.errstate(all="ignore"):
            answer = one.function(*exact, **params)
        parts = answer if isinstance(answer, tuple) else (answer,)
        if not entry.integer:
            parts = tuple(native(part, main) for part in parts)
        return parts[0] if len(parts) == 1 else parts

    return function


def assert_named(operation: str, one: Mistake, dtypes: Sequence[str] | None = None) -> None:
    report = check({operation: committed(operation, one)}, operation, dtypes)
    assert not report
    for entry in report.operations:
        value = [
            result for result in report.results if result.dtype == entry.dtype and result.kind == "value"
        ]
        assert any(result.verdict == "fail" for result in value), entry.dtype
        assert f"[{one.name}" in entry.diagnosis, entry.dtype
        assert not entry.diagnosis.startswith("in some cases"), entry.dtype


@pytest.mark.parametrize("one", mistakes("rope.rotate"), ids=lambda one: one.name)
def test_the_registered_mistakes_of_a_rotation_are_rejected_and_named(one: Mistake) -> None:
    assert_named("rope.rotate", one, ("float32", "bfloat16"))
