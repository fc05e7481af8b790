"""`check --backend`: inputs on the device of a library, outputs from there; what is said where that fails."""

import sys
import types
from typing import Any

import numpy as np
import pytest

import posref
from posref.adapters import Implementation, load
from posref.cli import main
from posref.conformance.backends import BACKENDS, on_backend
from posref.conformance.wire import Command
from posref.operation import DTYPES, signatures

FEW = ["rope.apply", "rope.inv_freq", "alibi.bias", "swin.index", "positions.*"]


def strict(need: Any) -> Any:
    return need("array_api_strict")


def test_the_reference_keeps_every_vector_on_a_device_that_is_not_the_host_s(need: Any) -> None:
    strict(need)
    report = posref.check(load("reference"), backend="array-api-strict")
    assert bool(report), str(report)
    assert report.implementation == "reference (on array-api-strict)"
    ran = {(one.operation, one.dtype) for one in report.results if one.verdict == "pass"}
    assert {name for name, _ in ran} >= set(signatures())
    assert {dtype for _, dtype in ran} == {"float64", "float32", "int64", "bool"}
    skipped = [one for one in report.results if one.verdict == "skipped"]
    for dtype in ("bfloat16", "float16"):
        reasons = {one.reason for one in skipped if one.dtype == dtype}
        assert reasons == {f"array_api_strict has no dtype {dtype}"}
    others = {one.reason for one in skipped if one.dtype in ("float64", "float32")}
    on_host = posref.check(load("reference"), backend="numpy", dtype=["float64", "float32"])
    on_host_too = {one.reason for one in on_host.results if one.verdict == "skipped"}
    assert others - on_host_too == {"array_api_strict has no dtype bfloat16"}  # inputs of what is refused


def wrapped(answer: Any) -> Implementation:
    """Return the reference with every answer changed."""

    def around(function: Any) -> Any:
        def call(*inputs: Any, **params: Any) -> Any:
            found = function(*inputs, **params)
            return type(found)(*map(answer, found)) if isinstance(found, tuple) else answer(found)

        return call

    reference = load("reference")
    return Implementation("changed", {name: around(one) for name, one in reference.operations.items()})


@pytest.mark.parametrize("operation", ["rope.apply", "rope.cos_sin", "rope.inv_freq", "swin.index"])
def test_an_answer_of_another_library_or_device_is_an_error(need: Any, operation: str) -> None:
    xp = strict(need)
    near = xp.Device("CPU_DEVICE")
    changes = {
        "numpy.ndarray is no array of array_api_strict": lambda array: np.asarray(array.to_device(near)),
        "not on array_api_strict.Device('device1')": lambda array: array.to_device(near),
    }
    for reason, change in changes.items():
        report = posref.check(wrapped(change), operation, kind="value", backend="array-api-strict")
        ran = [one for one in report.results if one.verdict != "skipped"]
        assert ran
        assert all(one.verdict == "fail" and reason in one.reason for one in ran), ran[0].reason


def test_an_implementation_that_computes_with_numpy_is_caught(need: Any) -> None:
    """Its answers are right; that they came by way of the host is the fault."""
    xp = strict(need)

    def leaking(x: Any, cos: Any, sin: Any, **params: Any) -> Any:
        host = [np.asarray(array.to_device(xp.Device("CPU_DEVICE"))) for array in (x, cos, sin)]
        return posref.rope.rotate(*host, **params)

    chosen = {"kind": "value", "dtype": "float32"}
    assert posref.check({"rope.rotate": leaking}, backend="array-api-strict", **chosen).failed
    honest = posref.check({"rope.rotate": posref.rope.rotate}, backend="array-api-strict", **chosen)
    assert bool(honest)


def test_numpy_as_a_backend_refuses_other_answers() -> None:
    report = posref.check({"alibi.slopes": lambda **_: 0.5}, kind="value", backend="numpy", dtype="float64")
    assert report.failed == report.executed > 0
    reasons = [one.reason for one in report.results if one.verdict == "fail"]
    assert all("builtins.float is no array of numpy" in reason for reason in reasons)


def test_operations_without_inputs_are_told_the_device(need: Any) -> None:
    xp = strict(need)
    seen = []

    def slopes(*, num_heads: int, like: Any, **params: Any) -> Any:
        seen.append(like.device)
        return posref.alibi.slopes(num_heads=num_heads, like=like, **params)

    assert posref.check({"alibi.slopes": slopes}, backend="array-api-strict", kind="value")
    assert set(seen) == {xp.Device("device1")}


@pytest.mark.parametrize("name", ["numpy", "array-api-strict"])
def test_the_command_line(need: Any, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name != "numpy":
        strict(need)
    assert main(["check", "reference", "--backend", name, "--operation", "swin.*"]) == 0
    assert f"(on {name})" in capsys.readouterr().out


def test_an_unknown_backend_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "reference", "--backend", "fortran"]) == 2
    assert "no backend 'fortran'; there are numpy, cupy, array-api-strict" in capsys.readouterr().err


def test_cupy_without_a_device_is_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(is_available=lambda: False))
    assert main(["check", "reference", "--backend", "cupy"]) == 2
    found = capsys.readouterr()
    assert found.err == "posref: the backend cupy needs a CUDA device, and cupy finds none\n"
    assert not found.out


def test_a_missing_library_is_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module, name, how in (
        ("cupy", "cupy", "'posref[cuda12]' or 'posref[cuda13]'"),
        ("array_api_strict", "array-api-strict", "array-api-strict"),
    ):
        monkeypatch.setitem(sys.modules, module, None)
        assert main(["check", "reference", "--backend", name]) == 2
        assert capsys.readouterr().err == f"posref: the backend {name} needs {module}: pip install {how}\n"


def test_what_writes_its_own_tensors_takes_no_backend() -> None:
    own = Implementation("own", {}, write=lambda values, dtype: values)
    with pytest.raises(ValueError, match="own writes its own tensors: leave the backend out"):
        on_backend(own, "numpy")
    with pytest.raises(ValueError, match="a program writes its own tensors: leave the backend out"):
        posref.check(Command([sys.executable, "-c", "input()"]), backend="numpy")


@pytest.mark.usefixtures("gpu")
def test_the_reference_keeps_every_vector_on_a_gpu() -> None:
    report = posref.check(load("reference"), backend="cupy")
    assert bool(report), str(report)
    assert {one.dtype for one in report.results if one.verdict == "pass"} >= set(DTYPES)


def test_the_names_are_those_of_the_documentation() -> None:
    for name in BACKENDS:
        assert f'"{name}"' in str(posref.check.__doc__)
