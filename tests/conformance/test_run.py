"""Handing over and taking back: what becomes of wrong forms, exceptions, skips and refusals."""

import importlib
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from in_memory import LADDER, invalid_test, value_test

from posref.adapters import Implementation, Unsupported
from posref.conformance.run import Attempt, run
from posref.conformance.verdict import Result
from posref.corpus.load import Test
from posref.errors import SpecError
from posref.operation import Refusal, Tensor

IDENTITY = {
    "rotary_dim": 2,
    "rotary_start": 0,
    "base": 10000.0,
    "pairing": "half",
    "scaling": None,
    "seq_len": None,
}
X = Tensor("bfloat16", (2, 2), (1.0, -2.0, 0.5, 3.0))
ZERO = Tensor("int64", (2,), (0, 0))


def attempt(test: Test, function: Any, dtype: str = "float32", **fields: Any) -> Attempt:
    implementation = Implementation("made", {test.operation: function}, **fields)
    (found,) = run(implementation, [test], dtype)
    return found


def result(test: Test, function: Any, dtype: str = "float32", **fields: Any) -> Result:
    return attempt(test, function, dtype, **fields).result


def ladder(*, rotary_dim: int, base: float, dtype: str) -> Any:
    real = np.array([base ** (-2 * i / rotary_dim) for i in range(rotary_dim // 2)])
    return real.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


@pytest.fixture
def apply_test() -> Test:
    return value_test("rope.apply", IDENTITY, {"x": X, "positions": ZERO}, {"y": (X.data, (2, 2))})


@pytest.fixture
def pair_test() -> Test:
    inputs = {"q": X, "k": X, "positions": ZERO}
    return value_test("rope.apply_qk", IDENTITY, inputs, {"q": (X.data, (2, 2)), "k": (X.data, (2, 2))})


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_a_right_answer_passes_in_every_dtype(ladder_test: Test, dtype: str) -> None:
    found = result(ladder_test, ladder, dtype)
    assert (found.verdict, found.dtype, found.elements, found.reason) == ("pass", dtype, 2, "")
    assert found.strongest_claim in ("correctly_rounded", "faithful", "ulp:1")


def test_a_wrong_answer_fails_and_says_where(ladder_test: Test) -> None:
    found = result(ladder_test, lambda **_: np.array([1.0, 0.5], np.float32))
    assert found.verdict == "fail"
    assert found.worst_error is not None
    assert (found.worst_error.index, found.worst_error.got) == ((1,), 0.5)
    assert "inv_freq[1]: got 0.5" in found.reason


def test_main_inputs_come_in_the_dtype_under_test_and_positions_as_integers(apply_test: Test) -> None:
    seen = []

    def function(x: Any, positions: Any, **params: Any) -> Any:
        seen.append((x.dtype.name, positions.dtype.name, params))
        return x.copy()

    for dtype in ("float64", "float32", "bfloat16", "float16"):
        assert result(apply_test, function, dtype).verdict == "pass"
        assert seen[-1] == (dtype, "int64", IDENTITY)


def test_tables_come_as_stored() -> None:
    inputs = {"positions": Tensor("float64", (1,), (0.0,)), "inv_freq": Tensor("float64", (1,), (0.1,))}
    test = value_test(
        "rope.cos_sin", {"attention_factor": 1.0}, inputs, {"cos": ([1], (1, 1)), "sin": ([0], (1, 1))}
    )
    seen = []

    def function(positions: Any, inv_freq: Any, *, attention_factor: float, dtype: str) -> Any:
        seen.append((positions.dtype.name, inv_freq.dtype.name, float(inv_freq[0]), dtype))
        return np.ones((1, 1), dtype), np.zeros((1, 1), dtype)

    assert result(test, function).verdict == "pass"
    assert seen == [("float64", "float64", 0.1, "float32")]
    skipped = result(test, function, dtypes=("float32",))
    assert skipped.verdict == "skipped"
    assert "float64, which is not offered" in skipped.reason
    assert len(seen) == 1


def test_a_main_input_that_would_be_rounded_is_skipped() -> None:
    x = Tensor("float32", (1, 2), (1.0 + 2.0**-20, 1.0))
    test = value_test(
        "rope.apply", IDENTITY, {"x": x, "positions": Tensor("int64", (1,), (0,))}, {"y": (x.data, (1, 2))}
    )
    found = result(test, lambda x, p, **_: x, "bfloat16")
    assert (found.verdict, found.reason) == ("skipped", "x is not exact in bfloat16")


def test_an_absent_optional_input_is_none() -> None:
    seen: list[Any] = []

    def function(*inputs: Any, scale: float) -> Any:
        seen.extend(inputs)
        return inputs[2].copy()

    one = Tensor("bfloat16", (1, 1), (1.0,))
    inputs = {"q": one, "k": one, "v": one, "mask": Tensor("bool", (1, 1), (1,))}
    test = value_test("attention.output", {"scale": 1.0}, inputs, {"y": ([1], (1, 1))}, bound=0.1)
    assert result(test, function).verdict == "pass"
    assert seen[3] is None
    assert seen[4].dtype == np.bool_


class TestForm:
    def test_wrong_dtype(self, apply_test: Test) -> None:
        found = result(apply_test, lambda x, p, **_: x.astype(np.float64))
        assert (found.verdict, found.reason) == ("fail", "y has dtype float64 where float32 is declared")
        assert found.strongest_claim == "none"

    def test_wrong_shape(self, apply_test: Test) -> None:
        found = result(apply_test, lambda x, p, **_: x[None])
        assert (found.verdict, found.reason) == ("fail", "y has shape (1, 2, 2) where (2, 2) is declared")

    def test_a_shape_that_would_broadcast_is_wrong_too(self, ladder_test: Test) -> None:
        assert result(ladder_test, lambda **_: np.float32(1.0)).verdict == "fail"

    @pytest.mark.parametrize("answer", [None, "text", [1.0], object()])
    def test_no_tensor(self, apply_test: Test, answer: Any) -> None:
        assert result(apply_test, lambda *_, **__: answer).verdict == "fail"

    def test_too_few_and_too_many_outputs(self, pair_test: Test, apply_test: Test) -> None:
        few = result(pair_test, lambda q, k, p, **_: q)
        assert few.reason == "returned one output where 2 declared: q, k"
        many = result(apply_test, lambda x, p, **_: (x, x))
        assert many.reason == "returned a sequence of 2 where 1 declared: y"
        assert few.verdict == many.verdict == "fail"

    def test_outputs_in_order(self, pair_test: Test) -> None:
        assert result(pair_test, lambda q, k, p, **_: (q.copy(), k.copy())).verdict == "pass"

    def test_an_integer_output_of_another_width(self) -> None:
        pos = Tensor("int64", (1,), (3,))
        test = value_test(
            "positions.relative",
            {},
            {"q_positions": pos, "k_positions": pos},
            {"relative_position": ([0], (1, 1))},
            dtypes=["int64"],
        )
        assert result(test, lambda q, k: (k - q)[None], "int64").verdict == "pass"
        assert result(test, lambda q, k: (k - q)[None].astype(float), "int64").verdict == "fail"
        assert result(test, lambda q, k: (k - q)[None].astype(np.int32), "int64").verdict == "pass"


class TestInputs:
    def test_a_changed_input_is_a_failure(self, apply_test: Test) -> None:
        def function(x: Any, positions: Any, **_: Any) -> Any:
            answer = x.copy()
            x[0, 0] = 7
            return answer

        found = result(apply_test, function)
        assert (found.verdict, found.reason) == ("fail", "the call changed its input x")

    def test_the_sign_of_a_zero_is_a_change(self) -> None:
        x = Tensor("bfloat16", (1, 2), (-0.0, 1.0))
        test = value_test(
            "rope.apply",
            IDENTITY,
            {"x": x, "positions": Tensor("int64", (1,), (0,))},
            {"y": (x.data, (1, 2))},
        )

        def function(x: Any, positions: Any, **_: Any) -> Any:
            answer = x.copy()
            np.abs(x, out=x)
            return answer

        assert result(test, function).reason == "the call changed its input x"

    def test_a_change_is_seen_where_reading_shares_memory(self, apply_test: Test) -> None:
        def function(x: Any, positions: Any, **_: Any) -> Any:
            answer = x.copy()
            positions += 1
            return answer

        found = result(
            apply_test,
            function,
            read=lambda array: (array.dtype.name, array),
            write=lambda v, d: v.astype(d, copy=False),
            dtype="float64",
        )
        assert found.reason == "the call changed its input positions"

    def test_a_buffer_used_twice_does_not_change_an_answer_read_before(self, apply_test: Test) -> None:
        buffer = np.empty((2, 2))

        def function(x: Any, positions: Any, **_: Any) -> Any:
            buffer[:] = x
            return buffer

        found = attempt(apply_test, function, "float64", read=lambda array: (array.dtype.name, array))
        buffer[:] = 99
        assert found.evidence is not None
        assert found.evidence.got["y"].max() == 3.0


class TestExceptions:
    def test_an_exception_is_an_error_with_its_message(self, ladder_test: Test) -> None:
        def function(**_: Any) -> Any:
            raise RuntimeError("no\nkernel")

        found = result(ladder_test, function)
        assert (found.verdict, found.reason) == ("error", "RuntimeError: no kernel")

    def test_a_long_message_is_cut(self, ladder_test: Test) -> None:
        def function(**_: Any) -> Any:
            raise RuntimeError("x" * 5000)

        assert len(result(ladder_test, function).reason) <= 200

    def test_unsupported_is_a_skip_with_its_reason(self, ladder_test: Test) -> None:
        def function(**_: Any) -> Any:
            raise Unsupported("one base only")

        found = result(ladder_test, function)
        assert (found.verdict, found.reason) == ("skipped", "one base only")

    def test_a_warning_is_none(self, ladder_test: Test) -> None:
        def function(**params: Any) -> Any:
            warnings.warn("slow path", RuntimeWarning, stacklevel=1)
            return ladder(**params)

        assert result(ladder_test, function).verdict == "pass"

    def test_an_interrupt_is_no_verdict(self, ladder_test: Test) -> None:
        def function(**_: Any) -> Any:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            result(ladder_test, function)


class TestSkips:
    def test_an_operation_that_is_not_offered(self, ladder_test: Test) -> None:
        (found,) = run(Implementation("made", {}), [ladder_test], "float32")
        assert (found.result.verdict, found.result.reason) == ("skipped", "operation not offered")

    def test_a_dtype_that_is_not_offered(self, ladder_test: Test) -> None:
        found = result(ladder_test, ladder, "float16", dtypes=("float32",))
        assert found.reason == "float16 not offered"

    def test_a_dtype_without_an_expected_value(self) -> None:
        test = value_test(
            "rope.inv_freq", LADDER, {}, {"inv_freq": ([1, Fraction(1, 100)], (2,))}, dtypes=["float64"]
        )
        assert result(test, ladder, "float16").reason == "no expected value in float16"

    def test_bfloat16_without_ml_dtypes(self, ladder_test: Test, monkeypatch: pytest.MonkeyPatch) -> None:
        real = importlib.import_module

        def without(name: str, *rest: Any) -> Any:
            if name == "ml_dtypes":
                raise ImportError(name)
            return real(name, *rest)

        monkeypatch.setattr(importlib, "import_module", without)
        found = result(ladder_test, ladder, "bfloat16")
        assert found.verdict == "skipped"
        assert "posref[bfloat16]" in found.reason
        assert result(ladder_test, ladder, "float32").verdict == "pass"

    def test_integer_operations_run_once_and_float_ones_in_floats(self, ladder_test: Test) -> None:
        implementation = Implementation("made", {"rope.inv_freq": ladder})
        assert list(run(implementation, [ladder_test], "int64")) == []


class TestInvalid:
    @pytest.fixture
    def odd(self) -> Test:
        return invalid_test(
            "rope.inv_freq",
            {"rotary_dim": 3, "base": 10000.0},
            {},
            Refusal("INVALID_PARAMETER", "rotary_dim"),
        )

    def refuse(self, failure: Exception) -> Callable[..., Any]:
        def function(*_: Any, **__: Any) -> Any:
            raise failure

        return function

    def test_any_exception_is_a_pass(self, odd: Test) -> None:
        found = result(odd, self.refuse(ZeroDivisionError()))
        assert (found.verdict, found.remark, found.strongest_claim) == ("pass", "", "")

    def test_another_class_is_a_remark(self, odd: Test) -> None:
        right = SpecError("rope.C2", "rotary_dim", "must be even")
        assert result(odd, self.refuse(right)).remark == ""
        other = SpecError("rope.C2", "base", "too small", "OUT_OF_RANGE")
        found = result(odd, self.refuse(other))
        assert found.verdict == "pass"
        assert found.remark == (
            "refused as OUT_OF_RANGE of base where INVALID_PARAMETER of rotary_dim is expected"
        )

    def test_an_answer_is_the_failure(self, odd: Test) -> None:
        found = result(odd, lambda **_: np.zeros(1, np.float32))
        assert found.verdict == "fail"
        assert found.reason == "answered an input that must be refused (INVALID_PARAMETER of rotary_dim)"

    def test_mixed_dtypes_are_handed_over_as_they_are(self) -> None:
        inputs = {"q": Tensor("float32", (1, 1), (1.0,)), "k": Tensor("float64", (1, 1), (1.0,))}
        test = invalid_test("attention.scores", {"scale": 1.0}, inputs, Refusal("INVALID_DTYPE", "k"))

        def function(q: Any, k: Any, **_: Any) -> Any:
            if q.dtype != k.dtype:
                raise TypeError(f"{q.dtype} and {k.dtype}")
            return q @ k.T

        assert result(test, function, "float32").verdict == "pass"

    def test_integers_where_floats_belong_stay_integers(self) -> None:
        inputs = {"x": Tensor("int64", (1, 2), (1, 2)), "positions": Tensor("int64", (1,), (0,))}
        test = invalid_test("rope.apply", IDENTITY, inputs, Refusal("INVALID_DTYPE", "x"))
        seen = []
        result(test, lambda x, p, **_: seen.append(x.dtype.name))
        assert seen == ["int64"]
