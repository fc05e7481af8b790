"""A small corpus written by hand, and the means to sign it, so that single faults can be put into it."""

import copy
import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

INV_FREQ = "core/rope/inv_freq.json"
INV_FREQ_INVALID = "core/rope/inv_freq_invalid.json"
RELATIVE = "core/positions/relative.json"
BIAS = "core/alibi/bias.json"
OUTPUT = "core/attention/output.json"

NOTE = {"bug_type": "basic", "description": "what it looks for", "effect": "what it does", "links": []}
BASE = {"float64": "40c3880000000000", "decimal": "10000.0"}
ONE = {"float64": "3ff0000000000000", "decimal": "1.0"}


def floats(dtype: str, shape: list[int], *data: str) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data": list(data)}


def ints(shape: list[int], *data: list[int], dtype: str = "int64") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data": list(data)}


def answer(dtype: str, shape: list[int], data: str, residual: str, bound: str) -> dict[str, Any]:
    return {**floats(dtype, shape, data), "residual": [residual], "bound": [bound]}


def case_of(name: str, inputs: dict[str, Any], clause: str, **outcome: Any) -> dict[str, Any]:
    head = {"id": name, "comment": "Why it is here.", "flags": ["plain"], "clauses": [clause]}
    return {**head, "inputs": inputs, **outcome, "case_hash": ""}


def group_of(params: dict[str, Any], *tests: dict[str, Any], name: str = "all") -> dict[str, Any]:
    return {
        "group": name,
        "source": {"name": "by hand", "version": "0.1.0"},
        "params": params,
        "requires": [],
        "compare": {"signed_zero": "ignore"},
        "tests": list(tests),
    }


def file_of(kind: str, operation: str, *groups: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": "posref-vectors",
        "format_version": 1,
        "kind": kind,
        "operation": operation,
        "license": "CC0-1.0",
        "header": "A definition.",
        "notes": {"plain": NOTE},
        "number_of_tests": sum(len(group["tests"]) for group in groups),
        "groups": list(groups),
    }


def documents() -> dict[str, Any]:
    """Two frequencies, 1 and 1/100; two offsets; a masked bias; attention to the one key not masked."""
    inv_freq = {
        "float64": answer("float64", [2], "3ff00000000000003f847ae147ae147b", "0-", "25002500"),
        "float32": answer("float32", [2], "3f8000003c23d70a", "0+", "33803300"),
        "bfloat16": answer("bfloat16", [2], "3f803c24", "0-", "3b8037c0"),
        "float16": answer("float16", [2], "3c00211f", "0-", "3a8037c0"),
    }
    bias = {
        "float64": answer("float64", [1, 1, 2], "bfe0000000000000fff0000000000000", "00", "00000000"),
        "float32": answer("float32", [1, 1, 2], "bf000000ff800000", "00", "00000000"),
        "bfloat16": answer("bfloat16", [1, 1, 2], "bf00ff80", "00", "00000000"),
        "float16": answer("float16", [1, 1, 2], "b800fc00", "00", "00000000"),
    }
    output = {
        "float64": answer("float64", [1, 1], "4000000000000000", "0", "2500"),
        "float32": answer("float32", [1, 1], "40000000", "0", "3480"),
        "bfloat16": answer("bfloat16", [1, 1], "4000", "0", "3c80"),
        "float16": answer("float16", [1, 1], "4000", "0", "3b80"),
    }
    attention = {
        "q": floats("bfloat16", [1, 1], "3f80"),
        "k": floats("bfloat16", [2, 1], "3f80", "4000"),
        "v": floats("bfloat16", [2, 1], "4000", "c000"),
        "bias": floats("bfloat16", [1, 2], "0000ff80"),
    }
    positions = {"q_positions": ints([1], [1]), "k_positions": ints([2], [0, 2])}
    refused = {"class": "INVALID_PARAMETER", "parameter": "rotary_dim"}
    forms = {"form": "neg_distance", "future": "neg_inf"}
    slopes = {**positions, "slopes": floats("float32", [1], "3f000000")}
    return {
        INV_FREQ: file_of(
            "value",
            "rope.inv_freq",
            group_of(
                {"rotary_dim": 4, "base": BASE},
                case_of("small-inv-freq", {}, "rope.C1", expected={"inv_freq": inv_freq}),
            ),
        ),
        INV_FREQ_INVALID: file_of(
            "invalid",
            "rope.inv_freq",
            group_of(
                {"rotary_dim": 3, "base": {"float64": "7ff8000000000000", "decimal": "nan"}},
                case_of("small-inv-freq-odd", {}, "rope.C2", error=refused),
            ),
        ),
        RELATIVE: file_of(
            "value",
            "positions.relative",
            group_of(
                {},
                case_of(
                    "small-relative",
                    positions,
                    "positions.C1",
                    expected={"relative_position": {"int64": ints([1, 2], [-1, 1])}},
                ),
                case_of(
                    "small-relative-empty",
                    {**positions, "q_positions": ints([0])},
                    "positions.C1",
                    expected={"relative_position": {"int64": ints([0, 2])}},
                ),
            ),
        ),
        BIAS: file_of(
            "value",
            "alibi.bias",
            group_of(forms, case_of("small-bias", slopes, "alibi.C5", expected={"bias": bias})),
        ),
        OUTPUT: file_of(
            "value",
            "attention.output",
            group_of(
                {"scale": ONE},
                case_of("small-output", attention, "attention.C4", expected={"y": output}),
            ),
        ),
    }


def compact_hash(operation: str, params: Any, test: dict[str, Any]) -> str:
    """Return the case hash, computed from the text of the format alone."""
    content = {key: copy.deepcopy(test[key]) for key in ("inputs", "expected", "error") if key in test}
    for by_dtype in content.get("expected", {}).values():
        for entry in by_dtype.values():
            entry.pop("bound", None)
    content |= {"operation": operation, "params": params}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def hashed(content: dict[str, Any]) -> dict[str, Any]:
    """Fill in every case hash of `content`."""
    for document in content.values():
        for group in document["groups"]:
            for test in group["tests"]:
                test["case_hash"] = compact_hash(document["operation"], group["params"], test)
    return content


def sign(root: Path, counts: dict[str, tuple[int, int]], version: str = "0.1.0") -> None:
    """Write check sums and manifest over whatever files lie under `root`."""
    paths = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())
    kept = [path for path in paths if path not in ("manifest.json", "SHA256SUMS")]
    digests = {path: hashlib.sha256((root / path).read_bytes()).hexdigest() for path in kept}
    lines = "".join(f"{digests[path]}  {path}\n" for path in kept)
    (root / "SHA256SUMS").write_text(lines, "ascii")
    files = []
    for path in kept:
        if path.endswith(".json"):
            tests, elements = counts[path]
            size = (root / path).stat().st_size
            files.append(
                {"path": path, "sha256": digests[path], "bytes": size, "tests": tests, "elements": elements}
            )
    totals = {key: sum(file[key] for file in files) for key in ("bytes", "tests", "elements")}
    manifest = {
        "format": "posref-manifest",
        "format_version": 1,
        "corpus_version": version,
        "license": "CC0-1.0",
        "generator": {"hand": "1"},
        "files": files,
        "totals": {"files": len(files), **totals},
        "tree_sha256": hashlib.sha256(lines.encode()).hexdigest(),
    }
    (root / "manifest.json").write_text(json.dumps(manifest), "ascii")


def counted(content: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Return the tests and the expected elements of each file."""
    found = {}
    for path, document in content.items():
        tests = [test for group in document["groups"] for test in group["tests"]]
        shapes = [
            next(iter(output.values()))["shape"]
            for test in tests
            for output in test.get("expected", {}).values()
        ]
        found[path] = (len(tests), sum(math.prod(shape) for shape in shapes))
    return found


@dataclass
class Small:
    """The small corpus in a folder, and what it was written from."""

    root: Path
    content: dict[str, Any]
    counts: dict[str, tuple[int, int]]

    def write(self, version: str = "0.1.0") -> Path:
        """Write `content` as it now is, and sign it."""
        for path, document in self.content.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(json.dumps(document, indent=1) + "\n", "ascii")
        sign(self.root, self.counts, version)
        return self.root

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace text in a file, and sign the corpus again."""
        text = (self.root / path).read_text("utf-8")
        assert old in text
        (self.root / path).write_text(text.replace(old, new, 1), "utf-8")
        sign(self.root, self.counts)
