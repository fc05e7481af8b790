"""Programs that read the vectors themselves, in five languages: the honest pass, the twins are caught."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from consumers import test_consumers
from consumers.test_consumers import HERE, VECTORS, check_named, compiled, judged, tool

from posref.cli import main

Build = Callable[..., Path]
build, header = test_consumers.build, test_consumers.header  # fixtures
COUNTS = re.compile(r"^(\d+) right, (\d+) wrong, (\d+) skipped$")

CXX = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", "-ffp-contract=off")
OFFERED = ("rope.apply", "alibi.slopes", "positions.relative")
READERS = {
    "python": (20, "sinusoidal-encode-"),
    "c": (100, "rope-apply-"),
    "cpp": (80, "rope-apply-"),
    "javascript": (400, "rope-apply-"),
    "rust": (150, "alibi-slopes-"),
}
"""How many cases each gets right at least, and how a case begins that the twin gets wrong."""


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The flat export that the readers in C++ and Rust are for."""
    file = tmp_path_factory.mktemp("export") / "vectors.flat"
    globs = [word for name in OFFERED for word in ("--operation", name)]
    assert (
        main(["vectors", "export", "--to", "flat", "--dtype", "float32", *globs, "--output", str(file)]) == 0
    )
    return file


@pytest.fixture
def command(build: Build, header: Path, export: Path, tmp_path: Path) -> Callable[[str, bool], list[object]]:
    """Make the command line of a reader or of its twin."""

    def made(language: str, wrong: bool) -> list[object]:
        twin = ["--wrong"] if wrong else []
        if language == "c":
            program = compiled(
                build, HERE / "c/header.c", "-O2", "-ffp-contract=off", f"-I{header}", wrong=wrong
            )
            return [program, tmp_path / "results.jsonl"]
        if language == "cpp":
            flags = ["-DWRONG_BASE"] if wrong else []
            return [build("g++", *CXX, *flags, HERE / "cpp/vectors.cpp"), export, tmp_path / "results.jsonl"]
        if language == "rust":
            words = ("--edition", "2021", "-D", "warnings", "-O", HERE / "rust/vectors.rs")
            return [build("rustc", *words), export, *twin]
        if language == "javascript":
            return [tool("node"), HERE / "javascript/vectors.mjs", VECTORS, *twin]
        return [sys.executable, "-I", HERE / "python/vectors.py", VECTORS, *twin]

    return made


@pytest.mark.parametrize("wrong", [False, True], ids=["honest", "twin"])
@pytest.mark.parametrize("language", READERS)
def test_a_reader_compares_by_itself(
    command: Callable[[str, bool], list[object]], language: str, wrong: bool
) -> None:
    least, case = READERS[language]
    done = subprocess.run(command(language, wrong), capture_output=True, text=True, check=False)
    assert done.returncode == int(wrong), done.stdout + done.stderr
    *lines, last = done.stdout.splitlines()
    right, failed, _ = map(int, COUNTS.match(last).groups())
    assert failed == len(lines)
    assert bool(failed) == wrong
    assert all(line.startswith("wrong: ") for line in lines)
    if wrong:
        assert any(line.startswith(f"wrong: {case}") for line in lines)
    else:
        assert right >= least


@pytest.mark.parametrize("wrong", [False, True], ids=["honest", "twin"])
def test_what_the_reader_in_cxx_brings_back(
    command: Callable[[str, bool], list[object]], tmp_path: Path, wrong: bool
) -> None:
    """The judge agrees with the program's own comparison, case by case, and names the planted mistake."""
    done = subprocess.run(command("cpp", wrong), capture_output=True, text=True, check=False)
    words = ("--results", str(tmp_path / "results.jsonl"), "--kind", "value")
    code, found, diagnoses = judged(tmp_path / "report", *words)
    assert code == int(wrong)
    failed = {entry["case_id"] for name in OFFERED for entry in found[name] if entry["verdict"] == "fail"}
    assert failed == {line.removeprefix("wrong: ") for line in done.stdout.splitlines()[:-1]}
    if wrong:
        check_named(diagnoses["rope.apply"], "base-10000")
    else:
        assert diagnoses == {}


def test_a_reader_refuses_an_export_of_another_dtype(build: Build, tmp_path: Path) -> None:
    program = build("g++", *CXX, HERE / "cpp/vectors.cpp")
    words = ["--to", "flat", "--dtype", "bfloat16", "--operation", "alibi.slopes"]
    assert main(["vectors", "export", *words, "--output", str(tmp_path / "export")]) == 0
    done = subprocess.run(
        [program, tmp_path / "export", tmp_path / "results"], capture_output=True, check=False
    )
    assert done.returncode == 2
