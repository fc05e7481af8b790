"""The JSON Schemas and the readers accept and refuse the same files, but for what no schema can say.

Each structural change is put into a real file, which is then signed again: hashes, counts and sums are
those of the changed file. What the schema refuses, the reader must refuse; what the reader alone refuses
must be one of the differences that are named here, each of which is met.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import small_roots
from jsonschema import Draft202012Validator, ValidationError, validators
from kinds import ASKED, PAIR, REPLIES, RUN_OF, VECTOR_FILES
from structural import mutants

from posref import operation
from posref.adapters import BrokenError
from posref.conformance.results import Results
from posref.conformance.wire import jsonl
from posref.corpus import encode, encode_scenario, load_vectors, manifest
from posref.errors import FormatError

SCHEMAS = operation.home("spec") / "schema"

Json = Any


def matched(_: Any, pattern: str, value: Any, __: Any) -> Any:
    """Check a pattern as ECMA 262 reads it: ``$`` is the end, and not before a last newline."""
    if isinstance(value, str) and not re.search(pattern.replace("$", r"\Z"), value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


Validator = validators.extend(Draft202012Validator, {"pattern": matched})


def schema(name: str, side: str = "") -> Any:
    found = json.loads((SCHEMAS / f"{name}.json").read_text("ascii"))
    return Validator({**found, "anyOf": [{"$ref": f"#/$defs/{side}"}]} if side else found)


def signed_again(document: Json) -> Json:
    """Return a vector file with the hashes and counts of what now stands in it, where that has any."""
    with suppress(KeyError, TypeError, AttributeError, ValueError):
        for group in document["groups"]:
            for test in group["tests"]:
                if re.fullmatch("[0-9a-f]{16}", test["case_hash"]):
                    with suppress(KeyError, TypeError, AttributeError, ValueError):
                        test["case_hash"] = hashed(document, group, test)
    return document


def hashed(document: Json, group: Json, test: Json) -> str:
    if "steps" in test:
        return encode_scenario.case_hash(test)
    return encode.case_hash(document.get("operation", group.get("operation")), group["params"], test)


def read_vectors(root: Path, document: Json, path: str) -> None:
    document = signed_again(document)
    try:
        counts = manifest.count(document)
    except Exception:  # what cannot be counted has no counts
        counts = (1, 1)
    small_roots.write(root, {path: encode.dump(document)}, {path: counts})
    load_vectors(root)


def read_manifest(root: Path, document: Json) -> None:
    small_roots.lay(root, PAIR)
    (root / manifest.MANIFEST).write_text(json.dumps(document))
    manifest.read(root)


def read_results(root: Path, lines: list[Json]) -> None:
    """Read results, and every answer in them as the judge does."""
    small_roots.lay(root, RUN_OF)
    (root / "results").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    tests = {test.id: test.operation for test in load_vectors(root).tests}
    made = Results(root / "results").open(root)
    for line in lines[1:]:
        with made.around(line["test"], line["dtype"]):
            try:
                made.operations[tests[line["test"]]]()
            except BrokenError as failure:
                raise FormatError("results", str(failure)) from None


# What a reader knows beyond a schema


@dataclass(frozen=True)
class Beyond:
    """A difference: where and how the reader refuses what the schema accepts, and a file where it does."""

    name: str
    pointer: str
    message: str
    file: str
    edit: Callable[[Json], Any]


TEST = r"/groups/\d+/tests/\d+"
CALL = rf"{TEST}(/steps/\d+)?"
EMPTY = {"dtype": "bool", "shape": [0], "data": []}
PARAMS = r"/groups/\d+(/tests/\d+/objects/[^/]+)?/params(/.*)?"


def first(document: Json) -> Json:
    return document["groups"][0]["tests"][0]


def answer(document: Json) -> Json:
    """Return the first stored answer of the first test."""
    by_dtype = next(iter(first(document)["expected"].values()))
    return next(iter(by_dtype.values()))


def put(holder: Json, key: Any, value: Any) -> None:
    holder[key] = value


BEYOND = (
    Beyond("which operations there are, and where each lies", "/(operation|model|scenario)", "must be one of",
           "value", lambda file: put(file, "operation", "rope.matrix")),
    Beyond("which operations there are, for a group", r"/groups/\d+(/tests/\d+/objects/[^/]+)?/operation",
           "must be one of", "model", lambda file: put(file["groups"][0], "operation", "rope.none")),
    Beyond("names, types and ranges of parameters", PARAMS, "",
           "value", lambda file: file["groups"][0]["params"].pop("base")),
    Beyond("names of inputs", rf"{CALL}/inputs(/[^/]+)?", "'.*' is missing|unknown key",
           "indices", lambda file: put(first(file)["inputs"], "x", EMPTY)),
    Beyond("dtypes of inputs", rf"{CALL}/inputs/[^/]+/dtype", "must be one of",
           "threshold", lambda file: put(first(file)["inputs"], "relative_position", EMPTY)),
    Beyond("values that are not finite", rf"{CALL}/(inputs|expected)/.*/data/\d+", "is not legal here",
           "hard", lambda file: put(answer(file)["data"], 0, "7ff0" + answer(file)["data"][0][4:])),
    Beyond("names of outputs", rf"{CALL}/expected(/[^/]+)?|/outputs(/[^/]+)?", "'.*' is missing|unknown key",
           "hard", lambda file: first(file)["expected"].pop("sin")),
    Beyond("dtypes of outputs that nothing overflows", rf"{CALL}/expected/[^/]+", "no value overflows it",
           "value", lambda file: first(file)["expected"]["inv_freq"].pop("float16")),
    Beyond("rows that fit the shape", r".*/(data|residual|bound)(/\d+)?",
           r"must be (a list of )?\d+ (rows|characters|integers|decimals)",
           "value", lambda file: answer(file)["data"].pop()),
    Beyond("one shape in all dtypes", rf"{CALL}/expected/.*/shape", "is not the shape in",
           "value", lambda file: put(answer(file), "shape", [1, *answer(file)["shape"]])),
    Beyond("products of shapes", r".*/shape", "has more than 1000000000000 elements",
           "value", lambda file: put(answer(file), "shape", [10**7, 10**7])),
    Beyond("finite bounds", rf"{CALL}/expected/.*/bound/\d+", "a bound is a finite number",
           "value", lambda file: put(answer(file)["bound"], 0, "7f80" + answer(file)["bound"][0][4:])),
    Beyond("flags that have notes", rf"{TEST}/flags/\d+", "must be one of",
           "value", lambda file: put(first(file), "flags", ["unheard-of"])),
    Beyond("notes that have flags", r"/notes/.*", "no test raises this flag",
           "value", lambda file: put(file["notes"], "unheard-of", next(iter(file["notes"].values())))),
    Beyond("names that stand once", rf"{TEST}/id|/groups/\d+/group", "stands (twice )?in",
           "value", lambda file: file["groups"].append(file["groups"][0])),
    Beyond("the number of tests", "/number_of_tests", r"the groups have \d+",
           "value", lambda file: put(file, "number_of_tests", 77)),
    Beyond("parameters that a refusal names", rf"{TEST}/error/parameter", "must be one of",
           "invalid", lambda file: put(first(file)["error"], "parameter", "x")),
    Beyond("the distance of the values", rf"{TEST}/hardness(/.*)?", "is not the distance|must be one of",
           "hard", lambda file: put(file["groups"][-1]["tests"][-1]["hardness"], "distance_ulp", "5.00e-01")),
    Beyond("objects and steps that there are", rf"{TEST}/(steps|objects)/.*",
           "must be one of|is out of range|no step calls|does not take|main inputs of a step",
           "scenario", lambda file: put(first(file)["steps"][0], "object", "none")),
    Beyond("the hash of a test", rf"{TEST}/case_hash", "the test hashes to",
           "value", lambda file: put(first(file), "case_hash", "0" * 16)),
    Beyond("sums, and files that are there", r"/(totals|files|tree_sha256)(/.*)?",
           "the files have|sorted by path|is listed and not there|is not the SHA-256",
           "manifest", lambda file: put(file["totals"], "bytes", 1)),
    Beyond("which operations a program has", r"/(operations|sessions)/\d+", "there is no",
           "reply facts", lambda reply: put(reply, "operations", ["rope.none"])),
    Beyond("the number of a request", "/seq", r"must be \d+",
           "reply error", lambda reply: put(reply, "seq", 4)),
)  # fmt: skip

SUMS = re.compile(r"SHA256SUMS: does not hold")
"""The message of a file beside a manifest, which has no pointer."""


@dataclass(frozen=True)
class Subject:
    """A good document, its schema and its reader."""

    document: Json
    validator: Any
    read: Callable[[Path, Json], None]


def subjects() -> dict[str, Subject]:
    found = {}
    for name, path in VECTOR_FILES.items():
        kind = {"indices": "value", "threshold": "hard", "decimals": "golden"}.get(name, name)
        read, groups = partial(read_vectors, path=path), 1 if kind == "scenario" else 2
        found[name] = Subject(json.loads(small_roots.cut(path, groups=groups)), schema(kind), read)
    signed = small_roots.signed(PAIR)[manifest.MANIFEST]
    found["manifest"] = Subject(json.loads(signed), schema("manifest"), read_manifest)
    for name, reply in REPLIES.items():
        found[f"reply {name}"] = Subject(reply, schema("wire", "reply"), partial(read_reply, name=name))
    return found


def read_reply(_: Path, reply: Json, name: str) -> None:
    jsonl.decode(json.dumps(reply).encode(), ASKED[name], REPLIES[name]["seq"])


SUBJECTS = subjects()


def known(failure: FormatError) -> bool:
    message = str(failure).partition(": ")[2]
    return bool(SUMS.match(str(failure))) or any(
        re.fullmatch(one.pointer, failure.pointer) and re.search(one.message, message) for one in BEYOND
    )


def compare(subject: Subject, folder: Path, every: int) -> int:
    """Check the mutants, one in so many, and return how many there were."""
    count = 0
    for index, (label, changed) in enumerate(mutants(subject.document)):
        if index % every:
            continue
        count += 1
        valid, refusal = subject.validator.is_valid(changed), None
        try:
            subject.read(folder, changed)
        except FormatError as failure:
            refusal = failure
        assert valid or refusal, f"{label}: the reader accepts what the schema refuses"
        assert not valid or not refusal or known(refusal), f"{label}: the schema accepts it, and {refusal}"
    return count


@pytest.mark.parametrize("name", SUBJECTS)
def test_good_files_are_accepted_by_both(name: str, tmp_path: Path) -> None:
    subject = SUBJECTS[name]
    subject.read(tmp_path, json.loads(json.dumps(subject.document)))
    assert not list(subject.validator.iter_errors(subject.document))


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_change_in_twenty(name: str, tmp_path: Path) -> None:
    assert compare(SUBJECTS[name], tmp_path, 20 if name in VECTOR_FILES else 1) > 50


@pytest.mark.full
@pytest.mark.parametrize("name", SUBJECTS)
def test_every_change(name: str, tmp_path: Path) -> None:
    compare(SUBJECTS[name], tmp_path, 1)


@pytest.mark.parametrize("one", BEYOND, ids=lambda one: one.name)
def test_what_only_the_reader_knows(one: Beyond, tmp_path: Path) -> None:
    subject = SUBJECTS[one.file]
    changed = json.loads(json.dumps(subject.document))
    one.edit(changed)
    assert not list(subject.validator.iter_errors(changed))
    if one.name == "the hash of a test":
        small_roots.write(
            tmp_path, {VECTOR_FILES[one.file]: encode.dump(changed)}, {VECTOR_FILES[one.file]: (2, 1)}
        )
        with pytest.raises(FormatError) as refusal:
            load_vectors(tmp_path)
    else:
        with pytest.raises(FormatError) as refusal:
            subject.read(tmp_path, changed)
    assert re.fullmatch(one.pointer, refusal.value.pointer), refusal.value
    assert re.search(one.message, str(refusal.value))


# Results, whose lines have one schema

EDITS: dict[str, Callable[[list[Json]], Any]] = {
    "type": lambda lines: put(lines[0], "type", "result"),
    "protocol": lambda lines: put(lines[0], "protocol", 2),
    "protocol true": lambda lines: put(lines[0], "protocol", True),
    "axes": lambda lines: put(lines[0], "axes", "bshd"),
    "seq": lambda lines: put(lines[0], "seq", 0),
    "tree": lambda lines: put(lines[0], "tree_sha256", "0"),
    "no name": lambda lines: lines[0].pop("name"),
    "dtype": lambda lines: put(lines[1], "dtype", "float8"),
    "no test": lambda lines: lines[1].pop("test"),
    "empty test": lambda lines: put(lines[1], "test", ""),
    "key": lambda lines: put(lines[1], "more", 1),
    "outputs": lambda lines: put(lines[1], "outputs", []),
    "both": lambda lines: put(lines[1], "skipped", {"reason": "a"}),
    "skipped": lambda lines: lines.__setitem__(1, {**lines[1], "skipped": lines[1].pop("outputs")}),
}


def test_good_results_are_accepted_by_both(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in small_roots.results(RUN_OF).splitlines()]
    read_results(tmp_path, lines)
    assert all(schema("results").is_valid(line) for line in lines)


@pytest.mark.parametrize("name", EDITS)
def test_bad_results_are_refused_by_both(tmp_path: Path, name: str) -> None:
    lines = [json.loads(line) for line in small_roots.results(RUN_OF).splitlines()]
    EDITS[name](lines)
    assert not all(schema("results").is_valid(line) for line in lines)
    with pytest.raises(FormatError):
        read_results(tmp_path, lines)
