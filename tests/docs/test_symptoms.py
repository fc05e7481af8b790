"""The index of symptoms: all that a row names exists, and a run of its mistake does what its title says."""

import re
import sys
from functools import cache
from pathlib import Path

import pytest

from posref.conformance.coverage import cover
from posref.operation import Mistake, signature

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "guides" / "symptoms.md").read_text("utf-8")
NUMBER = re.compile(r"(?<![\w.])\d[\d.]*\d(?!\w)")

sys.path.insert(0, str(DOCS / "_ext"))
site_symptoms = pytest.importorskip("site_symptoms")
site_probes = pytest.importorskip("site_probes")

ROWS = site_symptoms.symptoms()
KEYS = {"id", "group", "seen", "fault", "cure", "page", "mistake", "case", "probe", "shows"}
ALIKE = "neighbors-collapse"


@cache
def parts(index):
    """Run the probe of a row once."""
    return site_probes.parts(ROWS[index]["mistake"], ROWS[index]["probe"])


each = pytest.mark.parametrize("index", range(len(ROWS)), ids=[row["id"] for row in ROWS])


def test_rows_are_whole_and_different():
    assert len(ROWS) >= 45
    assert [row["id"] for row in ROWS if set(row) != KEYS] == []
    for key in ("id", "seen"):
        assert len({row[key] for row in ROWS}) == len(ROWS)
    groups = [row["group"] for row in ROWS]
    assert groups == sorted(groups, key=groups.index)  # a group is one stretch


@each
def test_the_case_raises_the_flag_of_the_mistake_and_rejects_it(index):
    row = ROWS[index]
    fault = site_probes.registered(row["mistake"])
    name = row["mistake"].partition("/")[0]
    if not isinstance(fault, Mistake):
        (scenario,) = [one for one in site_probes.corpus().scenarios if one.id == row["case"]]
        assert name in scenario.operations
        assert fault.flag in scenario.scenario.flags
        return
    (test,) = [one for one in site_probes.corpus().tests if one.id == row["case"]]
    assert (test.operation, test.kind) == (name, "value")
    assert fault.flag in test.flags
    dtype = "int64" if signature(name).integer else row["probe"].get("dtype", "float32")
    assert cover(fault, [test], dtype).killing == (test.id,)


@each
def test_a_run_of_the_mistake_shows_the_symptom(index):
    shows, found = ROWS[index]["shows"], parts(index)
    wrong = {one.label: one.wrong for one in found}
    assert len(wrong) == len(found)
    assert shows
    assert [label for label in shows.get("right", []) if wrong[label]] == []
    assert [label for label in shows.get("wrong", []) if not wrong[label]] == []
    if "first_wrong" in shows:
        assert next(one.label for one in found if one.wrong) == shows["first_wrong"]
    if "grows" in shows:
        errors = {one.label: one.error for one in found}
        sizes = [errors[label] for label in shows["grows"]]
        assert 0 < sizes[0] < sizes[1] / 4


@each
def test_a_number_in_the_title_is_one_of_the_run(index):
    """One of the probe, or the last one before or the first one after it."""
    row = ROWS[index]
    known = {number for text in (str(row["probe"]), str(row["shows"])) for number in NUMBER.findall(text)}
    near = {str(int(number) + step) for number in known if number.isdigit() for step in (-1, 1)}
    assert set(NUMBER.findall(row["seen"])) <= known | near


def test_far_out_neighbors_share_a_row():
    (row,) = [one for one in ROWS if one["id"] == ALIKE]
    inputs, params = site_probes.arguments("rope.cos_sin", row["probe"])
    cos, sin = site_probes.registered(row["mistake"]).function(*inputs.values(), **params)
    assert len(cos) >= 8
    assert len({*map(tuple, cos)}) == len({*map(tuple, sin)}) == 1


@pytest.mark.parametrize("shows", [{"right": [1]}, {"wrong": [0]}, {"first_wrong": 2}, {"grows": [1, 0]}])
def test_a_symptom_that_does_not_show_is_found(shows, monkeypatch):
    assert ROWS[0]["shows"]["first_wrong"] == 1
    monkeypatch.setitem(ROWS[0], "shows", shows)
    with pytest.raises(AssertionError):
        test_a_run_of_the_mistake_shows_the_symptom(0)


def test_quick_tests_see_more_the_more_they_try():
    counts = [site_symptoms.seen(*test, "float32")[0] for test in site_symptoms.QUICK.values()]
    assert counts[0] < 5
    assert counts[0] < counts[1] < counts[2] < counts[3] <= counts[-1]


def test_the_page_has_both_parts_and_types_no_row():
    assert PAGE.count("_generated/symptoms-index.md") == PAGE.count("_generated/symptoms-quick.md") == 1
    assert "| " not in PAGE
