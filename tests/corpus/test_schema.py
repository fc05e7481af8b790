"""The JSON Schemas accept what is valid and refuse structural faults."""

import json
from typing import Any

import pytest
from corruptions import CORRUPTIONS, Corruption
from jsonschema import Draft202012Validator

from posref import operation
from posref.conformance.report import Report, summarize
from posref.conformance.verdict import Expectation, Line, Profile, Result, Worst, Written, Wrong
from posref.corpus import bits, encode, load_vectors, manifest, parameters, read
from posref.corpus.load import BUG_TYPES, HEAD, MODEL_HEAD, SCENARIO_HEAD
from posref.errors import KINDS

SCHEMAS = operation.home("spec") / "schema"
KINDS_OF_FILES = ("value", "invalid", "model", "scenario", "hard", "golden")


def schema(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / f"{kind}.json").read_text("ascii"))
    return found


def validator(kind: str) -> Draft202012Validator:
    Draft202012Validator.check_schema(schema(kind))
    return Draft202012Validator(schema(kind))


def kind_of(path: str) -> str:
    if path.startswith("models/"):
        return "model"
    if path.endswith("_scenario.json"):
        return "scenario"
    if path.startswith(("hard/", "golden/")):
        return path.partition("/")[0]
    return "invalid" if path.endswith("_invalid.json") else "value"


def test_small_corpus_is_accepted(small: Any) -> None:
    for path, document in small.content.items():
        assert not list(validator(kind_of(path)).iter_errors(document)), path
    content = json.loads((small.root / "manifest.json").read_text("ascii"))
    assert not list(validator("manifest").iter_errors(content))


@pytest.mark.parametrize(
    "corruption", [entry for entry in CORRUPTIONS if entry.structural], ids=lambda entry: entry.name
)
def test_structural_corruption_is_refused(small: Any, corruption: Corruption) -> None:
    document = small.content[corruption.file]
    corruption.edit(document)
    assert list(validator(kind_of(corruption.file)).iter_errors(document))


def test_shipped_files_are_accepted() -> None:
    corpus = load_vectors()
    validators = {kind: validator(kind) for kind in KINDS_OF_FILES}
    assert corpus.files
    for file in corpus.files:
        document = json.loads((corpus.root / file.path).read_bytes())
        error = next(validators[kind_of(file.path)].iter_errors(document), None)
        assert error is None, f"{file.path} {error.json_path if error else ''}"
    document = json.loads((corpus.root / manifest.MANIFEST).read_bytes())
    assert not list(validator("manifest").iter_errors(document))


@pytest.mark.parametrize(
    "change", [{"files": []}, {"corpus_version": "1"}, {"tree_sha256": "00"}, {"when": "now"}]
)
def test_a_wrong_manifest_is_refused(small: Any, change: dict[str, Any]) -> None:
    content = json.loads((small.root / "manifest.json").read_text("ascii"))
    accepted = not list(validator("manifest").iter_errors({**content, **change}))
    assert accepted is (change == {"files": []})


def test_closed_lists_agree() -> None:
    value, invalid, model, scenario = (schema(kind) for kind in ("value", "invalid", "model", "scenario"))
    assert value["required"] == invalid["required"] == list(HEAD)
    assert model["required"] == list(MODEL_HEAD)
    assert scenario["required"] == list(SCENARIO_HEAD)
    for found in (value["$defs"], invalid["$defs"], model["$defs"], scenario["$defs"]):
        assert found["note"]["properties"]["bug_type"]["enum"] == list(BUG_TYPES)
        assert found["requires"]["items"]["enum"] == list(read.CAPABILITIES)
    refusal = invalid["$defs"]["test"]["properties"]["error"]["properties"]
    assert refusal["class"]["enum"] == list(KINDS)
    text = (operation.home("spec") / "vector-format.md").read_text("ascii")
    lines = text.splitlines()
    for start, names in (
        ("- `bug_type`:", BUG_TYPES),
        ("- error class:", KINDS),
        ("- capability (`requires`):", read.CAPABILITIES),
        ("- dtype:", (*bits.DIGITS, "int64", "bool")),
    ):
        line = next(line for line in lines if line.startswith(start))
        quoted = line.removeprefix(start).split(".")[0].split("`")[1::2]
        assert quoted == list(names)
    assert all(f"`{key}`" in text for key in parameters.SCALING)
    assert f'"{encode.FORMAT}"' in text


def report() -> dict[str, Any]:
    worst = Worst("inv_freq", (1,), float("nan"), 0.01, float("inf"), 1e-9, 3.0)
    values = Written("nan", "nan", "7fc00000"), Written("-0.5", "-0x1.0000000000000p-1", "bf000000")
    first = Wrong("inv_freq", (1,), "float32", *values, float("nan"), float("nan"), float("inf"))
    results = [
        Result(
            *("a", "rope.inv_freq", "float32", "value", "f32-angle", "fail", "why"),
            worst_error=worst,
            first_wrong=first,
            params={"rotary_dim": 4, "base": float("inf"), "scaling": None},
            profile=Profile("inv_freq", (Line("index along R/2", (0.0, 1.0), (0.5, float("inf"))),)),
        ),
        Result("b", "rope.inv_freq", "float32", "invalid", "", "pass", remark="another class"),
        Result(
            *("c", "rope.inv_freq", "float32", "value", "f32-angle", "expected-fail", "why"),
            expected=Expectation("c*", "known", "https://example.org/1"),
        ),
    ]
    summary = summarize(results, "none", "no known mistake explains this")
    unmatched = (Expectation("d*", "gone", "", "rope.*", "float16"),)
    made = Report("mine", "1.0", "0.1.0", tuple(results), (summary,), True, unmatched)
    written: dict[str, Any] = json.loads(made.to_json())
    return written


def test_a_report_is_accepted() -> None:
    assert [error.message for error in validator("report").iter_errors(report())] == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("verdict", "maybe"),
        ("kind", "story"),
        ("elements", -1),
        ("worst_error", {}),
        ("first_wrong", {}),
        ("profile", {}),
        ("profile", {"output": "y", "lines": [{"along": "positions", "at": [], "error": []}]}),
        ("params", []),
        ("expected", {"case": "a"}),
        ("extra", 1),
    ],
)
def test_a_wrong_report_is_refused(place: str, value: Any) -> None:
    document = report()
    document["results"][0][place] = value
    assert list(validator("report").iter_errors(document))
