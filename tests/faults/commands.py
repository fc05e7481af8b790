"""Commands that write something, each with what stood there before and what may stand there afterwards."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from processes import MARK

import posref
from posref.corpus import sweep_state
from posref.corpus.generate import build

Files = Mapping[str, bytes]

TEMPORARY = re.compile(r"\.[^/]+\.building-[0-9]+(\.old)?|[^/]+\.[0-9]+\.partial")
"""The names under which something is written before it stands where it belongs."""

BUILT = "rope.inv_freq"


@dataclass(frozen=True)
class Writer:
    """A command and the folder it writes into.

    `words` are its arguments, given the folder and a small corpus; `lay` puts the old result there; `whole`
    says whether what is found there is whole, given the old files, the new ones, and those found.
    """

    words: Callable[[Path, Path], list[str]]
    lay: Callable[[Path, Path], None]
    whole: Callable[[Files, Files, Files], bool]


def either(old: Files, new: Files, found: Files) -> bool:
    """Each file by itself is the old one or the new one."""
    kept = old.keys() <= found.keys() <= old.keys() | new.keys()
    return kept and all(data in (old.get(name), new.get(name)) for name, data in found.items())


def together(old: Files, new: Files, found: Files) -> bool:
    """All files are the old ones, or all are the new ones."""
    return found in (old, new)


def a_part(old: Files, new: Files, found: Files) -> bool:
    """The state of a sweep says of some units what a whole sweep says of them."""
    if not found:
        return True
    units, whole = (json.loads(files["state.json"])["units"] for files in (found, new))
    return found.keys() == new.keys() and all(whole[name] == tally for name, tally in units.items())


def corpus(folder: Path) -> None:
    """Build a corpus of two operations."""
    for name in ("positions.relative", BUILT):
        build(folder, operations=name)


def _lay_corpus(folder: Path, root: Path) -> None:
    build(folder / "v", operations="positions.relative")
    (folder / "v" / "README.md").write_text("By hand.\n")


def _lay_files(*names: str) -> Callable[[Path, Path], None]:
    def lay(folder: Path, root: Path) -> None:
        for name in names:
            (folder / name).write_text("old\n")

    return lay


def _lay_matrix(folder: Path, root: Path) -> None:
    """Put a matrix there that was made with another corpus."""
    old = {
        "format": "posref-matrix",
        "format_version": 1,
        "corpus": {"version": "0.0.1", "manifest_sha256": "0" * 64},
        "frameworks": [],
        "not_run": [],
    }
    (folder / "matrix.json").write_text(json.dumps(old))


def _building(jobs: int) -> Writer:
    return Writer(
        lambda folder, _: [
            "vectors",
            "build",
            f"--operation={BUILT}",
            f"--jobs={jobs}",
            f"--root={folder}/v",
        ],
        _lay_corpus,
        together,
    )


REPORTS = {"json": "report.json", "junit": "report.xml", "html": "report.html"}

WRITERS: Mapping[str, Writer] = {
    "build": _building(1),
    "build-two-jobs": _building(2),
    "export": Writer(
        lambda folder, root: [
            *("vectors", "export", "--to=jsonl", "--dtype=float32"),
            *(f"--root={root}", f"--output={folder}/vectors.jsonl"),
        ],
        _lay_files("vectors.jsonl"),
        together,
    ),
    "matrix": Writer(
        lambda folder, root: [
            *("matrix", "--adapter=founding", f"--root={root}", f"--output={folder}/matrix.json")
        ],
        _lay_matrix,
        together,
    ),
    "sweep": Writer(
        lambda folder, _: [
            *("sweep", "--dtype=float16", "--bases", "10000", "--widths", "2", "4"),
            *("--positions=40000", "--jobs=1", f"--state={folder}/state.json"),
        ],
        lambda folder, root: None,
        a_part,
    ),
    "report": Writer(
        lambda folder, root: [
            *("check", "reference", f"--root={root}", "--dtype=float32"),
            *(f"--{form}={folder}/{name}" for form, name in REPORTS.items()),
        ],
        _lay_files(*REPORTS.values()),
        either,
    ),
}


def fresh(writer: Writer, folder: Path, root: Path) -> Files:
    """Empty a folder, put the old result there and return it."""
    made = folder.with_name(f"{folder.name}-old")
    if not made.exists():
        made.mkdir()
        writer.lay(made, root)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(made, folder)
    return results(folder)


def results(folder: Path) -> Files:
    """Return the files of a folder that are not temporary."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {
        name: path.read_bytes()
        for name, path in files.items()
        if not any(TEMPORARY.fullmatch(part) for part in name.split("/"))
    }


def temporary(folder: Path) -> list[str]:
    """Return what is temporary in a folder."""
    return sorted(path.name for path in folder.rglob("*") if TEMPORARY.fullmatch(path.name))


def environment(mark: str = "") -> dict[str, str]:
    """Return an environment in which a child finds this very package."""
    return {**os.environ, "PYTHONPATH": str(Path(posref.__file__).parents[1]), MARK: mark}


def run(words: list[str], *before: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run posref to its end; `before` are the words of a program that runs it."""
    return subprocess.run(
        [*(before or (sys.executable, "-m", "posref")), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(),
        cwd=cwd,
        timeout=300,
        check=False,
    )


def start(words: list[str], mark: str, **more: Any) -> subprocess.Popen[bytes]:
    """Start posref, as the leader of a group, with a mark in its environment."""
    return subprocess.Popen(
        [sys.executable, "-m", "posref", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(mark),
        start_new_session=True,
        **more,
    )


def states(folder: Path) -> list[int]:
    """Return how many units each state file of a sweep has; reading one that is not whole is an error."""
    return [len(sweep_state.read(path)) for path in folder.glob("state.json")]
