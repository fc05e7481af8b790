"""The diagnosis names the mistake that was made: of one operation a time here, of all in a full run."""

import pytest

from posref.cli import main
from posref.conformance import confusion
from posref.conformance.confusion import drawn, name, same
from posref.corpus import load_vectors
from posref.operation import DTYPES, Mistake, find, mistakes, signatures

NAME = "alibi.bias"


@pytest.fixture(scope="module")
def tests():
    return tuple(test for test in load_vectors(operations=NAME).tests if test.kind == "value")


def made(function, label="made-up"):
    return Mistake(label, NAME, label, "your output is what this gives", function)


def test_what_has_no_name_is_none(tests):
    right = find("reference", NAME)
    found = name(made(lambda *inputs, **params: 3 * right(*inputs, **params) - 0.5), tests, "float32")
    assert (found.outcome, found.named) == ("none", ())


def test_what_no_case_rejects_is_unseen(tests):
    assert name(made(find("reference", NAME)), tests, "bfloat16").outcome == "unseen"


def test_the_same_outputs_under_another_name_are_an_alias(tests):
    [one] = [entry for entry in mistakes(NAME) if entry.name == "future-kept"]
    found = name(made(one.function), tests, "float32")
    assert (found.outcome, found.named) == ("alias", ("future-kept",))


def nearly(label):
    """The mistake of that name, a few of its values one ulp of float32 off."""
    [one] = [entry for entry in mistakes(NAME) if entry.name == label]
    return made(lambda *inputs, **params: one.function(*inputs, **params) * (1 + 2.0**-26))


def test_what_lies_within_the_bound_of_another_is_wrong(tests):
    found = name(nearly("slope-of-head-0"), tests, "float32")
    assert (found.outcome, found.named) == ("wrong", ("slope-of-head-0",))


def test_pairs_are_the_same_each_time_and_both_show(tests):
    first = [both.name for both, _ in drawn(NAME, tests, "float32", 2)]
    assert first == [both.name for both, _ in drawn(NAME, tests, "float32", 2)]
    for both, parts in drawn(NAME, tests, "float32", 2):
        assert not any(same(both, one, tests, "float32") for one in parts)
        assert name(both, tests, "float32", parts).outcome in ("right", "alias")
    assert len(first) == 2


@pytest.mark.parametrize("operation", ["alibi.slopes", "t5.bucket"])
def test_every_mistake_is_named(operation):
    found = list(confusion.confusion(operation))
    assert {one.mistake.name for one in found} == {one.name for one in mistakes(operation)}
    assert [str(one) for one in found if one.outcome not in ("right", "alias", "unseen")] == []
    assert sum(one.outcome == "right" for one in found) > len(found) // 2


@pytest.mark.full
@pytest.mark.parametrize("operation", signatures())
def test_no_mistake_is_taken_for_another(operation):
    found = list(confusion.confusion(operation, DTYPES))
    assert [str(one) for one in found if one.outcome in ("none", "wrong")] == []


@pytest.mark.full
@pytest.mark.parametrize("operation", signatures())
def test_no_pair_is_taken_for_what_it_is_not(operation):
    found = list(confusion.confusion(operation, ["float32"], pairs=3))
    assert [str(one) for one in found if one.outcome == "wrong"] == []


def test_the_command_prints_counts_and_what_is_not_right(capsys, monkeypatch):
    few = mistakes(NAME)[:2]
    monkeypatch.setattr(confusion, "mistakes", lambda _: few)
    command = ["vectors", "confusion", "--operation", NAME, "--dtype", "float32"]
    assert main(command) == 0
    assert "2 mistakes: 2 right, 0 alias, 0 unseen, 0 none, 0 wrong" in capsys.readouterr().out
    near = nearly("slope-of-head-0")
    monkeypatch.setattr(confusion, "mistakes", lambda _: (near, *few))
    assert main(command) == 1
    out = capsys.readouterr().out
    assert "3 mistakes: 2 right, 0 alias, 0 unseen, 0 none, 1 wrong" in out
    assert out.splitlines()[1].split() == ["made-up", "float32", "wrong", "slope-of-head-0"]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [(("--operation", "nothing.*"), "no operation matches"), (("--dtype", "float8"), "no dtype 'float8'")],
)
def test_what_is_unknown_is_an_error(capsys, wrong, text):
    assert main(["vectors", "confusion", *wrong]) == 2
    assert text in capsys.readouterr().err
