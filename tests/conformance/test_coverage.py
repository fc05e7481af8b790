"""The coverage report: what it counts, what it prints, and that a survivor is an exit code of 1."""

from dataclasses import replace

import numpy as np
import pytest

from posref.cli import main
from posref.conformance import coverage
from posref.conformance.coverage import Coverage, cover
from posref.corpus import load_vectors
from posref.operation import Mistake, find, mistakes

NAME = "alibi.bias"


@pytest.fixture(scope="module")
def tests():
    return load_vectors(operations=NAME).tests


def with_function(function):
    return Mistake("made-up", NAME, "made-up", "your output is what this gives", function)


def test_a_wrong_result_is_rejected_by_the_cases_that_show_it(tests):
    """Doubling is wrong wherever an element is neither 0 nor masked."""
    right = find("reference", NAME)
    found = cover(with_function(lambda *inputs, **params: 2 * right(*inputs, **params)), tests, "float32")
    shown = {
        test.id
        for test in tests
        if test.kind == "value"
        and any(np.isfinite(one) and one != 0 for one in test.expected["bias"]["float32"].tensor.data)
    }
    assert set(found.killing) == shown
    assert set(found.killing) < set(found.tried)
    assert not found.survives


def test_the_right_result_survives(tests):
    found = cover(with_function(find("reference", NAME)), tests, "bfloat16")
    assert found.survives
    assert found.tried
    assert "SURVIVES" in str(found)


def test_a_mistake_that_gives_no_answer_is_not_caught(tests):
    def broken(*inputs, **params):
        raise RuntimeError("no answer")

    found = cover(with_function(broken), tests, "float32")
    assert found.killing == found.tried == ()
    assert len(found.errors) == sum(test.kind == "value" for test in tests)
    assert found.survives
    assert "no answer to" in str(found)


def test_a_line_shows_the_first_cases_only():
    one = Coverage(with_function(None), "float32", ("a", "b", "c", "d", "e"), ("a", "b", "c", "d"))
    assert str(one).split() == [
        "made-up",
        "float32",
        "killed",
        "by",
        "4",
        "of",
        "5:",
        "a,",
        "b,",
        "c,",
        "...",
    ]
    assert str(replace(one, killing=("a",))).endswith("killed by 1 of 5: a")


def test_integer_operations_are_judged_once():
    found = list(coverage.coverage("t5.bucket"))
    assert [one.mistake.name for one in found] == [one.name for one in mistakes("t5.bucket")]
    assert {one.dtype for one in found} == {"int64"}


def test_the_command_prints_every_mistake_and_no_survivor(capsys):
    assert main(["vectors", "coverage", "--operation", NAME]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [one.name for one in mistakes(NAME)]
    assert lines[0] == NAME
    assert [line.split()[0] for line in lines[1:-1]] == [name for name in names for _ in range(2)]
    assert lines[-1] == f"{len(names)} mistakes, {2 * len(names)} of {2 * len(names)} runs caught, 0 survive"


def test_a_survivor_is_named_and_is_an_exit_code(capsys, monkeypatch):
    right = with_function(find("reference", NAME))
    monkeypatch.setattr(coverage, "mistakes", lambda name: (right,))
    assert main(["vectors", "coverage", "--operation", NAME, "--dtype", "float16"]) == 1
    out = capsys.readouterr().out
    assert "survivor: alibi.bias made-up in float16" in out
    assert "0 of 1 runs caught, 1 survive" in out


def test_a_claim_of_another_dtype_leaves_that_dtype_out(capsys):
    assert main(["vectors", "coverage", "--operation", NAME, "--claim", "f32-angle-bf16"]) == 0
    assert "float32" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (("--operation", "nothing.*"), "no operation matches"),
        (("--dtype", "float8"), "no dtype 'float8'"),
        (("--claim", "perfect"), "no claim 'perfect'"),
        (("--claim", "f32-angle-bf16", "--dtype", "float32"), "is not made for float32"),
    ],
)
def test_what_is_unknown_is_an_error(capsys, wrong, text):
    assert main(["vectors", "coverage", *wrong]) == 2
    assert text in capsys.readouterr().err
