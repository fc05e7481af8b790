"""Results in a file are judged as if they came over the wire."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from wire_runs import command

from posref import operation
from posref.cli import main
from posref.conformance import check
from posref.conformance.results import Results
from posref.corpus import manifest
from posref.errors import FormatError

Json = dict[str, Any]
Output = pytest.CaptureFixture[str]
CHOSEN = ("rope.apply", "rope.*_scenario", "positions.from_lengths", "attention.scores", "rope.rerotate")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    """What the honest program says in a run, as lines of a file of results."""
    log = tmp_path_factory.mktemp("results") / "log"
    check(command("honest", "--sessions", "--log", str(log)), CHOSEN, "float32")
    messages = [json.loads(line[2:]) for line in log.read_text("ascii").splitlines()]
    head = {key: value for key, value in messages[1].items() if key != "seq"}
    tree = manifest.read(operation.home("vectors")).tree_sha256
    lines: list[Json] = [{**head, "type": "results", "protocol": 1, "tree_sha256": tree}]
    for request, reply in zip(messages[2::2], messages[3::2], strict=False):
        said = {key: value for key, value in reply.items() if key != "seq"}
        named = {key: request.get(key) for key in ("test", "dtype")}
        if request["type"] == "run":
            lines.append({**named, **said})
        elif request["type"] == "step":
            if lines[-1].get("test") != named["test"]:
                lines.append({**named, "steps": []})
            lines[-1]["steps"].append(said)
            if named["dtype"] != "int64":  # a step without float outputs says nothing of the scenario
                lines[-1]["dtype"] = named["dtype"]
    return lines


@pytest.fixture
def file(tmp_path: Path, recorded: list[Json]) -> Any:
    """Write lines, edited, into a file."""

    def write(edit: Any = None) -> Path:
        lines = json.loads(json.dumps(recorded))
        if edit is not None:
            edit(lines)
        path = tmp_path / "results.jsonl"
        path.write_text("".join(line if isinstance(line, str) else f"{json.dumps(line)}\n" for line in lines))
        return path

    return write


def test_honest_results_pass_like_the_program(file: Any) -> None:
    report = check(Results(file()), CHOSEN, "float32")
    assert report
    assert (report.implementation, report.version) == ("honest", "1.0")
    there = check("reference", CHOSEN, "float32")
    assert [(one.case_id, one.dtype, one.verdict) for one in report.results] == [
        (one.case_id, one.dtype, one.verdict) for one in there.results
    ]


def test_the_schema_accepts_the_lines(recorded: list[Json]) -> None:
    schema = json.loads((operation.home("spec") / "schema" / "results.json").read_text("ascii"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for line in [*recorded[:40], *recorded[40::5]]:
        assert not list(validator.iter_errors(line)), line
    assert any("steps" in line for line in recorded)
    for edit in ({"seq": 1}, {"dtype": "float8"}, {"test": ""}, {"steps": {}}, {"outputs": {"y": 1}}):
        assert list(validator.iter_errors({**recorded[1], **edit}))
    for edit in ({"tree_sha256": "00"}, {"protocol": 2}, {"axes": "thd"}, {"seq": 0}):
        assert list(validator.iter_errors({**recorded[0], **edit}))


def line_of(lines: list[Json], key: str) -> Json:
    return next(line for line in lines if key in line and line.get("test"))


def test_a_wrong_value_a_lost_line_and_a_malformed_one(file: Any, capsys: Output) -> None:
    edited: list[str] = []

    def edit(lines: list[Json]) -> None:
        given = [line for line in lines if "outputs" in line and line["test"].startswith("rope-apply")]
        wrong, lost, bad = given[0], given[1], given[2]
        row = wrong["outputs"]["y"]["data"][0]
        wrong["outputs"]["y"]["data"][0] = "7f7fffff" + row[8:]
        lines.remove(lost)
        bad["outputs"]["y"]["data"][0] += "00"
        edited.extend(line["test"] for line in (wrong, lost, bad))

    path = file(edit)
    assert main(["check", "--results", str(path), "--operation", "rope.apply", "--dtype", "float32"]) == 1
    capsys.readouterr()
    report = check(Results(path), "rope.apply", "float32", kind="value")
    wrong, lost, bad = (next(one for one in report.results if one.case_id == name) for name in edited)
    assert (report.failed, report.errors) == (1, 2)
    assert wrong.verdict == "fail"
    assert lost.reason == "results.jsonl has no line for this test and dtype"
    assert bad.reason.startswith("malformed: results.jsonl line ")
    assert "/outputs/y/data/0" in bad.reason


def test_a_scenario_with_too_few_steps(file: Any) -> None:
    path = file(lambda lines: line_of(lines, "steps")["steps"].pop())
    report = check(Results(path), CHOSEN, "float32", kind="scenario")
    [bad] = [one for one in report.results if one.verdict == "error"]
    assert " has no step " in bad.reason
    assert report.failed == 0


def test_an_operation_that_is_not_offered_is_skipped(file: Any) -> None:
    path = file(lambda lines: lines[0].update(operations=["rope.apply"], sessions=[]))
    report = check(Results(path), ("rope.apply", "rope.rerotate"), "float32", kind="value")
    assert report
    skipped = {one.reason for one in report.results if one.operation == "rope.rerotate"}
    assert skipped == {"operation not offered"}


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda lines: lines[0].update(tree_sha256="0" * 64), "/tree_sha256: another corpus was run"),
        (lambda lines: lines[0].update(protocol=2), "/protocol"),
        (lambda lines: lines[0].update(type="start"), "/type"),
        (lambda lines: lines[0].update(axes="thd"), "/axes"),
        (lambda lines: lines[0].pop("name"), "'name' is missing"),
        (lambda lines: lines[0].pop("type"), "'type' is missing"),
        (lambda lines: lines.pop(0), "'type' is missing"),
        (lambda lines: lines.clear(), "is empty"),
        (lambda lines: lines.append(lines[1]), "came before"),
        (lambda lines: lines[1].pop("test"), "line 2: 'test' is missing"),
        (lambda lines: lines[1].update(dtype="float8"), "line 2 at /dtype"),
        (lambda lines: lines.insert(1, "done\n"), "line 2: not JSON"),
        (lambda lines: lines.insert(1, "\n"), "line 2: not JSON"),
        (lambda lines: lines.insert(1, "[1]\n"), "line 2: must be an object"),
    ],
)
def test_a_file_that_is_none_is_2(edit: Any, message: str, file: Any, capsys: Output) -> None:
    assert main(["check", "--results", str(file(edit)), "--operation", "rope.apply"]) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert output.err.startswith("posref: results.jsonl")
    assert (output.out, output.err.count("\n")) == ("", 1)


def test_a_file_that_is_not_there_is_2(tmp_path: Path, capsys: Output) -> None:
    assert main(["check", "--results", str(tmp_path / "absent.jsonl")]) == 2
    assert "absent.jsonl" in capsys.readouterr().err


def test_a_line_without_end(file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("posref.conformance.results.LONGEST", 1000)
    with pytest.raises(FormatError, match="has more than 1000 bytes"):
        check(Results(file()), "rope.apply", "float32")
