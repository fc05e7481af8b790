"""Where nothing more can be written: one line that says what and why, exit code 2, nothing half-written."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from commands import WRITERS, Files, environment, fresh, results, run, temporary

LIMITED = (sys.executable, str(Path(__file__).with_name("limited.py")))
SIZES = (0, 100, 200)
"""Bytes at which files end; each result has more in one of its files."""

FULL = Path("/dev/full")


def refused(done: subprocess.CompletedProcess[str], name: str, why: str) -> None:
    """Check what a command says that could not write."""
    lines = done.stderr.splitlines()
    assert done.returncode == 2
    assert len(lines) == (3 if name == "report" else 1), done.stderr
    for line in lines:
        assert line.startswith("posref")
        assert line.endswith(f" cannot be written: {why}")
        assert "partial" not in line
        assert "building" not in line


def kept(old: Files, folder: Path) -> None:
    assert results(folder) == old
    assert temporary(folder) == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_may_not_grow(name: str, size: int, tmp_path: Path, root: Path) -> None:
    folder = tmp_path / "target"
    old = fresh(WRITERS[name], folder, root)
    done = run(WRITERS[name].words(folder, root), *LIMITED, str(size))
    refused(done, name, "File too large")
    kept(old, folder)


@pytest.mark.parametrize("size", [3000, 20000])
def test_a_corpus_that_may_not_grow_any_more(size: int, tmp_path: Path, root: Path) -> None:
    """The limit is met late: in a kept file, in a new one."""
    folder = tmp_path / "target"
    old = fresh(WRITERS["build"], folder, root)
    assert min(map(len, old.values())) < size < max(map(len, old.values()))
    refused(run(WRITERS["build"].words(folder, root), *LIMITED, str(size)), "build", "File too large")
    kept(old, folder)


@pytest.mark.parametrize("size", SIZES[1:])
def test_verify_leaves_nothing(
    size: int, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    done = run(["vectors", "verify", f"--root={root}", "--jobs=1"], *LIMITED, str(size))
    refused(done, "verify", "File too large")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system that has room for the old results and for little more."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "posref", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount")
    if done.returncode:
        pytest.skip(f"no file system may be mounted: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_that_is_full(name: str, small_disk: Path, root: Path) -> None:
    folder = small_disk / "target"
    old = fresh(WRITERS[name], folder, root)
    with (small_disk / "filler").open("wb", buffering=0) as stream, suppress(OSError):
        while stream.write(bytes(4096)):
            pass
    done = run(WRITERS[name].words(folder, root))
    refused(done, name, "No space left on device")
    kept(old, folder)


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("words", ["list", "explain rope.C1", "check reference --operation rope.matrix"])
def test_a_screen_that_takes_nothing(words: str) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "posref", *words.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "posref: [Errno 28] No space left on device\n"


def test_a_screen_that_is_closed() -> None:
    shell = ["sh", "-c", f"exec '{sys.executable}' -m posref list >&-"]
    done = subprocess.run(shell, stderr=subprocess.PIPE, text=True, env=environment(), check=False)
    assert (done.returncode, done.stderr) == (2, "posref: standard output is closed\n")
