"""Over the wire the honest pass, in every order of axes, and whoever keeps too much in an object fails."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from in_memory import value_test
from wire_runs import command

from posref.adapters import Implementation
from posref.adapters.reference import load
from posref.conformance import Report, check
from posref.conformance.run import run
from posref.conformance.target import resolve
from posref.corpus.load import Test
from posref.operation import Tensor

SOME = ("rope.apply", "attention.output", "positions.from_mask", "rope_scaling.resolve")


def in_process(**options: Any) -> Report:
    return check("reference", SOME, **options)


def verdicts(report: Report) -> dict[tuple[str, str], str]:
    return {(one.case_id, one.dtype): one.verdict for one in report.results}


@pytest.mark.parametrize("wire", ["json", "flat"])
def test_the_same_verdicts_as_in_the_process(wire: str) -> None:
    report = check(command("honest", wire=wire), SOME, "bfloat16")
    assert report
    assert report.implementation == "honest"
    assert verdicts(report) == verdicts(in_process(dtype="bfloat16"))
    assert all(not one.reason for one in report.results if one.verdict == "pass")


def test_refusals_are_compared_by_class_and_parameter() -> None:
    found = check(command("honest"), SOME, "float32", kind="invalid")
    here = {one.case_id: one.remark for one in in_process(dtype="float32", kind="invalid").results}
    assert found.passed > 100
    for one in found.results:
        assert one.remark == here[one.case_id], "an empty parameter is none that is wrong"


@pytest.mark.parametrize("wire", ["json", "flat"])
@pytest.mark.parametrize("sessions", [(), ("--sessions",)])
def test_scenarios_of_the_honest_pass(wire: str, sessions: tuple[str, ...]) -> None:
    report = check(command("honest", *sessions, wire=wire), dtype="float32", kind="scenario")
    assert report
    assert report.passed > 20


@pytest.mark.parametrize(("flag", "wire"), [("table-by-shape", "json"), ("kept-length", "flat")])
def test_an_object_that_keeps_too_much_fails(flag: str, wire: str) -> None:
    report = check(
        command("honest", "--sessions", "--stale", flag, wire=wire), dtype="float32", kind="scenario"
    )
    assert report.errors == 0
    meant = [one for one in report.results if flag in one.flags and one.verdict != "skipped"]
    meant = [one for one in meant if "grouped" not in one.case_id]  # that calls rope.apply_qk
    assert {one.verdict for one in meant} == {"fail"}
    assert all(one.reason.startswith("step ") for one in meant)
    without = check(command("honest", "--stale", flag, wire=wire), dtype="float32", kind="scenario")
    assert without, "a program without sessions is called anew each time"


@pytest.mark.parametrize("wire", ["json", "flat"])
def test_heads_after_tokens(wire: str) -> None:
    report = check(
        command("honest", "--axes", "bshd", wire=wire), ("rope.apply*", "attention.output"), "float32"
    )
    assert report
    assert report.passed > 200
    wrong = check(
        command("honest", "--facts", '{"axes": "bshd"}', wire=wire), "rope.apply", "float32", kind="value"
    )
    assert wrong.failed + wrong.errors > 0, "a program that does not do what it says fails"


@pytest.mark.parametrize("wire", ["json", "flat"])
def test_tokens_joined(wire: str) -> None:
    report = check(
        command("honest", "--axes", "thd", wire=wire),
        ("rope.apply*", "rope.rot*", "rope.score", "xpos.apply"),
        "float32",
        kind="value",
    )
    assert report
    for name in ("rope.apply", "rope.rotate", "rope.apply_qk", "xpos.apply", "rope.apply_vjp"):
        ran = [one for one in report.results if one.operation == name and one.verdict == "pass"]
        assert len(ran) > 5, name
    reasons = {one.reason for one in report.results if one.reason and one.reason.endswith("(axes thd)")}
    assert any("queries and keys" in reason for reason in reasons)


def facts(**more: Any) -> Any:
    return command("honest", "--schemes", "rope.inv_freq,rope.apply", "--facts", json.dumps(more))


def test_claims_that_the_program_makes() -> None:
    made = facts(claims={"float32": "faithful"})
    report = check(made, "rope.inv_freq", ("float32", "float64"))
    assert {one.claim for one in report.results if one.dtype == "float32"} == {"faithful"}
    assert {one.claim for one in report.results if one.dtype == "float64"} == {"f64-angle"}
    strict = check(made, "rope.inv_freq", "float32", claim="correctly_rounded")
    assert {one.claim for one in strict.results} == {"correctly_rounded"}


@pytest.fixture
def opened() -> Any:
    """Open a program, close it at the end."""
    lives = []

    def start(**more: Any) -> Implementation:
        implementation = resolve(facts(**more))
        lives.append(implementation.life)
        return implementation

    yield start
    for life in lives:
        life.__exit__(None, None, None)


def ladder(reals: list[Any], **fields: Any) -> Test:
    return value_test(
        "rope.inv_freq", {"rotary_dim": 4, "base": 10000.0}, {}, {"inv_freq": (reals, (2,))}, **fields
    )


def test_a_capability_that_is_lacking(opened: Any) -> None:
    from dataclasses import replace

    test = replace(ladder([1, Fraction(1, 100)], bound=1e-3), requires=("positions-2p53",))
    [lacking] = run(opened(lacks=["positions-2p53"]), [test], "float64")
    assert (lacking.result.verdict, lacking.result.reason) == ("skipped", "lacks positions-2p53")
    [having] = run(opened(lacks=["fractional-positions"]), [test], "float64")
    assert having.result.verdict == "pass"


def moved(value: float, position: int = 0) -> Test:
    inputs = {"x": Tensor("float64", (1, 2), (value, 1.0)), "positions": Tensor("int64", (1,), (position,))}
    params = {
        "rotary_dim": 2,
        "rotary_start": 0,
        "base": 2.0,
        "pairing": "half",
        "scaling": None,
        "seq_len": None,
    }
    return value_test(
        "rope.apply", params, inputs, {"y": ([Fraction(value), 1], (1, 2))}, dtypes=("float64",), bound=0.0
    )


def test_subnormal_inputs_are_skipped_where_they_are_flushed(opened: Any) -> None:
    for value, verdict in ((2.0**-1030, "skipped"), (2.0**-1022, "pass")):
        [found] = run(opened(flush_subnormals=True), [moved(value)], "float64")
        assert found.result.verdict == verdict
    assert run_one(opened(), moved(2.0**-1030)) == "pass"


def run_one(implementation: Implementation, test: Test) -> str:
    [found] = run(implementation, [test], "float64")
    return found.result.verdict


def test_a_flushed_zero_is_right_only_where_the_value_is_subnormal() -> None:
    from dataclasses import replace

    import numpy as np

    def zero(*, dtype: str, **_: Any) -> Any:
        return np.array([1.0, 0.0])

    tiny, small = (ladder([1, Fraction(2) ** power]) for power in (-1030, -1021))
    honest = Implementation("flushing", {"rope.inv_freq": zero}, flush_subnormals=True)
    assert run_one(honest, tiny) == "pass"
    assert run_one(honest, small) == "fail"
    assert run_one(replace(honest, flush_subnormals=False), tiny) == "fail"


def test_the_reference_has_no_life_to_end() -> None:
    with load().life, load().around("a", "float32"):
        pass


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"operations": ["rope.aply"]}, "there is no 'rope.aply' here"),
        ({"dtypes": ["float8"]}, "there is no 'float8' here"),
        ({"claims": {"float32": "near"}}, "no claim 'near'"),
        ({"claims": {"float64": "f32-angle"}}, "the claim f32-angle is not made for float64"),
        ({"sessions": ["alibi.slopes"]}, "there is no 'alibi.slopes' here"),
        ({"lacks": ["speed"]}, "there is no 'speed' here"),
        ({"axes": "dhsb"}, "/axes"),
        ({"name": ""}, "/name"),
        ({"name": "two\nlines"}, "/name"),
        ({"colour": "red"}, "unknown key 'colour'"),
    ],
)
def test_facts_that_are_none(more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="cannot be judged: seq 0: malformed reply") as refused:
        check(facts(**more))
    assert message in str(refused.value)


def test_no_float_dtype_and_no_operation_runs_nothing() -> None:
    report = check(facts(operations=[]), "rope.inv_freq")
    assert not report
    assert report.executed == 0
    assert {one.reason for one in report.results} == {"operation not offered"}


def test_what_is_no_command(tmp_path: Path) -> None:
    from posref.conformance.wire import Command

    for wrong in ("./my_impl", [], ()):
        with pytest.raises(ValueError, match="a command is a list"):
            Command(wrong)
    with pytest.raises(ValueError, match="no wire 'xml'; there are json, flat"):
        Command(["true"], wire="xml")
