"""Corpora of one or two files, cut from the real ones, signed again after each change."""

import hashlib
import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from posref import operation
from posref.corpus import encode, load_vectors, manifest, sweep_state
from posref.corpus.sweep_state import Tally

VECTORS = operation.home("vectors")

Files = dict[str, bytes]
Counts = dict[str, tuple[int, int]]


def cut(path: str, groups: int = 2, tests: int = 1) -> bytes:
    """Return a real file with its first groups, and the first tests of each."""
    document = json.loads((VECTORS / path).read_bytes())
    document["groups"] = document["groups"][:groups]
    for group in document["groups"]:
        group["tests"] = group["tests"][:tests]
    left = [test for group in document["groups"] for test in group["tests"]]
    raised = {flag for test in left for flag in test["flags"]}
    document["notes"] = {flag: note for flag, note in document["notes"].items() if flag in raised}
    document["number_of_tests"] = len(left)
    return encode.dump(document)


def write(root: Path, files: Files, counts: Counts) -> None:
    """Write files, their check sums and the manifest, with the `counts` that they had when they were good."""
    lines, listed = "", []
    for path, data in sorted(files.items()):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
        digest, (tests, elements) = hashlib.sha256(data).hexdigest(), counts[path]
        lines += f"{digest}  {path}\n"
        listed.append(
            {"path": path, "sha256": digest, "bytes": len(data), "tests": tests, "elements": elements}
        )
    (root / manifest.SUMS).write_text(lines, "ascii")
    sums = {key: sum(entry[key] for entry in listed) for key in ("bytes", "tests", "elements")}
    record = {
        "format": "posref-manifest",
        "format_version": 1,
        "corpus_version": "0.1.0",
        "license": "CC0-1.0",
        "generator": {"posref": "0"},
        "files": listed,
        "totals": {"files": len(listed), **sums},
        "tree_sha256": hashlib.sha256(lines.encode()).hexdigest(),
    }
    (root / manifest.MANIFEST).write_bytes(encode.dump(record))


def counted(files: Files) -> Counts:
    return {path: manifest.count(json.loads(data)) for path, data in files.items()}


def hashed_part(corpus: Any) -> str:
    """Return what the tests of a corpus say and their hashes cover, as text in which -0 is not 0."""
    said: list[Any] = [
        (test.operation, test.kind, test.params, test.inputs, _bare(test.expected), test.error)
        for test in corpus.tests
    ]
    said += [
        (made.scenario.objects, made.scenario.steps, [_bare(one) for one in made.expected])
        for made in corpus.scenarios
    ]
    said += [(test.operation, test.params, test.inputs, test.expected) for test in corpus.golden]
    return repr(said)


def _bare(expected: Any) -> Any:
    return {
        output: {dtype: (one.tensor, one.residual) for dtype, one in by_dtype.items()}
        for output, by_dtype in expected.items()
    }


def loaded(root: Path) -> str:
    return hashed_part(load_vectors(root))


@cache
def signed(paths: tuple[str, ...]) -> Files:
    """Return every file of a small corpus."""
    with TemporaryDirectory() as name:
        root = Path(name)
        files = {path: cut(path) for path in paths}
        write(root, files, counted(files))
        return {
            path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
        }


def lay(root: Path, paths: tuple[str, ...]) -> None:
    """Put a small corpus into a folder."""
    for path, content in signed(paths).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


@cache
def state() -> bytes:
    """Return the state of a sweep."""
    with TemporaryDirectory() as name:
        file = Path(name) / "state.json"
        sweep_state.write(file, {"float32 10000.0 4 0 50": Tally(200, 3, 2, 1, 1.5)})
        return file.read_bytes()


@cache
def results(paths: tuple[str, ...]) -> bytes:
    """Return what a program without a fault says of a small corpus in float32: the stored values."""
    with TemporaryDirectory() as name:
        lay(Path(name), paths)
        corpus = load_vectors(name)
        tree = manifest.read(Path(name)).tree_sha256
    head = {"type": "results", "protocol": 1, "tree_sha256": tree, "name": "a", "language": "C"}
    names = sorted({test.operation for test in corpus.tests})
    lines: list[Any] = [{**head, "version": "", "operations": names, "dtypes": ["float32"]}]
    for test in corpus.tests:
        outputs = {
            output: encode.tensor(by_dtype.get("float32", next(iter(by_dtype.values()))).tensor)
            for output, by_dtype in test.expected.items()
        }
        dtype = "int64" if operation.signature(test.operation).integer else "float32"
        lines.append({"test": test.id, "dtype": dtype, "outputs": outputs})
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def answers(text: bytes) -> dict[tuple[str, str], Any]:
    """Return the values in a file of results, as an independent reader reads them."""
    found = {}
    for line in text.decode("ascii").split("\n")[1:]:
        record = json.loads(line) if line else {}
        with suppress(KeyError, TypeError, ValueError, AttributeError):  # no values are there
            found[record["test"], record["dtype"]] = {
                output: (one["shape"], [_row(row) for row in one["data"]])
                for output, one in record["outputs"].items()
            }
    return found


def _row(row: Any) -> Any:
    return row.lower() if isinstance(row, str) else [int(value) for value in row]
