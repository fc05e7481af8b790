"""The schemas of the wire accept real traffic, and refuse what the readers refuse."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from wire_runs import command

from posref import operation
from posref.conformance import check
from posref.conformance.wire import flat, jsonl
from posref.conformance.wire.messages import Close, Open, Run, Start
from posref.corpus.read import CAPABILITIES
from posref.errors import KINDS, FormatError

Json = dict[str, Any]
WANT = {"y": "float32", "index": "int64"}
RUN = Run("a", "rope.apply", {}, "float32", {}, WANT)
OPEN = Open("a", "rope.apply", {})
ASKED = {"facts": Start("0.1.0", "0.1.0"), "opened": OPEN, "closed": Close("a")}


def schema(name: str) -> Json:
    found: Json = json.loads((operation.home("spec") / "schema" / f"{name}.json").read_text("ascii"))
    Draft202012Validator.check_schema(found)
    return found


def validator(side: str) -> Draft202012Validator:
    return Draft202012Validator({**schema("wire"), "anyOf": [{"$ref": f"#/$defs/{side}"}]})


@pytest.mark.parametrize("sessions", [(), ("--sessions",)])
def test_real_traffic_is_accepted_both_ways(tmp_path: Path, sessions: tuple[str, ...]) -> None:
    log = tmp_path / "log"
    chosen = (
        ("rope.cos_sin", "rope_scaling.resolve", "positions.from_mask")
        if not sessions
        else ("rope.*_scenario",)
    )
    check(command("honest", "--log", str(log), *sessions), chosen, "float32")
    asks, answers = validator("request"), validator("reply")
    kinds = set()
    lines = log.read_text("ascii").splitlines()
    for line in [*lines[:400], *lines[400::7], *lines[-2:]]:
        message = json.loads(line[2:])
        errors = list((asks if line[0] == ">" else answers).iter_errors(message))
        assert not errors, f"{line[:300]}: {errors[0].message}"
        kinds.add(message.get("type") or next(key for key in message if key != "seq"))
    more = {"open", "step", "close", "opened", "closed"} if sessions else {"run", "error"}
    assert kinds == {"start", "name", "outputs", "stop"} | more


FACTS: Json = {
    "seq": 0, "name": "a", "language": "C", "version": "", "operations": ["rope.apply"],
    "dtypes": ["float32"], "claims": {"float32": "ulp:2"}, "axes": "thd", "sessions": ["rope.apply"],
    "lacks": ["positions-2p53"], "flush_subnormals": True,
}  # fmt: skip
OUTPUTS: Json = {
    "seq": 3,
    "outputs": {
        "y": {"dtype": "float32", "shape": [2, 1], "data": ["3f800000", "BF80000A"]},
        "index": {"dtype": "int32", "shape": [], "data": [[-7]]},
    },
}
GOOD: dict[str, Json] = {
    "facts": FACTS,
    "outputs": OUTPUTS,
    "error": {"seq": 3, "error": {"class": "INVALID_SHAPE", "parameter": "", "message": ""}},
    "skipped": {"seq": 3, "skipped": {"reason": "no kernel"}},
    "opened": {"seq": 3, "opened": True},
    "closed": {"seq": 3, "closed": True},
}


def put(*path: Any) -> Callable[[Json], None]:
    """Return an edit that sets a value: the keys to it, then the value."""

    def edit(record: Json) -> None:
        *keys, last, value = path
        for key in keys:
            record = record[key]
        record[last] = value

    return edit


def drop(*path: Any) -> Callable[[Json], None]:
    def edit(record: Json) -> None:
        for key in path[:-1]:
            record = record[key]
        del record[path[-1]]

    return edit


Y = ("outputs", "y")
CORRUPT: list[tuple[str, Callable[[Json], None]]] = [
    *((kind, drop("seq")) for kind in GOOD),
    *((kind, put("seq", "3")) for kind in GOOD),
    *((kind, put("seq", True)) for kind in GOOD),
    *((kind, put("more", 1)) for kind in GOOD),
    *(("facts", drop(key)) for key in ("name", "language", "version", "operations", "dtypes")),
    ("facts", put("name", "")),
    ("facts", put("name", "a\nb")),
    ("facts", put("name", "a" * 201)),
    ("facts", put("version", 1)),
    ("facts", put("operations", "rope.apply")),
    ("facts", put("operations", ["rope.apply", "rope.apply"])),
    ("facts", put("operations", ["apply"])),
    ("facts", put("dtypes", ["float8"])),
    ("facts", put("claims", {"int64": "exact"})),
    ("facts", put("claims", {"float32": "near"})),
    ("facts", put("claims", {"float32": "ulp:0"})),
    ("facts", put("axes", "bdsh")),
    ("facts", put("lacks", ["speed"])),
    ("facts", put("flush_subnormals", 1)),
    ("outputs", put("outputs", [])),
    ("outputs", put("error", {"class": "OUT_OF_RANGE", "parameter": ""})),
    ("outputs", drop(*Y, "dtype")),
    ("outputs", put(*Y, "strides", [1])),
    ("outputs", put(*Y, "dtype", "float8")),
    ("outputs", put(*Y, "shape", [2, -1])),
    ("outputs", put(*Y, "shape", [2, 10**12 + 1])),
    ("outputs", put(*Y, "shape", [1] * 33)),
    ("outputs", put(*Y, "shape", "2 1")),
    ("outputs", put(*Y, "data", "3f800000")),
    ("outputs", put(*Y, "data", 0, "3f80000")),
    ("outputs", put(*Y, "data", 0, "3f8000000")),
    ("outputs", put(*Y, "data", 0, "3f80000g")),
    ("outputs", put(*Y, "data", 0, "")),
    ("outputs", put(*Y, "data", 0, [1])),
    ("outputs", put("outputs", "index", "data", [[2**31]])),
    ("outputs", put("outputs", "index", "data", [[True]])),
    ("outputs", put("outputs", "index", "data", [7])),
    ("outputs", put("outputs", "index", {"dtype": "bool", "shape": [], "data": [[2]]})),
    ("outputs", put("outputs", "index", {"dtype": "uint8", "shape": [], "data": [[-1]]})),
    ("error", put("error", "class", "BAD")),
    ("error", drop("error", "parameter")),
    ("error", put("error", "message", 3)),
    ("error", put("error", "OUT_OF_RANGE")),
    ("skipped", put("skipped", "reason", "")),
    ("skipped", put("skipped", "no kernel")),
    ("opened", put("opened", False)),
    ("closed", put("closed", "yes")),
]
UNSEEN: list[tuple[str, Callable[[Json], None]]] = [  # what only the conversation, or arithmetic, can tell
    ("outputs", put("seq", 4)),
    ("outputs", drop(*Y)),
    ("outputs", put("outputs", "z", OUTPUTS["outputs"]["y"])),
    ("outputs", put(*Y, "data", ["3f800000"])),
    ("outputs", put(*Y, "data", ["3f8000003f800000"])),
    ("outputs", put(*Y, "shape", [10**7, 10**7])),
    ("facts", put("sessions", ["rope.rotate"])),
]


def line(record: Json) -> bytes:
    return json.dumps(record).encode()


def read(kind: str, record: Json) -> Any:
    return jsonl.decode(line(record), ASKED.get(kind, RUN), GOOD[kind]["seq"])


@pytest.mark.parametrize("kind", GOOD)
def test_the_readers_and_the_schema_accept(kind: str) -> None:
    assert not list(validator("reply").iter_errors(GOOD[kind]))
    read(kind, GOOD[kind])


@pytest.mark.parametrize(("kind", "edit"), CORRUPT, ids=range(len(CORRUPT)))
def test_the_readers_and_the_schema_refuse(kind: str, edit: Callable[[Json], None]) -> None:
    record = copy.deepcopy(GOOD[kind])
    edit(record)
    assert list(validator("reply").iter_errors(record))
    with pytest.raises(FormatError):
        read(kind, record)


@pytest.mark.parametrize(("kind", "edit"), UNSEEN, ids=range(len(UNSEEN)))
def test_the_readers_refuse_what_no_schema_can(kind: str, edit: Callable[[Json], None]) -> None:
    record = copy.deepcopy(GOOD[kind])
    edit(record)
    with pytest.raises(FormatError):
        read(kind, record)


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b"3", b"{", b"\xff", b'{"seq":3,"seq":3,"opened":true}', b'{"seq":NaN}', b"[" * 10**5],
)
def test_what_is_no_object_is_refused(text: bytes) -> None:
    with pytest.raises(FormatError):
        jsonl.decode(text, OPEN, 3)


def test_an_output_is_no_reply_to_open() -> None:
    for asked in (OPEN, Close("a")):
        with pytest.raises(FormatError):
            jsonl.decode(line(OUTPUTS), asked, 3)
    with pytest.raises(FormatError):
        jsonl.decode(line(GOOD["error"]), Close("a"), 3)
    with pytest.raises(FormatError):
        jsonl.decode(line(GOOD["opened"]), RUN, 3)


FLAT = {
    "facts": "name a\nlanguage C\noperation rope.apply\ndtype float32\nclaim float32 ulp:2\naxes thd\n"
    "session rope.apply\nlacks positions-2p53\nflush_subnormals true\nend 0\n",
    "outputs": "output y float32 2 2 1\n3f800000\nBF80000A\noutput index int32 0\n-7\nend 3\n",
    "error": "error 3 INVALID_SHAPE\n",
    "skipped": "skipped 3 no kernel\n",
    "opened": "opened 3\n",
    "closed": "closed 3\n",
}


def read_flat(kind: str, text: str) -> Any:
    return flat.decode(text.encode(), ASKED.get(kind, RUN), GOOD[kind]["seq"])


@pytest.mark.parametrize("kind", FLAT)
def test_both_wires_say_the_same(kind: str) -> None:
    spoken, plain = read_flat(kind, FLAT[kind]), read(kind, GOOD[kind])
    if kind == "outputs":
        for name, block in plain.tensors.items():
            assert spoken.tensors[name].dtype == block.dtype
            assert spoken.tensors[name].values.tolist() == block.values.tolist()
    else:
        assert spoken == plain


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("facts", "name a\n", ""),
        ("facts", "name a\n", "name\n"),
        ("facts", "axes thd", "axes"),
        ("facts", "axes thd", "axes thd\naxes thd"),
        ("facts", "true", "yes"),
        ("facts", "lacks", "has"),
        ("facts", "ulp:2", "ulp:2\nclaim float32 ulp:2"),
        ("facts", "end 0\n", "end 1\n"),
        ("facts", "end 0\n", ""),
        ("facts", "dtype float32\n", "dtype float32\ndtype float32\n"),
        ("outputs", "float32 2 2 1", "float32 2 2"),
        ("outputs", "float32 2 2 1", "float32 2 2 -1"),
        ("outputs", "float32 2 2 1", "float32 2 2 x"),
        ("outputs", "float32 2 2 1", "float32 2 9999999 9999999"),
        ("outputs", "float32 2 2 1", "float8 2 2 1"),
        ("outputs", "float32 2 2 1", "float32"),
        ("outputs", "float32 2 2 1", "float32 2 1 2"),
        ("outputs", "3f800000", "3f80000"),
        ("outputs", "3f800000", "3f8000000"),
        ("outputs", "3f800000", "3f80000g"),
        ("outputs", "3f800000", "3f800000 "),
        ("outputs", "3f800000", " 3f800000"),
        ("outputs", "3f800000\n", ""),
        ("outputs", "3f800000", "3f80 0000"),
        ("outputs", "-7", "seven"),
        ("outputs", "-7", "2147483648"),
        ("outputs", "output index", "output y"),
        ("outputs", "output index int32 0\n-7\n", ""),
        ("outputs", "end 3\n", "end 3\nend 3\n"),
        ("outputs", "end 3", "end 4"),
        ("outputs", "end 3", "end three"),
        ("outputs", "end 3", "end 3\r"),
        ("error", "INVALID_SHAPE", "BAD"),
        ("error", " INVALID_SHAPE", ""),
        ("error", "INVALID_SHAPE", "INVALID_SHAPE of x"),
        ("skipped", " no kernel", ""),
        ("skipped", "skipped 3", "skipped"),
        ("opened", "3", "3 3"),
        ("closed", "3", "4"),
    ],
)
def test_what_is_wrong_on_the_flat_wire_is_refused(kind: str, old: str, new: str) -> None:
    assert old in FLAT[kind]
    with pytest.raises(FormatError):
        read_flat(kind, FLAT[kind].replace(old, new, 1))


def test_the_lists_in_the_schemas_agree() -> None:
    wire, results = schema("wire"), schema("results")
    for found in (wire["$defs"], results["$defs"]):
        assert found["error"]["properties"]["class"]["enum"] == list(KINDS)
    assert wire["$defs"]["facts"]["properties"]["lacks"]["items"]["enum"] == list(CAPABILITIES)
    shared = wire["$defs"].keys() & results["$defs"].keys() - {"given", "refused", "passed_over"}
    assert len(shared) > 12
    assert all(wire["$defs"][name] == results["$defs"][name] for name in shared)
    value = schema("value")["$defs"]
    assert all(wire["$defs"][name] == value[name] for name in ("real", "float64", "int64", "bool", "shape"))
