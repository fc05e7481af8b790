"""The manifest and the check sums of a corpus: what is there, and that it is whole."""

import hashlib
import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import posref
from posref.corpus import bounded
from posref.corpus.encode import FORMAT_VERSION, LICENSE, Json
from posref.corpus.strict import Place, parse
from posref.errors import FormatError

MANIFEST: Final = "manifest.json"
SUMS: Final = "SHA256SUMS"
FORMAT: Final = "posref-manifest"
FOLDERS: Final = ("core", "models", "hard", "golden")
"""Folders of vector files; all but the first may be left out of a distribution, whole."""

BY_HAND: Final = ("CHANGELOG.md", "LICENSE", "README.md")
"""What no build writes; it is hashed, and stays."""

SEMVER: Final = re.compile(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}")
_PATH = re.compile(rf"({'|'.join(FOLDERS)})(/[a-z0-9][a-z0-9._-]*)+\.json")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_COUNTS = ("bytes", "tests", "elements")


@dataclass(frozen=True)
class File:
    """One vector file as the manifest lists it."""

    path: str
    sha256: str
    bytes: int
    tests: int
    elements: int


@dataclass(frozen=True)
class Manifest:
    """What the manifest says."""

    corpus_version: str
    format_version: int
    files: tuple[File, ...]
    tree_sha256: str
    sha256: str
    """The SHA-256 of the manifest itself, in which that of every file stands."""


def count(document: Any) -> tuple[int, int]:
    """Return the number of tests of a file and of the elements that they expect.

    An element counts once, in however many dtypes it is stored.
    """
    tests = [test for group in document["groups"] for test in group["tests"]]
    elements = 0
    for call in (call for test in tests for call in test.get("steps", [test])):
        for by_dtype in call.get("expected", {}).values():
            elements += math.prod(next(iter(by_dtype.values()))["shape"])
    return len(tests), elements


def sums(root: Path) -> bytes:
    """Return the bytes of ``SHA256SUMS``: every file under `root` but the manifest and itself."""
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    lines = [
        f"{digest((root / path).read_bytes())}  {path}\n" for path in paths if path not in (MANIFEST, SUMS)
    ]
    return "".join(lines).encode("ascii")


def digest(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def make(root: Path, version: str) -> Json:
    """Return the manifest of the vector files under `root`, whose ``SHA256SUMS`` is written."""
    files = []
    for path in vector_files(root):
        data = (root / path).read_bytes()
        tests, elements = count(json.loads(data))
        files.append(
            {"path": path, "sha256": digest(data), "bytes": len(data), "tests": tests, "elements": elements}
        )
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "corpus_version": version,
        "license": LICENSE,
        "generator": {"posref": posref.__version__},
        "files": files,
        "totals": {"files": len(files), **{key: sum(entry[key] for entry in files) for key in _COUNTS}},
        "tree_sha256": digest((root / SUMS).read_bytes()),
    }


def vector_files(root: Path) -> list[str]:
    """Return the paths of all JSON files in the folders of vector files, sorted."""
    found: Iterable[Path] = (path for folder in FOLDERS for path in (root / folder).rglob("*.json"))
    return sorted(path.relative_to(root).as_posix() for path in found)


def read(root: Path) -> Manifest:
    """Return the manifest under `root`, checked against itself and against the files that are there."""
    if not (root / MANIFEST).exists():
        raise FormatError(MANIFEST, f"there is no manifest in {root}")
    data = bounded.read_member(root, MANIFEST)
    place = parse(data, MANIFEST)
    members = place.record(
        "format",
        "format_version",
        "corpus_version",
        "license",
        "generator",
        "files",
        "totals",
        "tree_sha256",
    )
    members["format"].one_of((FORMAT,))
    version = members["format_version"].one_of((FORMAT_VERSION,))
    members["license"].one_of((LICENSE,))
    made = members["generator"].members()
    if not made:
        members["generator"].fail("names no program")
    for entry in made.values():
        entry.text()
    files = tuple(_file(entry) for entry in members["files"].elements())
    _check_totals(members, files)
    _check_presence(root, members["files"], files)
    tree = members["tree_sha256"].text(_SHA256)
    _check_sums(root, members["tree_sha256"], files)
    return Manifest(members["corpus_version"].text(SEMVER), version, files, tree, digest(data))


def _file(place: Place) -> File:
    members = place.record("path", "sha256", *_COUNTS)
    path = members["path"].text(_PATH)
    counts = [members[key].integer(0) for key in _COUNTS]
    return File(path, members["sha256"].text(_SHA256), *counts)


def _check_totals(members: dict[str, Place], files: tuple[File, ...]) -> None:
    paths = [file.path for file in files]
    if paths != sorted(set(paths)):
        members["files"].fail("must be sorted by path, each path once")
    totals = members["totals"].record("files", *_COUNTS)
    found = {"files": len(files)} | {key: sum(getattr(file, key) for file in files) for key in _COUNTS}
    for key, place in totals.items():
        if place.integer(0) != found[key]:
            place.fail(f"is {place.value}, the files have {found[key]}")


def _check_presence(root: Path, place: Place, files: tuple[File, ...]) -> None:
    present = set(vector_files(root))
    for index, file in enumerate(files):
        folder = file.path.partition("/")[0]
        left_out = folder != FOLDERS[0] and not (root / folder).exists()
        if file.path not in present and not left_out:
            place.at(index).at("path").fail(f"{file.path} is listed and not there")
        if not (root / file.path).resolve().is_relative_to(root.resolve()):
            place.at(index).at("path").fail(f"{file.path} leads out of the folder")
    unlisted = sorted(present - {file.path for file in files})
    if unlisted:
        raise FormatError(unlisted[0], f"is there and {MANIFEST} does not list it")


def _check_sums(root: Path, place: Place, files: tuple[File, ...]) -> None:
    if not (root / SUMS).exists():
        return
    data = bounded.read_member(root, SUMS)
    if digest(data) != place.value:
        place.fail(f"is not the SHA-256 of {SUMS}")
    lines = set(data.decode("ascii", "replace").splitlines())
    for file in files:
        if f"{file.sha256}  {file.path}" not in lines:
            raise FormatError(SUMS, f"does not hold the SHA-256 that {MANIFEST} gives for {file.path}")
