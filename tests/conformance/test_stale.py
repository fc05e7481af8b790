"""Stale-state mistakes: single calls do not show them, scenarios do, and the judge names each."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stale import STALE, functions, performance, stateful

from posref import operation
from posref.adapters import Implementation
from posref.conformance import check
from posref.corpus import load_vectors
from posref.corpus.generate import build
from posref.corpus.load import ScenarioTest
from posref.operation import StaleMistake, find

DTYPES = operation.DTYPES
FLAGS = json.loads((operation.home("spec") / "flags.json").read_text("ascii"))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scenarios") / "v"
    build(folder, operations="*_scenario")
    return folder


@pytest.fixture(scope="module")
def tests(root: Path) -> dict[str, ScenarioTest]:
    return {test.id: test for test in load_vectors(root).scenarios}


IDS = [f"{mistake.operation}-{mistake.name}" for mistake in STALE]
stale = pytest.mark.parametrize("mistake", STALE, ids=IDS)


@stale
def test_whoever_keeps_too_much_fails_its_scenarios(
    tests: dict[str, ScenarioTest], mistake: StaleMistake
) -> None:
    """Those with its flag that call its operation, in each dtype; and there are some."""
    flagged = [test for test in tests.values() if mistake.flag in test.scenario.flags]
    flagged = [test for test in flagged if mistake.operation in test.operations]
    assert flagged
    for dtype in DTYPES:
        found = [performance(stateful(mistake), test, dtype).result for test in flagged]
        ran = [result for result in found if result.verdict != "skipped"]
        assert ran
        assert [result.case_id for result in ran if result.verdict != "fail"] == []


@stale
def test_and_passes_every_single_call(mistake: StaleMistake) -> None:
    assert check(stateful(mistake), mistake.operation, ("float32", "bfloat16"), kind="value")


@stale
def test_and_would_pass_if_it_were_made_anew_for_every_call(root: Path, mistake: StaleMistake) -> None:
    again = Implementation("anew", stateful(mistake).operations)
    assert check(again, root=root, kind="scenario", dtype="float32")


@stale
def test_and_is_named(root: Path, mistake: StaleMistake) -> None:
    """In every file of scenarios that it fails; lengths of one object and of all are told apart by two."""
    same = {"shared-length": {"rope.length_scenario": "kept-length"}}.get(mistake.name, {})
    for dtype in ("float32", "bfloat16"):
        report = check(stateful(mistake), root=root, kind="scenario", dtype=dtype)
        failing = {one.operation: one.diagnosis for one in report.operations if one.failed}
        assert failing.keys() - same.keys()
        for name, diagnosis in failing.items():
            assert f"[{same.get(name, mistake.name)}" in diagnosis, dtype
            assert name in same or diagnosis.startswith(mistake.description)


@stale
def test_a_stale_mistake_is_a_diagnosis(mistake: StaleMistake) -> None:
    assert mistake.operation in operation.signatures()
    assert mistake.description.startswith("your output is what ")
    assert "give" in mistake.description
    assert FLAGS[mistake.flag]["bug_type"] in ("stale_state", "indexing")
    assert re.fullmatch(r"|https://github\.com/[\w.-]+/[\w.-]+/issues/\d+", mistake.report)


def test_every_scenario_is_failed_by_a_stale_mistake_in_float32_and_bfloat16(
    tests: dict[str, ScenarioTest],
) -> None:
    """But the one that is there for a mistake of every call: see the test of flags below."""
    for test in tests.values():
        if set(test.scenario.flags) == {"magnitude-again"}:
            continue
        known = [one for one in STALE if one.operation in test.operations]
        every = set()
        for dtype in ("float64", "float32", "bfloat16"):
            found = {performance(stateful(one), test, dtype).result.verdict for one in known}
            assert "fail" in found or found == {"skipped"}, (test.id, dtype)
            every |= found
        assert "fail" in every, test.id


def test_a_call_that_is_wrong_by_itself_is_named_too(root: Path) -> None:
    """Positions counted from 0, in every call: no object keeps anything."""

    def restarted(x: Any, positions: Any, **params: Any) -> Any:
        return find("reference", "rope.apply")(x, 0 * positions + np.arange(positions.shape[-1]), **params)

    report = check(functions(rope_apply=restarted), "rope.offset_scenario", "float32", root=root)
    [summary] = report.operations
    assert "[positions-from-0; see" in summary.diagnosis


def test_what_is_off_at_random_has_no_name(root: Path) -> None:
    calls: list[int] = []

    def noisy(x: Any, positions: Any, **params: Any) -> Any:
        calls.append(1)
        y = find("reference", "rope.apply")(x, positions, **params)
        return (y + 0.1 * np.sin(len(calls) + np.arange(y.size)).reshape(y.shape)).astype(y.dtype)

    report = check(functions(rope_apply=noisy), "rope.offset_scenario", "float32", root=root)
    [summary] = report.operations
    assert summary.failed
    assert summary.diagnosis == "no known mistake explains this"
