"""Every exercise that is asked for is there, with a statement and a full solution folded under it."""

import re
from pathlib import Path

import pytest
from test_requirements import rows

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "learn" / "exercises.md").read_text("utf-8")

ASKED = {
    "I1": ("ex-equivariance",),
    "I2": ("ex-shift",),
    "I3": ("ex-dot",),
    "I4": ("ex-relative",),
    "I5": ("ex-parameters",),
    "I6": ("ex-slopes",),
    "I7": ("ex-table-end",),
    "I8": ("ex-rotate", "ex-eigenvalues"),
    "I9": ("ex-sine-term",),
    "I10": ("ex-finite",),
    "I11": ("ex-rank",),
    "I12": ("ex-absolute-relative",),
    "I13": ("ex-pi-ntk",),
    "I14": ("ex-infrastructure",),
    "I15": ("ex-where",),
    "I16": ("ex-viewpoint",),
    "I17": ("ex-design",),
    "I18": ("ex-short",),
    "I19": ("ex-interface",),
    "I20": ("ex-pytorch",),
}
"""The requirements, and the exercises that answer them."""

PROOFS = {
    "ex-equivariance",
    "ex-shift",
    "ex-dot",
    "ex-relative",
    "ex-eigenvalues",
    "ex-sine-term",
    "ex-slopes",
    "ex-pi-ntk",
    "ex-finite",
    "ex-absolute-relative",
}
"""Exercises whose solution proves something to its end."""

EXERCISE = re.compile(
    r"^\((ex-[a-z-]+)\)=\n### ([^\n]+)\n\n(.+?)\n\n(:{3,})\{dropdown\} Solution\n(.+?)\n\4$",
    re.MULTILINE | re.DOTALL,
)
EXERCISES = {found[1]: (found[2], found[3], found[5]) for found in EXERCISE.finditer(PAGE)}
GROUPS = [
    "Symmetry",
    "Sinusoids",
    "Rotations",
    "Biases",
    "Tables",
    "Long context",
    "Infrastructure",
    "Design",
]


def test_every_exercise_that_is_asked_for_is_there_and_no_other():
    assert sorted(name for names in ASKED.values() for name in names) == sorted(EXERCISES)
    assert PAGE.count("\n### ") == len(EXERCISES)


def test_they_stand_in_groups():
    assert re.findall(r"^## (.+)$", PAGE, re.MULTILINE) == GROUPS
    assert "Twenty-one exercises" in PAGE
    assert len(EXERCISES) == 21


def test_the_whole_solution_is_folded(site):
    """A fence within a fence that is too long would end the outer one."""
    html = (site / "learn" / "exercises.html").read_text("utf-8")
    folded = "".join(re.findall(r"<details.*?</details>", html, re.DOTALL))
    assert folded.count("<details") == len(EXERCISES)
    blocks = [len(re.findall(r"highlight-\w+ notranslate", text)) for text in (html, folded)]
    assert blocks[0] == blocks[1] + 1, "all but the imports"
    assert html.count("<table") == folded.count("<table")


@pytest.mark.parametrize("name", EXERCISES)
def test_each_asks_something_and_answers_it_in_full(name):
    title, statement, solution = EXERCISES[name]
    assert title.strip('"')[0].isupper()
    assert "```" not in statement
    assert re.search(r"[?.]$", statement)
    assert len(solution.split()) >= 100, "an outline is no solution"
    assert "```python" in solution or "{literalinclude}" in solution, "what can be computed is computed"


def test_proofs_are_brought_to_an_end():
    assert {name for name, (_, _, solution) in EXERCISES.items() if r"\blacksquare" in solution} == PROOFS


def test_the_listing_is_the_example_that_the_framework_tests_run():
    name = re.search(r"\{literalinclude\} \.\./examples/(\S+)", EXERCISES["ex-pytorch"][2])[1]
    assert (DOCS / "examples" / name).is_file()
    tests = Path(__file__).parents[1] / "frameworks" / "test_guide_examples.py"
    assert f'"{name}"' in tests.read_text("utf-8")


def test_the_map_of_requirements_has_the_same_places():
    places = {identifier: links for identifier, _, links in rows()}
    for identifier, names in ASKED.items():
        assert places[identifier] == [("learn/exercises.md", name) for name in names], identifier
