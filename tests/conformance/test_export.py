"""Every export says what the vector files say: read back with plain code and compared."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from export_readers import (
    CODES,
    Flat,
    Form,
    Json,
    Record,
    add_param,
    answers,
    numbers,
    put,
    tensor,
    vectors,
)

from posref import operation
from posref.cli import main
from posref.conformance.export.command import FORMATS, contents
from posref.conformance.export.selection import select
from posref.corpus.load import load_vectors, wanted
from posref.corpus.writing import write
from posref.operation import signature

CHOSEN = (
    "rope.apply", "rope.permute", "rope.rerotate", "rope.*_scenario",
    "alibi.bias", "attention.scores", "attention.causal_mask", "positions.from_lengths",
    "rope_scaling.resolve", "t5.bucket",
)  # fmt: skip
DTYPES = ("float64", "bfloat16")
ROOT = operation.home("vectors")

Output = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Export the chosen operations in a format and a dtype."""
    folder = tmp_path_factory.mktemp("exports")
    chosen = cache(lambda dtype: select(dtype, CHOSEN))

    def export(to: str, dtype: str) -> Path:
        path: Path = folder / f"{to}-{dtype}"
        write(path, contents(to, chosen(dtype)))
        return path

    return export


def run(to: str, output: Path, chosen: str) -> int:
    words = ["--to", to, "--dtype", "bfloat16", "--operation", chosen, "--output", str(output)]
    return main(["vectors", "export", *words])


class Due:
    """What the exports must hold, from the vector files."""

    def __init__(self) -> None:
        self.tests, self.scenarios = vectors(ROOT)
        self.chosen = {test.id for test in load_vectors(ROOT).scenarios if wanted(test, CHOSEN)}
        self.asked = cache(self._asked)
        self.scenes = cache(self._scenes)

    def __call__(self, dtype: str, *, refused: bool = True) -> dict[str, Record]:
        """Return the tests of one call, with or without those that must be refused."""
        found = self.asked(dtype)
        return {name: one for name, one in found.items() if refused or one.error is None}

    def _asked(self, dtype: str) -> dict[str, Record]:
        chosen = {
            name: asked(record, dtype)
            for name, record in self.tests.items()
            if any(fnmatchcase(record.operation, glob) for glob in CHOSEN)
        }
        return {name: one for name, one in chosen.items() if one is not None}

    def _scenes(self, dtype: str) -> dict[str, Any]:
        found = {}
        for name in self.chosen:
            test = self.scenarios[name]
            steps = [_stored_step(test, step, dtype) for step in test["steps"]]
            if None not in steps:
                objects = {key: (one["operation"], one["params"]) for key, one in test["objects"].items()}
                found[name] = (test["requires"], test["signed_zero"], objects, steps)
        assert found
        return found


@pytest.fixture(scope="module")
def due() -> Due:
    return Due()


def asked(record: Record, dtype: str) -> Record | None:
    """Return a stored test as it is put in `dtype`; None where it cannot be."""
    entry = signature(record.operation)
    mains = [one.name for one in entry.main if one.name in record.inputs]
    mixed = record.error is not None and len({record.inputs[name][0] for name in mains}) > 1
    mains = [name for name in mains if record.inputs[name][0] in CODES]
    inputs = {}
    for name, form in record.inputs.items():
        inputs[name] = put(form, dtype) if name in mains and not mixed and not entry.integer else form
    own = answers(record.expected, dtype)
    if own is None or None in inputs.values():
        return None
    return Record(
        record.operation,
        record.params,
        inputs,
        "int64" if entry.integer else dtype,
        *own,
        record.error,
        record.requires,
        record.signed_zero,
    )


def compare(found: dict[str, Record], wanted: dict[str, Record]) -> None:
    assert list(found) == [name for name in found if name in wanted]
    assert set(wanted) == set(found)
    for name, record in wanted.items():
        assert found[name] == record, name
    assert any(record.expected for record in found.values())


def forms(record: Json) -> dict[str, Form]:
    return {name: tensor(one) for name, one in record.items()}


def from_json(record: Json) -> Record:
    error = record.get("error")
    found = Record(
        record["operation"],
        record["params"],
        forms(record["inputs"]),
        record["dtype"],
        forms(record.get("expected", {})),
        forms(record.get("bound", {})),
        error and (error["class"], error["parameter"]),
        tuple(record["requires"]),
        record["signed_zero"],
    )
    assert error or record["want"] == {name: form[0] for name, form in found.expected.items()}
    return found


def head(dtype: str) -> Json:
    manifest = json.loads((ROOT / "manifest.json").read_text("ascii"))
    return {
        "corpus": manifest["corpus_version"],
        "tree_sha256": manifest["tree_sha256"],
        "dtype": dtype,
    }


@pytest.mark.parametrize("dtype", DTYPES)
def test_jsonl(exported: Any, due: Any, dtype: str) -> None:
    lines = [json.loads(line) for line in exported("jsonl", dtype).read_text("ascii").splitlines()]
    assert lines[0] == {"type": "export", "protocol": 1, **head(dtype)}
    runs = {line["test"]: from_json(line) for line in lines[1:] if line["type"] == "run"}
    compare(runs, due(dtype))
    played = {line["test"]: line for line in lines[1:] if line["type"] == "scenario"}
    scenes = {
        name: (
            tuple(line["requires"]),
            line["signed_zero"],
            {one["object"]: (one["operation"], one["params"]) for one in line["objects"]},
            [(step["object"], _step(step)) for step in line["steps"]],
        )
        for name, line in played.items()
    }
    assert scenes == due.scenes(dtype)


def _step(step: Json) -> Record:
    inputs = {
        name: (one["from_step"], one["output"]) if "from_step" in one else tensor(one)
        for name, one in step["inputs"].items()
    }
    own = {"seq_len": step["seq_len"]} if "seq_len" in step else {}
    return Record("", own, inputs, step["dtype"], forms(step["expected"]), forms(step["bound"]))


def _stored_step(test: Json, step: Json, dtype: str) -> tuple[str, Record] | None:
    given = {name: tensor(one) for name, one in step["inputs"].items() if "data" in one}
    earlier = {
        name: (one["from_step"], one["output"]) for name, one in step["inputs"].items() if "data" not in one
    }
    operation = test["objects"][step["object"]]["operation"]
    found = asked(Record(operation, {}, given, expected=step["expected"]), dtype)
    if found is None:
        return None
    own = {"seq_len": step["seq_len"]} if "seq_len" in step else {}
    inputs = {**found.inputs, **earlier}
    return step["object"], Record("", own, inputs, found.dtype, found.expected, found.bound)


@pytest.mark.parametrize("dtype", DTYPES)
def test_flat(exported: Any, due: Any, dtype: str) -> None:
    found = Flat(exported("flat", dtype))
    assert found.head == list(head(dtype).values())
    compare(found.tests, due(dtype))
    scenes = {}
    for name, (requires, zero, objects, steps) in found.scenarios.items():
        for _, record in steps:
            record.operation = ""
        scenes[name] = (requires, zero, objects, steps)
    assert scenes == due.scenes(dtype)


def from_arrays(index: Json, forms: dict[str, Form]) -> dict[str, Record]:
    """Return the tests of an index with their tensors, each of which is used once."""
    found = {}
    for name, test in index["tests"].items():
        parts: dict[str, dict[str, Form]] = {"inputs": {}, "expected": {}, "bound": {}}
        for key in [key for key in forms if key.startswith(f"{name}/")]:
            _, part, tensor_name = key.split("/")
            parts[part][tensor_name] = forms.pop(key)
        assert test["inputs"] == {key: form[0] for key, form in parts["inputs"].items()}
        assert test["want"] == {key: form[0] for key, form in parts["expected"].items()}
        found[name] = Record(
            test["operation"],
            test["params"],
            parts["inputs"],
            test["dtype"],
            parts["expected"],
            parts["bound"],
            None,
            tuple(test["requires"]),
            test["signed_zero"],
        )
    assert not forms
    return found


@pytest.mark.parametrize("dtype", DTYPES)
def test_npz(exported: Any, due: Any, dtype: str) -> None:
    with np.load(exported("npz", dtype), allow_pickle=False) as archive:
        index = json.loads(archive["index"].tobytes())
        arrays = {name: archive[name] for name in archive.files if name != "index"}
    assert {key: index[key] for key in index if key != "tests"} == {
        "type": "export", **head(dtype), "bfloat16": "uint16",
    }  # fmt: skip
    read = {name: _of_array(array) for name, array in arrays.items()}
    compare(from_arrays(index, read), due(dtype, refused=False))


def _of_array(array: Any) -> Form:
    values = array.ravel().tolist()
    if array.dtype == np.uint16:
        return "bfloat16", array.shape, numbers([f"{one:04x}" for one in values], "bfloat16")
    if array.dtype.kind == "f":
        return array.dtype.name, array.shape, tuple(repr(one) for one in values)
    assert array.dtype in (np.int64, np.bool_)
    return array.dtype.name, array.shape, tuple(str(int(one)) for one in values)


@pytest.mark.parametrize("dtype", DTYPES)
def test_safetensors(exported: Any, due: Any, dtype: str, need: Any) -> None:
    library = need("safetensors")
    path = exported("safetensors", dtype)
    with library.safe_open(path, "np") as file:
        index = json.loads(file.metadata()["posref"])
    assert {key: index[key] for key in index if key != "tests"} == {"type": "export", **head(dtype)}
    names = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
    read = {}
    for name, entry in library.deserialize(path.read_bytes()):
        own, data, shape = entry["dtype"], bytes(entry["data"]), tuple(entry["shape"])
        if own in names:
            size = CODES[names[own]][1] // 2
            words = [data[start : start + size][::-1].hex() for start in range(0, len(data), size)]
            read[name] = names[own], shape, numbers(words, names[own])
        else:
            kind = {"I64": np.dtype("<i8"), "BOOL": np.dtype("?")}[own]
            read[name] = _of_array(np.frombuffer(data, kind).reshape(shape))
    compare(from_arrays(index, read), due(dtype, refused=False))


DUMP = r"""
#include <stdio.h>
#include "vectors.h"
static void dump(const char *word, const struct posref_tensor *tensor) {
    printf("%s %s %s %d", word, tensor->name, tensor->dtype, tensor->rank);
    for (int axis = 0; axis < tensor->rank; axis++) printf(" %lld", (long long)tensor->shape[axis]);
    printf("\n%lld", (long long)tensor->size);
    for (int64_t i = 0; i < tensor->size; i++)
        if (!strcmp(tensor->dtype, "int64")) printf(" %lld", (long long)((const int64_t *)tensor->bits)[i]);
        else printf(" %.17g", posref_value(tensor, i));
    printf("\n%d", tensor->bound != 0);
    for (int64_t i = 0; tensor->bound && i < tensor->size; i++) printf(" %04x", tensor->bound[i]);
    printf("\n");
}
int main(void) {
    printf("%s %s %s ", POSREF_CORPUS, POSREF_TREE_SHA256, POSREF_DTYPE);
    printf("%d %d\n", POSREF_CASES, POSREF_SCENARIOS);
    for (const struct posref_case *one = posref_cases; one->id; one++) {
        printf("case %s %s %s %d\n", one->id, one->operation, one->dtype, one->strict_zero);
        printf("%s\n", one->requires_);
        printf("%s %s\n", one->error ? one->error : "-", one->error ? one->parameter : "-");
        for (int i = 0; i < one->params; i++)
            printf("param %s %lld %016llx %s %s\n", one->param[i].name, (long long)one->param[i].integer,
                   (unsigned long long)one->param[i].real, one->param[i].kind, one->param[i].text);
        for (int i = 0; i < one->inputs; i++) dump("input", &one->input[i]);
        for (int i = 0; i < one->outputs; i++) dump("output", &one->output[i]);
    }
    for (const struct posref_scenario *one = posref_scenarios; one->id; one++)
        printf("scenario %s %s\n", one->id, one->dtype);
    return 0;
}
"""


@pytest.fixture(scope="module")
def dumped(exported: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the lines in which a compiled program says what the header holds."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is not installed")

    def dump(dtype: str) -> list[str]:
        folder = tmp_path_factory.mktemp("header")
        shutil.copy(exported("c-header", dtype), folder / "vectors.h")
        (folder / "dump.c").write_text(DUMP)
        flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-overlength-strings"]
        subprocess.run([compiler, *flags, "dump.c", "-lm", "-o", "dump"], cwd=folder, check=True)
        done = subprocess.run([folder / "dump"], check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    return dump


@pytest.mark.parametrize("dtype", DTYPES)
def test_c_header(dumped: Any, due: Any, dtype: str) -> None:
    lines = dumped(dtype)
    tests, scenarios = due(dtype), due.scenes(dtype)
    assert lines[0].split(" ") == [*head(dtype).values(), str(len(tests)), str(len(scenarios))]
    found = dict(_cases(iter(lines[1:])))
    names = {line.split(" ")[1] for line in lines if line.startswith("scenario ")}
    compare(found, {name: _with_elements(record) for name, record in tests.items()})
    assert names == set(scenarios)


def _with_elements(record: Record) -> Record:
    """Return a test without empty bounds: an empty array is the null pointer, and so is none."""
    return replace(record, bound={name: form for name, form in record.bound.items() if form[2]})


def _cases(lines: Any) -> Any:
    record: Record | None = None
    for line in lines:
        word, *words = line.split(" ")
        if word == "case":
            test, name, dtype, strict = words
            record = Record(name, {}, {}, dtype, requires=tuple(next(lines).split()))
            record.signed_zero = {"0": "ignore", "1": "strict"}[strict]
            error, parameter = next(lines).split(" ")
            record.error = None if error == "-" else (error, parameter)
            yield test, record
        elif word == "param":
            name, integer, bits, kind, *text = words
            add_param(record.params, name, kind, " ".join(text))
            assert integer == {"integer": text[0], "boolean": str(int(text[0] == "true"))}.get(kind, "0")
            assert bits == (text[0] if kind == "real" else "0" * 16)
        elif word in ("input", "output"):
            name, form, bound = _dumped(words, next(lines), next(lines))
            (record.inputs if word == "input" else record.expected)[name] = form
            if bound is not None:
                record.bound[name] = bound


def _dumped(words: list[str], values: str, bounds: str) -> tuple[str, Form, Form | None]:
    name, dtype, rank, *axes = words
    shape = tuple(map(int, axes))
    count, *found = values.split(" ")
    assert (int(rank), int(count)) == (len(shape), len(found))
    texts = tuple(repr(float(one)) if dtype in CODES else one for one in found)
    there, *limits = bounds.split(" ")
    bound = numbers(limits, "bfloat16")
    return name, (dtype, shape, texts), ("bfloat16", shape, bound) if there == "1" else None


@pytest.mark.parametrize("to", FORMATS)
def test_the_same_bytes_twice(tmp_path: Path, to: str, need: Any) -> None:
    if to == "safetensors":
        need("safetensors")
    files = [tmp_path / name for name in ("again", "once")]
    for file in files:
        assert run(to, file, "alibi.bias") == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.parametrize(
    ("to", "refused", "scenarios"),
    [
        ("flat", True, "[1-9][0-9]* scenarios, "),
        ("c-header", True, "[1-9][0-9]* scenarios named, "),
        ("npz", False, "0 scenarios, "),
    ],
)
def test_what_was_written_is_told(
    tmp_path: Path, capsys: Output, to: str, refused: bool, scenarios: str
) -> None:
    assert run(to, tmp_path / "out", "rope.apply") == 0
    size = (tmp_path / "out").stat().st_size
    count = "[1-9][0-9]*" if refused else "0"
    told = f"in bfloat16, [0-9]+ tests with values, {count} to be refused, {scenarios}{size} bytes"
    assert re.search(told, capsys.readouterr().out)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, capsys: Output) -> None:
    output = tmp_path / "vectors.jsonl"
    output.write_text("old")
    (tmp_path / f"vectors.jsonl.{os.getpid()}.partial").symlink_to("/dev/full")
    assert run("jsonl", output, "alibi.bias") == 2
    assert capsys.readouterr().err == f"posref: {output} cannot be written: No space left on device\n"
    assert output.read_text() == "old"
    assert list(tmp_path.iterdir()) == [output]


def test_an_interrupt_leaves_no_half_of_a_file(tmp_path: Path) -> None:
    def pieces() -> Any:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "out", pieces())
    assert not list(tmp_path.iterdir())


def test_where_nothing_can_be_written(tmp_path: Path, capsys: Output) -> None:
    assert run("flat", tmp_path / "none" / "out", "alibi.bias") == 2
    assert "out cannot be written: No such file or directory" in capsys.readouterr().err
    assert run("flat", tmp_path, "alibi.bias") == 2
    assert "cannot be written" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert not tmp_path.with_name(f"{tmp_path.name}.partial").exists()


def test_nothing_to_export(tmp_path: Path, capsys: Output) -> None:
    assert run("jsonl", tmp_path / "out", "rope.aply") == 2
    assert "no operation matches 'rope.aply'" in capsys.readouterr().err
    assert run("npz", tmp_path / "out", "rope.length_scenario") == 2
    assert "nothing to export" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_missing_library_is_named(tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)
    assert run("safetensors", tmp_path / "out", "alibi.bias") == 2
    assert "pip install 'posref[safetensors]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
