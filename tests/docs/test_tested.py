"""The page on testing: its tables are of what was measured, and what it says is so."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "docs" / "_ext"), str(ROOT / "tests")]

import site_tested as site  # noqa: E402
import tested  # noqa: E402

HELD = json.loads((ROOT / "docs" / "tested.json").read_text("ascii"))
PAGE = (ROOT / "docs" / "tested.md").read_text("utf-8")
HERE = {
    "machine": {"processor": "P", "cores": 2, "memory_gib": 4.0, "system": "S", "threads": "1"},
    "versions": {"numpy": "2.0"},
}


def constant(path, name):
    """Return a whole number that a test module sets, alone or beside others."""
    (names, values) = re.search(
        rf"^([\w, ]*\b{name}\b[\w, ]*) = ([\d_, ]+)$", (ROOT / path).read_text("utf-8"), re.MULTILINE
    ).groups()
    return int(values.split(", ")[names.split(", ").index(name)])


def test_the_counts_of_the_prose_are_those_of_the_tests():
    assert f"{constant('tests/fuzz/test_fuzz.py', 'MANY'):,} damaged inputs" in PAGE
    assert constant("tests/fuzz/test_command_lines.py", "MANY") == constant("tests/fuzz/test_fuzz.py", "MANY")
    assert f"{constant('tests/faults/test_kills.py', 'MANY')} kills of each" in PAGE


def test_every_part_was_measured():
    assert set(HELD) == {"format", *tested.SECTIONS}
    for name in tested.SECTIONS:
        assert HELD[name]["values"]
        assert f"_generated/tested-{name}.md" in PAGE


def test_no_long_test_failed():
    failed = [row for row in HELD["long"]["values"] if {"failure", "error"} & row.keys()]
    assert failed == []


def test_long_tests_stand_where_they_are_said_to():
    for row in HELD["long"]["values"]:
        file, _, name = row["test"].partition("::")
        assert f"def {name}(" in (ROOT / file).read_text("utf-8"), row["test"]


def test_no_mutant_is_seen_by_nothing():
    assert [row["module"] for row in HELD["mutation"]["values"] if row.get("same")] == []


@pytest.mark.parametrize(
    ("some", "of", "said"), [(0, 3, "0.0 %"), (2, 3, "66.6 %"), (9999, 10000, "99.9 %"), (7, 7, "100.0 %")]
)
def test_a_share_is_whole_only_where_nothing_is_missing(some, of, said):
    assert site.percent(some, of) == said


def test_mutants_are_counted_by_what_became_of_them():
    row = {"module": "reference.rope", "rejected": 5, "float32": 1, "unit": 2, "equivalent": 3, "same": 1}
    text = site.mutation({"mutation": {**HERE, "values": [row]}})
    assert "| all of `reference` | 12 | 3 | 6 | 2 | 1 | 88.8 % |" in text
    assert "| all of `numerics` | 0 | 0 | 0 | 0 | 0 | none |" in text


def test_statements_are_counted_by_part(tmp_path):
    files = {
        "posref/cli.py": {"summary": {"num_statements": 4, "missing_lines": 1}},
        "posref/bounds/rope.py": {"summary": {"num_statements": 3, "missing_lines": 0}},
        "posref/bounds/t5.py": {"summary": {"num_statements": 5, "missing_lines": 2}},
        "posref/adapters/jax.py": {"summary": {"num_statements": 9, "missing_lines": 9}},
    }
    (tmp_path / "report").write_text(json.dumps({"files": files}))
    rows = tested.coverage(tmp_path / "report")
    assert rows == [
        {"part": "bounds", "statements": 8, "missed": 2},
        {"part": "cli.py", "statements": 4, "missed": 1},
    ]
    text = site.coverage({"coverage": {**HERE, "values": rows}})
    assert "| `bounds` | 8 | 2 | 75.0 % |" in text
    assert "| all | 12 | 3 | 75.0 % |" in text


def test_long_tests_are_counted_by_name(tmp_path):
    case = '<testcase classname="tests.faults.test_kills" name="test_many_kills[{}]">{}</testcase>'
    cases = case.format("a", "") + case.format("b", "<skipped/>") + case.format("c", "")
    (tmp_path / "report").write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    rows = tested.long(tmp_path / "report")
    assert rows == [{"test": "tests/faults/test_kills.py::test_many_kills", "passed": 2, "skipped": 1}]
    assert "| `tests/faults/test_kills.py` | many kills | 2 | 1 skipped |" in site.long(
        {"long": {**HERE, "values": rows}}
    )


def test_a_section_is_renewed_and_the_others_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(tested, "SECTIONS", {name: lambda path: [path.name] for name in tested.SECTIONS})
    file = tmp_path / "tested.json"
    assert tested.main([str(file), "--coverage", "a", "--long", "b"]) == 0
    assert tested.main([str(file), "--coverage", "c"]) == 0
    held = json.loads(file.read_text("ascii"))
    found = SimpleNamespace(**{name: held[name]["values"] for name in held.keys() - {"format"}})
    assert (found.coverage, found.long) == (["c"], ["b"])
