"""Mistakes: each does what its description says, differs from the reference, and is told apart."""

import json
import re
import warnings
from collections import Counter

import numpy as np
import pytest

from posref.errors import ConfigWarning
from posref.operation import find, home, mistakes, signature, signatures, stale_mistakes

DTYPES = {"int64": np.int64, "bool": np.bool_}
MISTAKES = [entry for name in signatures() for entry in mistakes(name)]
FLAGS = json.loads((home("spec") / "flags.json").read_text("ascii"))


def ids(entries):
    return [f"{entry.operation}:{entry.name}" for entry in entries]


def arrays(case):
    return {
        name: np.array(tensor.data, DTYPES.get(tensor.dtype, np.float64)).reshape(tensor.shape)
        for name, tensor in case.inputs.items()
    }


def outputs(result):
    return tuple(np.asarray(entry) for entry in (result if isinstance(result, tuple) else (result,)))


def reference(operation, inputs, params):
    order = [inputs.get(entry.name) for entry in signature(operation).inputs]
    return outputs(find("reference", operation)(*order, **params))


def cases(operation):
    for group in find("cases", operation)():
        for case in group.cases:
            if case.error is None:
                yield group, case


@pytest.fixture(scope="module")
def results():
    """Inputs, parameters and the reference's result of every value case, by operation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConfigWarning)  # some published configurations hold idle keys
        return {
            name: [
                (case, arrays(case), group.params, reference(name, arrays(case), group.params))
                for group, case in cases(name)
            ]
            for name in signatures()
        }


@pytest.mark.parametrize("operation", signatures())
def test_an_operation_has_five_mistakes_with_names_of_their_own(operation):
    found = mistakes(operation)
    assert len(found) >= 5
    assert max(Counter(entry.name for entry in found).values()) == 1
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]*", entry.name) for entry in found)


@pytest.mark.parametrize("mistake", MISTAKES, ids=ids(MISTAKES))
def test_a_mistake_is_a_diagnosis_with_a_known_flag(mistake):
    assert mistake.flag in FLAGS
    assert FLAGS[mistake.flag]["bug_type"] != "edge_case"
    assert mistake.description.startswith("your output is what ")
    assert "gives" in mistake.description or "give" in mistake.description
    assert re.fullmatch(r"|https://github\.com/[\w.-]+/[\w.-]+/issues/\d+", mistake.report)


def test_every_fault_flag_has_a_mistake():
    faults = {name for name, flag in FLAGS.items() if flag["bug_type"] != "edge_case"}
    stale = {entry.flag for name in signatures() for entry in stale_mistakes(name)}
    assert faults == {entry.flag for entry in MISTAKES} | stale  # those: test_scenarios.py


@pytest.mark.parametrize("operation", signatures())
def test_a_fault_flag_on_a_case_belongs_to_a_mistake_of_the_operation(operation):
    known = {entry.flag for entry in mistakes(operation)} | set(signature(operation).edges)
    for _, case in cases(operation):
        assert set(case.flags) <= known, case.id


CHECKED = [entry for entry in MISTAKES if entry.check]


@pytest.mark.parametrize("mistake", CHECKED, ids=ids(CHECKED))
def test_a_mistake_gives_the_value_computed_by_hand(mistake):
    inputs = {name: np.array(value) for name, value in mistake.check["inputs"].items()}
    wrong = np.concatenate(
        [entry.ravel() for entry in outputs(mistake.function(**inputs, **mistake.check["params"]))]
    )
    np.testing.assert_allclose(wrong.astype(float), mistake.check["output"], rtol=1e-8, atol=5e-10)


@pytest.mark.parametrize("operation", signatures())
def test_every_operation_has_a_mistake_checked_by_hand(operation):
    assert any(entry.check for entry in mistakes(operation))


@pytest.mark.parametrize("mistake", CHECKED, ids=ids(CHECKED))
def test_the_value_computed_by_hand_is_wrong(mistake):
    inputs = {name: np.array(value) for name, value in mistake.check["inputs"].items()}
    right = np.concatenate([e.ravel() for e in reference(mistake.operation, inputs, mistake.check["params"])])
    assert not np.allclose(right.astype(float), mistake.check["output"], rtol=1e-8, atol=5e-10)


def near(wrong, right):
    """Element by element: equal, or for finite floats as close as rounding leaves them."""
    if right.dtype != np.float64:
        return wrong == right
    both = np.isfinite(wrong) & np.isfinite(right)
    apart = np.abs(np.where(both, wrong, 0) - np.where(both, right, 0))
    return (wrong == right) | (both & (apart <= 1e-9 * (1 + np.abs(np.where(both, right, 0)))))


def differs(wrong, right):
    return not all(near(a, b).all() for a, b in zip(wrong, right, strict=True))


@pytest.mark.parametrize("mistake", MISTAKES, ids=ids(MISTAKES))
def test_a_mistake_runs_on_every_case_and_is_seen_where_its_flag_stands(mistake, results):
    seen, flagged = set(), set()
    for case, inputs, params, right in results[mistake.operation]:
        wrong = outputs(mistake.function(**inputs, **params))
        assert [entry.shape for entry in wrong] == [entry.shape for entry in right]
        assert all(entry.dtype in (np.float64, np.int64, np.bool_) for entry in wrong)
        if differs(wrong, right):
            seen.add(case.id)
        if mistake.flag in case.flags:
            flagged.add(case.id)
    assert flagged
    assert flagged <= seen


@pytest.mark.parametrize("operation", signatures())
def test_two_mistakes_of_an_operation_are_two(operation, results):
    given = {entry.name: [] for entry in mistakes(operation)}
    for _, inputs, params, _ in results[operation]:
        for entry in mistakes(operation):
            given[entry.name].extend(outputs(entry.function(**inputs, **params)))
    names = sorted(given)
    for index, first in enumerate(names):
        for second in names[index + 1 :]:
            assert differs(given[first], given[second]), (first, second)
