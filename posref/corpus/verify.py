"""Build a corpus again and compare: whole files, or the tests of a sample of its groups."""

import hashlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from posref.corpus import encode, manifest
from posref.corpus.encode import Json
from posref.corpus.generate import AnyGroup, Built, cases, certify, keep, subject, write
from posref.corpus.kinds import path_of
from posref.corpus.load import load_vectors
from posref.corpus.progress import Progress
from posref.corpus.writing import said


def verify(
    root: str | Path,
    *,
    engine: str = "mpmath",
    jobs: int = 1,
    progress: Progress | None = None,
    operations: str = "*",
    sample: int | None = None,
) -> list[str]:
    """Build the corpus again elsewhere and return what differs from `root`; empty means nothing.

    Parameters
    ----------
    root : path
        The corpus to be verified.
    engine, jobs, progress, operations
        As in `build`.
    sample : int, optional
        Build one group in `sample`, chosen by the hash of its name, and compare its tests; without
        it build everything and compare bytes.
    """
    root = Path(root)
    groups = [entry for entry in cases(operations) if sample is None or chosen(entry, sample)]
    built = certify(groups, engine, jobs, progress)
    if sample is not None:
        return _compare_groups(root, built)
    with tempfile.TemporaryDirectory(prefix="posref-verify-") as name:
        folder = Path(name)
        with said(folder):
            keep(root, folder, operations)
            write(folder, built)
        return _compare_bytes(root, folder)


def chosen(group: AnyGroup, sample: int) -> bool:
    """Return whether a group is one of the sampled ones: one in `sample`, by its hash."""
    identity = f"{subject(group)}/{group.name}".encode("ascii")
    return int(hashlib.sha256(identity).hexdigest(), 16) % sample == 0


def _compare_bytes(root: Path, folder: Path) -> list[str]:
    found = []
    whole = (root / manifest.SUMS).exists()
    names = {
        path.relative_to(place).as_posix()
        for place in (root, folder)
        for path in place.rglob("*")
        if path.is_file()
    }
    for name in sorted(names - (set() if whole else {manifest.SUMS})):
        old, new = (_content(place / name, whole) for place in (root, folder))
        if old is None or new is None:
            found.append(f"{name}: only {'a new build' if old is None else 'the corpus'} has it")
        elif old != new:
            found.append(f"{name}: {_first_difference(old, new)}")
    return found


def _content(path: Path, whole: bool) -> bytes | None:
    if not path.exists():
        return None
    data = path.read_bytes()
    if path.name != manifest.MANIFEST:
        return data
    try:
        content = json.loads(data)
        del content["generator"]
        if not whole:
            del content["tree_sha256"]
        return encode.dump(content)
    except (ValueError, KeyError, TypeError):
        return data


def _first_difference(old: bytes, new: bytes) -> str:
    pairs = enumerate(zip(old.split(b"\n"), new.split(b"\n"), strict=False), 1)
    for number, (before, after) in pairs:
        if before != after:
            texts = [text.decode("ascii", "backslashreplace").strip()[:60] for text in (before, after)]
            return f"line {number} is {texts[0]!r}, a new build writes {texts[1]!r}"
    return f"has {len(old)} bytes, a new build writes {len(new)}"


def _compare_groups(root: Path, built: Built) -> list[str]:
    load_vectors(root)
    found = []
    for (name, kind), fresh in sorted(built.items()):
        path = path_of(name, kind)
        stored: dict[str, Any] = {}
        if (root / path).exists():
            stored = {entry["group"]: entry for entry in json.loads((root / path).read_bytes())["groups"]}
        for group in sorted(fresh, key=lambda entry: str(entry["group"])):
            old = stored.get(group["group"], {"tests": []})
            found += [f"{path}: {text}" for text in _compare_group(old, group)]
    return found


def _compare_group(old: Json, new: Json) -> Iterator[str]:
    if {**old, "tests": []} != {**new, "tests": []}:
        yield f"group {new['group']} differs"
    tests = {test["id"]: test for test in old["tests"]}
    for test in new["tests"]:
        if test != tests.pop(test["id"], None):
            yield f"test {test['id']} differs"
    for name in tests:
        yield f"test {name} is not built any more"
