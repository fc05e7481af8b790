"""The stored matrix of frameworks is of this corpus, and every wrong answer in it has a finding."""

import ast
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from posref import adapters
from posref.conformance import matrix
from posref.operation import home, signatures

HOME = Path(__file__).parents[2] / "docs" / "conformance"
STORED = json.loads((HOME / "matrix.json").read_text("ascii"))
FRAMEWORKS = {entry["name"]: entry for entry in STORED["frameworks"]}
FILES = sorted((HOME / "findings").glob("*.json"))
FINDINGS = {path.stem: json.loads(path.read_text("utf-8"))["findings"] for path in FILES}
EACH = [(name, one) for name, entries in FINDINGS.items() for one in entries]

UNSUITED = {("mlx", "alibi.bias"), ("torchscale", "xpos.apply")}
"""What no case suits: MLX makes its own slopes, XPOS its own centre. tests/frameworks judges them by hand."""


@pytest.fixture(scope="module")
def covers():
    """Return whether a finding explains a case; read as the site reads it."""
    from fnmatch import fnmatchcase

    def covered(one, row, case):
        return any(
            fnmatchcase(row["operation"], place["operation"])
            and row["dtype"] in place["dtypes"]
            and any(fnmatchcase(case, glob) for glob in place["cases"])
            for place in one["where"]
        )

    return covered


def validator(kind):
    schema = json.loads((home("spec") / "schema" / f"{kind}.json").read_text("ascii"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_the_matrix_is_what_its_schema_says():
    assert [error.message for error in validator("matrix").iter_errors(STORED)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_findings_are_what_their_schema_says(path):
    document = json.loads(path.read_text("utf-8"))
    assert [error.message for error in validator("findings").iter_errors(document)] == []
    assert document["framework"] == path.stem


def test_a_fault_that_is_documented_is_refused():
    document = json.loads(FILES[0].read_text("utf-8"))
    document["findings"][0] |= {"mark": "fault", "documented": "In the docstring, which says so at length."}
    assert list(validator("findings").iter_errors(document))


def test_the_bytes_are_canonical():
    assert matrix.canonical(STORED) == (HOME / "matrix.json").read_text("ascii")


def test_the_matrix_is_of_this_corpus():
    assert STORED["corpus"] == matrix.corpus_identity()


def test_every_adapter_has_been_run():
    assert STORED["not_run"] == []
    assert set(FRAMEWORKS) == set(adapters.names()) - {matrix.OWN}


def test_rows_count_what_they_say():
    for name, entry in FRAMEWORKS.items():
        for row in entry["rows"]:
            assert row["executed"] == row["passed"] + len(row["failed"]), (name, row["operation"])
            assert row["kind"] == "scenario" or row["operation"] in signatures()
            assert bool(row["diagnosis"]) == bool(row["failed"])
            assert (row["strongest_claim"] == "") <= (row["executed"] == 0)


def test_every_operation_that_is_offered_is_right_somewhere():
    passed = {(name, row["operation"]): 0 for name in FRAMEWORKS for row in FRAMEWORKS[name]["rows"]}
    for name, entry in FRAMEWORKS.items():
        for row in entry["rows"]:
            passed[name, row["operation"]] += row["passed"] * (row["kind"] == "value")
    never = {key for key, count in passed.items() if not count and not key[1].endswith("_scenario")}
    assert never == UNSUITED


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_wrong_answer_has_a_finding(name, covers):
    bare = [
        (row["operation"], row["dtype"], case)
        for row in FRAMEWORKS[name]["rows"]
        for case in row["failed"]
        if not any(covers(one, row, case) for one in FINDINGS.get(name, ()))
    ]
    assert bare == []


@pytest.mark.parametrize(("name", "one"), EACH, ids=[f"{name}-{one['name']}" for name, one in EACH])
def test_every_finding_has_a_wrong_answer_in_each_of_its_places(name, one, covers):
    for place in one["where"]:
        for dtype in place["dtypes"]:
            for glob in place["cases"]:
                alone = {"where": [{**place, "dtypes": [dtype], "cases": [glob]}]}
                assert any(
                    covers(alone, row, case) for row in FRAMEWORKS[name]["rows"] for case in row["failed"]
                ), (place["operation"], dtype, glob)


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_findings_have_names_of_their_own(name):
    names = [one["name"] for one in FINDINGS.get(name, ())]
    assert len(names) == len(set(names))


def test_scripts_and_findings_are_of_each_other():
    scripts = [one["script"] for _, one in EACH]
    assert sorted(scripts) == sorted(path.name for path in (HOME / "scripts").glob("*.py"))
    assert all(one["script"].startswith(f"{name}_") for name, one in EACH)


@pytest.mark.parametrize(("name", "one"), EACH, ids=[f"{name}-{one['name']}" for name, one in EACH])
def test_a_script_needs_nothing_but_its_framework_and_says_what_is_right(name, one):
    tree = ast.parse((HOME / "scripts" / one["script"]).read_text("utf-8"))
    roots = {
        word.partition(".")[0]
        for node in ast.walk(tree)
        for word in (
            [node.module]
            if isinstance(node, ast.ImportFrom)
            else [part.name for part in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    below = {"torch", "jax", "numpy", "keras", "os", "types", name, "megatron", "mlx"}
    assert roots <= below
    assert ast.get_docstring(tree)
    right, got = one["prints"][::2], one["prints"][1::2]
    assert len(right) == len(got)
    assert all(line.startswith("right: ") for line in right)
    assert all(line.startswith("got:   ") for line in got)
    assert all(a[7:] != b[7:] for a, b in zip(right, got, strict=True))


def test_every_framework_is_described_and_has_a_page():
    about = json.loads((HOME / "frameworks.json").read_text("utf-8"))
    assert set(about["judged"]) == set(FRAMEWORKS)
    assert {path.stem for path in HOME.glob("*.md")} == {*FRAMEWORKS, "index"}
    listed = (HOME / "index.md").read_text("utf-8").rpartition(":hidden:\n\n")[2].split("\n```")[0].split()
    assert listed == sorted(FRAMEWORKS)
    for entry in (*about["judged"].values(), *about["absent"]):
        assert entry["title"]
    assert all(len(entry["reason"]) > 20 for entry in about["absent"])
