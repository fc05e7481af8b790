"""The matrix as data: what a row counts, what is kept of an earlier file, and what is said of the absent."""

import json

import numpy as np
import pytest

from posref import adapters
from posref.adapters import Implementation, Unsupported
from posref.cli import main
from posref.conformance import matrix
from posref.corpus import load_vectors


def slopes(*, num_heads, bias_max, head_start=0, head_count=None, dtype):
    """Powers of two for powers of two; a wrong sign for 2 heads."""
    if num_heads & (num_heads - 1) or head_start or head_count is not None:
        raise Unsupported("a power of two")
    found = 2.0 ** (-bias_max * np.arange(1, num_heads + 1) / num_heads)
    return (-found if num_heads == 2 else found).astype(dtype)


SLOPES = Implementation("half_right", {"alibi.slopes": slopes}, "1", ("float64", "float32"))


@pytest.fixture(scope="module")
def rows():
    entry = matrix.entry(SLOPES, load_vectors(operations="alibi.slopes"))
    assert (entry["name"], entry["version"], entry["dtypes"]) == ("half_right", "1", ["float64", "float32"])
    return {row["dtype"]: row for row in entry["rows"]}


def test_a_row_counts_values_apart_from_refusals(rows):
    cases = [
        test
        for test in load_vectors(operations="alibi.slopes").tests
        if "float32" in test.expected.get("slopes", {})
    ]
    two = sorted(test.id for test in cases if test.params["num_heads"] == 2)
    asked = [test for test in cases if test.id not in two]
    row = rows["float32"]
    assert set(rows) == {"float64", "float32"}
    assert row["failed"] == two != []
    assert row["executed"] == row["passed"] + len(two)
    assert row["skipped"]["a power of two"] > 0
    assert row["passed"] + sum(row["skipped"].values()) >= len(asked)
    assert row["strongest_claim"] == "none"
    assert row["diagnosis"] != ""
    assert row["refused"] + row["answered"] > 0


@pytest.fixture
def quick(monkeypatch):
    """Make every adapter load at once, but for one without its module and one without its compiler."""

    def load(name):
        if name == "onnx":
            raise ModuleNotFoundError("No module named 'onnx'", name="onnx")
        if name == "tinygrad":
            raise FileNotFoundError(2, "No such file or directory", "clang")
        return name

    row = {"operation": "rope.apply", "dtype": "float32", "failed": ["a"], "diagnosis": "é"}
    monkeypatch.setattr(adapters, "load", load)
    monkeypatch.setattr(matrix, "load_vectors", lambda root: None)
    monkeypatch.setattr(matrix, "entry", lambda name, corpus: {"name": name, "version": "2", "rows": [row]})


def last(*arguments, **named):
    *_, found = matrix.matrix(*arguments, **named)
    return found


def test_what_is_absent_is_said(quick):
    found = last()
    reasons = {one["name"]: one["reason"] for one in found["not_run"]}
    assert reasons == {
        "onnx": "no module onnx",
        "tinygrad": "it cannot be run: No such file or directory",
    }
    names = [one["name"] for one in found["frameworks"]]
    assert names == sorted(set(adapters.names()) - {"reference", *reasons})


def test_the_file_grows_after_each_framework(quick):
    sizes = [len(found["frameworks"]) for found in matrix.matrix(["torch", "onnx", "mlx"])]
    assert sizes == [1, 1, 2]


def test_an_earlier_file_is_kept_if_it_is_of_the_same_corpus(quick):
    onnx = {"name": "onnx", "version": "1", "rows": []}
    before = {"corpus": matrix.corpus_identity(), "frameworks": [onnx]}
    assert onnx in last(["onnx", "torch"], before=before)["frameworks"]
    stale = {**before, "corpus": {"version": "0.0.0", "manifest_sha256": "0" * 64}}
    assert [one["name"] for one in last(["onnx", "torch"], before=stale)["frameworks"]] == ["torch"]


def test_bytes_are_canonical(quick):
    text = matrix.canonical(last(["torch"]))
    assert text.isascii()
    assert text.endswith("}\n")
    assert sum('"operation"' in line for line in text.splitlines()) == 1
    assert matrix.canonical(json.loads(text)) == text


def test_the_command_writes_and_says(quick, tmp_path, capsys):
    path = tmp_path / "matrix.json"
    assert main(["matrix", "--adapter", "torch", "--output", str(path)]) == 0
    assert "torch 2: 1 rows, 1 wrong answers\n" in capsys.readouterr().out
    assert main(["matrix", "--adapter", "torch"]) == 0
    assert capsys.readouterr().out == path.read_text("ascii")
    assert main(["matrix", "--adapter", "onnx"]) == 2
    assert main(["matrix", "--adapter", "nothing"]) == 2
    assert "no adapter 'nothing'" in capsys.readouterr().err


def test_a_file_that_is_no_matrix_is_refused(quick, tmp_path, capsys):
    path = tmp_path / "matrix.json"
    path.write_text("{}")
    assert main(["matrix", "--adapter", "torch", "--output", str(path)]) == 2
    assert "matrix.json: 'format' is missing" in capsys.readouterr().err
    assert path.read_text() == "{}"
