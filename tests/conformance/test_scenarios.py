"""Scenarios: the honest pass, whoever keeps too much fails, and the judge plays by the rules."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import honest_rotary
import numpy as np
import pytest
from stale import OPERATIONS, STALE, functions, honest, named, performance, stateful

from posref import cli, operation
from posref.adapters import Implementation, Unsupported
from posref.adapters.reference import load
from posref.bounds.model import MODELS
from posref.conformance import Report, check
from posref.conformance.scenario import play
from posref.corpus import load_vectors
from posref.corpus.generate import build
from posref.corpus.load import ScenarioTest
from posref.numerics.rounding import decode_bits, round_bits
from posref.operation import find, signature

DTYPES = ("float64", "float32", "bfloat16", "float16")
SHIFT = "rope-scenario-shift-bf16"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scenarios") / "v"
    build(folder, operations="*_scenario")
    return folder


@pytest.fixture(scope="module")
def tests(root: Path) -> dict[str, ScenarioTest]:
    return {test.id: test for test in load_vectors(root).scenarios}


def test_the_reference_passes_every_scenario_in_every_dtype(root: Path) -> None:
    report = check("reference", root=root, kind="scenario")
    assert report
    assert {result.dtype for result in report.results} == set(DTYPES)
    ran = [result for result in report.results if result.verdict != "skipped"]
    assert len(ran) == report.passed > 80
    assert {result.reason for result in report.results if result.verdict == "skipped"} <= {
        f"no expected value in {dtype}" for dtype in DTYPES
    }
    assert {result.operation for result in ran} == {group.scenario for group in operation.scenarios()}


def test_objects_that_keep_only_their_parameters_pass(root: Path) -> None:
    assert check(honest(), root=root, kind="scenario")


def rounded(function: Callable[..., Any], dtype: str) -> Callable[..., Any]:
    """Return a function of float64 arrays with its float result rounded to `dtype`."""

    def call(*inputs: Any, **params: Any) -> Any:
        found = np.asarray(function(*inputs, **params))
        return found if found.dtype.kind in "bi" else decode_bits(round_bits(found, dtype), dtype)

    return call


def plain(operations: dict[str, Callable[..., Any]], dtype: str) -> Implementation:
    """Return an implementation on float64 arrays whose floats are of `dtype`."""
    right = {name: find("reference", name) for name in OPERATIONS if signature(name).integer}
    return Implementation(
        "plain",
        {**right, **operations},
        write=lambda values, _: values.copy(),
        read=lambda values: (dtype if values.dtype.kind == "f" else values.dtype.name, values),
    )


def test_every_flag_is_of_a_mistake_that_fails(tests: dict[str, ScenarioTest]) -> None:
    """A flag that single calls have too is honoured by the registered mistakes of that flag."""
    for test in tests.values():
        for flag in set(test.scenario.flags) - {mistake.flag for mistake in STALE}:
            known = [one for name in test.operations for one in operation.mistakes(name) if one.flag == flag]
            assert known, (test.id, flag)
            every = set()
            for dtype in ("float64", "float32", "bfloat16"):
                right = {name: rounded(find("reference", name), dtype) for name in OPERATIONS}
                wrong = [
                    plain({**right, one.operation: rounded(one.function, dtype)}, dtype) for one in known
                ]
                found = [performance(one, test, dtype).result.verdict for one in wrong]
                assert set(found) <= {"fail", "skipped"}, (test.id, flag, dtype)
                every |= set(found)
            assert "fail" in every, (test.id, flag)


def stripped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a pipeline, which takes only the keys of a scaling that its type has."""

    def call(*inputs: Any, **params: Any) -> Any:
        scaling = params.get("scaling")
        if scaling:
            null = {"yarn": set(honest_rotary.YARN), "longrope": {"attention_factor"}}
            legal = null.get(scaling["rope_type"], set())
            kept = {key: one for key, one in scaling.items() if one is not None or key in legal}
            params["scaling"] = kept
        return function(*inputs, **params)

    return call


def test_honest_pipelines_are_accepted(tests: dict[str, ScenarioTest]) -> None:
    most = 0.0
    tried = set()
    for claim, pipeline, least in honest_rotary.pipelines():
        if least > 10000:
            continue
        tried.add((claim, pipeline.out))
        names = [name for name in OPERATIONS if not signature(name).integer]
        operations = {name: stripped(getattr(pipeline, name.replace(".", "_"))) for name in names}
        for found in play(plain(operations, pipeline.out), tests.values(), pipeline.out, claim):
            assert found.result.verdict in ("pass", "skipped"), (pipeline.name, found.result)
            if found.result.worst_error:
                most = max(most, found.result.worst_error.ratio)
    assert {claim for claim, _ in tried} == set(MODELS)
    assert {dtype for _, dtype in tried} == set(DTYPES)
    assert 0.3 < most <= 1


def test_the_bound_of_a_later_step_rejects_what_the_earlier_error_does_not_explain(
    tests: dict[str, ScenarioTest],
) -> None:
    """Off by twice its own bound in the last step alone: a bound that merely piled up would admit it."""
    for dtype in ("float64", "float32", "bfloat16"):
        test = tests[SHIFT]
        limit = np.array(test.calls[-1].expected["k"][dtype].bound)
        calls: list[int] = []

        def nudged(k: Any, delta: Any, limit: Any = limit, calls: list[int] = calls, **params: Any) -> Any:
            calls.append(1)
            y = find("reference", "rope.rerotate")(k, delta, **params)
            away = y.astype(np.float64) + 2 * limit.reshape(y.shape)
            return away.astype(y.dtype) if len(calls) == 2 else y

        result = performance(functions(rope_rerotate=nudged), test, dtype).result
        assert result.verdict == "fail"
        assert result.reason.startswith("step 2 of 0 to 2, object shift: k[")


def test_objects_are_made_once_in_order_and_before_the_first_step(tests: dict[str, ScenarioTest]) -> None:
    test = tests["rope-scenario-two-lengths-bf16"]
    log: list[Any] = []

    def made(**params: Any) -> Callable[..., Any]:
        log.append(("made", params))

        def call(x: Any, positions: Any, **own: Any) -> Any:
            log.append(("called", own))
            return find("reference", "rope.apply")(x, positions, **{**params, **own})

        return call

    implementation = Implementation("made", {}, sessions={"rope.apply": made})
    assert performance(implementation, test, "float32").result.verdict == "pass"
    objects = [("made", one.params) for one in test.scenario.objects.values()]
    lengths = [("called", {"seq_len": length}) for length in (8192, 800, 8192)]
    assert log == [*objects, *lengths]


def test_a_step_without_a_length_of_its_own_overrides_nothing(tests: dict[str, ScenarioTest]) -> None:
    seen = []

    def call(x: Any, positions: Any, **params: Any) -> Any:
        seen.append(params)
        return find("reference", "rope.apply")(x, positions, **params)

    test = tests["rope-scenario-same-shape-bf16"]
    assert performance(functions(rope_apply=call), test, "float32").result.verdict == "pass"
    assert seen == [test.scenario.objects["rotary"].params] * 4


def test_an_earlier_output_is_handed_on_as_it_was_returned(tests: dict[str, ScenarioTest]) -> None:
    returned, given = [], []

    def rotated(*inputs: Any, **params: Any) -> Any:
        returned.append(find("reference", "rope.apply")(*inputs, **params))
        return returned[-1]

    def shifted(k: Any, delta: Any, **params: Any) -> Any:
        given.append(k)
        returned.append(find("reference", "rope.rerotate")(k, delta, **params))
        return returned[-1]

    implementation = functions(rope_apply=rotated, rope_rerotate=shifted)
    assert performance(implementation, tests[SHIFT], "bfloat16").result.verdict == "pass"
    assert [one is two for one, two in zip(returned, given, strict=False)] == [True, True]


def test_a_wrong_first_step_is_the_one_that_is_named(tests: dict[str, ScenarioTest]) -> None:
    later = []

    def shifted(*inputs: Any, **params: Any) -> Any:
        later.append(1)
        return find("reference", "rope.rerotate")(*inputs, **params)

    implementation = functions(rope_apply=lambda x, positions, **_: x + 1, rope_rerotate=shifted)
    found = performance(implementation, tests[SHIFT], "float32").result
    assert found.verdict == "fail"
    assert found.reason.startswith("step 0 of 0 to 2, object rotary: y[")
    assert later == []


def test_an_output_that_changes_afterwards_fails(tests: dict[str, ScenarioTest]) -> None:
    found = performance(stateful(named("kept-output")), tests["rope-scenario-reuse-bf16"], "float32").result
    assert found.reason == "step 1 of 0 to 4, object rotary: y of step 0 has been overwritten since"


def raising(failure: Exception) -> Callable[..., Any]:
    def call(*_: Any, **__: Any) -> Any:
        raise failure

    return call


def test_exceptions_skips_and_wrong_forms(tests: dict[str, ScenarioTest]) -> None:
    test = tests[SHIFT]

    def verdict(implementation: Implementation, dtype: str = "float32") -> tuple[str, str]:
        found = performance(implementation, test, dtype).result
        return found.verdict, found.reason

    broken = raising(ZeroDivisionError("at last"))
    at_step = "step 1 of 0 to 2, object shift: "
    assert verdict(functions(rope_rerotate=broken)) == ("error", at_step + "ZeroDivisionError: at last")
    made = Implementation("made", {"rope.apply": raising(ValueError())}, sessions={"rope.rerotate": broken})
    assert verdict(made) == ("error", "making the object shift: ZeroDivisionError: at last")
    unable = functions(rope_rerotate=raising(Unsupported("no shifts")))
    assert verdict(unable) == ("skipped", "no shifts")
    assert verdict(Implementation("made", {"rope.apply": broken})) == ("skipped", "operation not offered")
    flat = functions(rope_rerotate=lambda k, delta, **_: k[0])
    assert verdict(flat) == ("fail", at_step + "k has shape (9,) where (4, 9) is declared")

    def overwriting(k: Any, delta: Any, **params: Any) -> Any:
        y = find("reference", "rope.rerotate")(k, delta, **params)
        k[...] = 0
        return y

    writing = functions(rope_rerotate=overwriting)
    assert verdict(writing) == ("fail", at_step + "the call changed its input k")
    narrow = Implementation("made", functions().operations, dtypes=("float64",))
    assert verdict(narrow) == ("skipped", "float32 not offered")


def test_a_report_of_scenarios_in_text_and_in_json(root: Path, tests: dict[str, ScenarioTest]) -> None:
    report = check(stateful(named("table-by-shape")), "rope.offset_scenario", "float32", root=root)
    assert not report
    assert {result.kind for result in report.results} == {"scenario"}
    text = report.to_text()
    assert "rope.offset_scenario" in text
    assert "step 1 of 0 to 3, object rotary" in text
    assert max(map(len, text.splitlines()[:-1])) <= 100
    assert Report.from_json(report.to_json()) == report
    [summary] = report.operations
    assert (summary.operation, summary.tests, summary.strongest_claim) == ("rope.offset_scenario", 6, "none")
    assert summary.diagnosis == (
        "your output is what a table kept for the shape of the positions, whatever they are, gives "
        "[table-by-shape; see https://github.com/lucidrains/rotary-embedding-torch/issues/11]"
    )
    assert {result.diagnosis for result in report.results} == {"", summary.diagnosis}


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        ("*", {"batch", "cache", "length", "objects", "offset", "shards"}),
        ("rope.apply", {"batch", "length", "objects", "offset"}),
        ("rope.length_scenario", {"length"}),
        (("rope.apply", "rope.rerotate"), {"batch", "cache", "length", "objects", "offset"}),
        (("rope.length_scenario", "rope.batch_scenario"), {"length", "batch"}),
    ],
)
def test_which_scenarios_a_glob_chooses(root: Path, patterns: Any, names: set[str]) -> None:
    report = check("reference", patterns, "float64", root=root, kind="scenario")
    assert {result.operation for result in report.results} == {f"rope.{name}_scenario" for name in names}
    assert report


def test_other_kinds_leave_scenarios_out(root: Path) -> None:
    assert check("reference", root=root, kind="value").selected == 0
    assert check("reference", "rope.rerotate", root=root).selected == 0


def test_the_command_line(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", "reference", "--kind", "scenario", "--root", str(root), "--dtype", "float32"]
    assert cli.main(arguments) == 0
    assert "rope.cache_scenario" in capsys.readouterr().out
    assert cli.main(["show", SHIFT, "--root", str(root)]) == 0
    shown = capsys.readouterr().out
    assert f"{SHIFT}: rope.cache_scenario, scenario" in shown
    assert "input k: k of step 1" in shown


def test_load_makes_no_sessions_by_default() -> None:
    assert load().sessions == {}
