"""Command lines: whatever the words and the files are, an exit code and one message, and no traceback."""

import contextlib
import io
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mutations
import numpy as np
import pytest
import small_roots
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kinds import EXPECTED, KINDS, PAIR, RUN_OF

import posref
from posref.cli import _parser, main
from posref.corpus import manifest

FEW, MANY = 100, 10_000
OPTIONS: dict[str, Any] = {
    "database": None,
    "print_blob": True,
    "suppress_health_check": list(HealthCheck),
}
LADDER = {"rotary_dim": 8, "base": 10000, "pairing": "adjacent"}


def said(words: list[str]) -> tuple[int, str]:
    """Return the exit code of a command line and what it says on standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("error")
        code = main(words)
    return code, err.getvalue()


def fit(words: list[str]) -> int:
    """Return the exit code of a command line that behaves as every one should."""
    code, err = said(words)
    assert code in (0, 1, 2), words
    assert "Traceback" not in err
    if code == 2:
        last = err.splitlines()[-1]
        assert last.startswith("posref"), err
        assert ": " in last
        assert len(err) < 20_000
    return code


# Words that are given in any order

WORDS = (
    "list", "show", "check", "judge", "explain", "resolve", "matrix", "sweep", "bench", "vectors", "build",
    "verify", "lint", "diff", "scan", "coverage", "confusion", "export", "--root", "--operation", "--dtype",
    "--claim", "--kind", "--layout", "--json", "--junit", "--html", "--xfail", "--strict", "--min-tests",
    "--cmd", "--wire", "--timeout", "--max-reply", "--results", "--params", "--inputs", "--output", "--to",
    "--seq-len", "--layer-type", "--layer-index", "--state", "--jobs", "--bases", "--widths", "--positions",
    "--pairs", "--sample", "--engine", "--rounds", "--tokens", "--work", "--adapter", "--version", "--help",
    "-h", "--", "-", "", " ", "reference", "rope.*", "rope.inv_freq", "rope.C5", "*", "[", "[z-a]", "**",
    "nan", "float32", "float64", "ulp:2", "faithful", "json", "flat", "npz", "value", "0", "1", "-1", "2",
    "3", "1e999", "NaN", "inf", "9" * 400, "9" * 5000, "0x10", "1_0", "\u0663", "1.5", "true", "/nonexistent",
    ".", "\ud800", "a\0b", "\x1b[31m", "@file", "--operation=", "--no-such", "a" * 5000,
)  # fmt: skip
RUN = ("list", "explain", "resolve", "judge", "vectors diff")
"""Commands that are short whatever they are given; of the others only the words are read."""


def parsed(words: list[str]) -> bool:
    """Return whether the words are a command line."""
    err = io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(err):
        try:
            _parser().parse_args(words)
            code = None
        except SystemExit as stop:
            code = stop.code
    assert code in (None, 0, 2), words
    return code is None


def check_words(words: list[str]) -> None:
    if parsed(words) and any(" ".join(words).startswith(command) for command in RUN):
        fit(words)


LINES = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=8),
    st.tuples(st.sampled_from(RUN), st.lists(st.sampled_from(WORDS), max_size=4)).map(
        lambda parts: [*parts[0].split(), *parts[1]]
    ),
    st.tuples(st.sampled_from(RUN), st.lists(st.text(max_size=20), max_size=4)).map(
        lambda parts: [*parts[0].split(), *parts[1]]
    ),
)


@settings(max_examples=200, derandomize=True, **OPTIONS)
@given(LINES)
def test_a_few_command_lines(words: list[str]) -> None:
    check_words(words)


@pytest.mark.full
@settings(max_examples=MANY, **OPTIONS)
@given(LINES)
def test_many_command_lines(words: list[str]) -> None:
    check_words(words)


# Files that commands are given


def judged(folder: Path, **given: bytes) -> list[str]:
    """Return the words that judge a right answer, some of its files replaced."""
    out = io.BytesIO()
    np.savez(out, posref.rope.inv_freq(rotary_dim=8, base=10000.0).astype(np.float32))
    files = {
        "params": json.dumps({"rotary_dim": 8, "base": 10000}).encode(),
        "output": out.getvalue(),
        **given,
    }
    words = ["judge", "rope.inv_freq"]
    for name, data in files.items():
        (folder / name).write_bytes(data)
        words += [f"--{name}", str(folder / name)]
    return words


def in_root(folder: Path, path: str, data: bytes) -> list[str]:
    small_roots.lay(folder, PAIR)
    (folder / path).write_bytes(data)
    return ["show", "rope-inv-freq-w12-b10000000", "--root", str(folder)]


def with_file(folder: Path, data: bytes, *words: str) -> list[str]:
    small_roots.lay(folder / "root", RUN_OF)
    (folder / "file").write_bytes(data)
    return [
        word.replace("ROOT", str(folder / "root")).replace("FILE", str(folder / "file")) for word in words
    ]


@pytest.fixture(scope="module")
def right() -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        judged(Path(folder))
        return {name: (Path(folder) / name).read_bytes() for name in ("params", "output")}


COMMANDS: dict[str, Callable[[Path, bytes], list[str]]] = {
    "vectors": lambda folder, data: in_root(folder, PAIR[0], data),
    "manifest": lambda folder, data: in_root(folder, manifest.MANIFEST, data),
    "results": lambda folder, data: with_file(
        folder, data, "check", "--results", "FILE", "--root", "ROOT", "--dtype", "float32"
    ),
    "config": lambda folder, data: with_file(folder, data, "resolve", "FILE"),
    "known-failures": lambda folder, data: with_file(
        folder, data, "check", "reference", "--root", "ROOT", "--dtype", "float32", "--xfail", "FILE"
    ),
    "params": lambda folder, data: judged(folder, params=data),
    "output": lambda folder, data: judged(folder, output=data),
    "sweep-state": lambda folder, data: with_file(
        folder, data, "sweep", "--dtype", "float32", "--bases", "10000", "--widths", "4", "--positions", "4",
        "--jobs", "1", "--state", "FILE",
    ),
}  # fmt: skip


def good(kind: str, right: dict[str, bytes]) -> bytes:
    if kind in right:
        return right[kind]
    own = {"vectors": small_roots.cut(PAIR[0]), "known-failures": EXPECTED}
    return own[kind] if kind in own else KINDS[kind].good()[0]


def damaged(kind: str, data: bytes) -> mutations.Strategy:
    if kind in KINDS:
        return KINDS[kind].damaged(data)
    return mutations.bytes_of(data) if kind == "output" else mutations.json_file(data)


def fuzzed(kind: str, data: bytes, examples: int) -> None:
    @settings(max_examples=examples, derandomize=examples == FEW, **OPTIONS)
    @given(damaged(kind, data))
    def run(bad: bytes) -> None:
        with TemporaryDirectory() as folder:
            code = fit(COMMANDS[kind](Path(folder), bad))
            if kind == "vectors" and bad != data:
                assert code == 2
            if kind == "params" and code == 0:
                assert same(json.loads(bad), json.loads(data))

    run()


def same(one: Any, other: Any) -> bool:
    return bool(one == other)


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_few_files(kind: str, right: dict[str, bytes]) -> None:
    with TemporaryDirectory() as folder:
        assert fit(COMMANDS[kind](Path(folder), good(kind, right))) in (0, 1)
    fuzzed(kind, good(kind, right), FEW)


@pytest.mark.full
@pytest.mark.parametrize("kind", COMMANDS)
def test_many_files(kind: str, right: dict[str, bytes]) -> None:
    fuzzed(kind, good(kind, right), MANY if kind == "params" else MANY // 10)
