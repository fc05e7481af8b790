"""What a process that is no more has left is removed or put back; one that is told to end leaves nothing."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import corpus, environment, results, temporary
from heeding import HEEDING

from posref.corpus import ending, load_vectors, swap
from posref.corpus.generate import build
from posref.corpus.writing import check_writable, write_text


def dead() -> int:
    """Return the number of a process that is no more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    return process.pid


class TestFiles:
    def test_of_a_dead_writer_are_removed(self, tmp_path: Path) -> None:
        name = "report [1].json"
        for process in (dead(), 10**30):
            (tmp_path / f"{name}.{process}.partial").write_text("half")
        write_text(tmp_path / name, "whole")
        assert [path.name for path in tmp_path.iterdir()] == [name]
        assert (tmp_path / name).read_text() == "whole"

    def test_are_removed_where_it_is_only_looked(self, tmp_path: Path) -> None:
        (tmp_path / f"a.{dead()}.partial").write_text("half")
        check_writable(tmp_path / "a")
        assert list(tmp_path.iterdir()) == []

    def test_of_others_stay(self, tmp_path: Path) -> None:
        """What a running process writes, what belongs to another file, and what has a similar name."""
        others = (f"a.{os.getppid()}.partial", f"ab.{dead()}.partial", "a.x.partial", f"a.{dead()}.partial~")
        for name in others:
            (tmp_path / name).write_text("theirs")
        write_text(tmp_path / "a", "whole")
        assert {path.name for path in tmp_path.iterdir()} == {"a", *others}

    def test_of_an_earlier_process_of_the_same_number_do_not_matter(self, tmp_path: Path) -> None:
        """In a container the numbers come again."""
        (tmp_path / f"a.{os.getpid()}.partial").write_text("half")
        check_writable(tmp_path / "a")
        (tmp_path / f"a.{os.getpid()}.partial").write_text("half")
        write_text(tmp_path / "a", "whole")
        assert [path.name for path in tmp_path.iterdir()] == ["a"]


class TestCorpora:
    @pytest.mark.parametrize("own", [False, True])
    def test_killed_between_two_steps_it_is_put_back(self, own: bool, tmp_path: Path) -> None:
        root = tmp_path / "v [1]"
        corpus(root)
        before = results(root)
        half = tmp_path / f".v [1].building-{os.getpid() if own else dead()}"
        shutil.copytree(root, half)
        (half / "manifest.json").unlink()
        root.rename(tmp_path / f"{half.name}.old")
        with swap.building(root):
            assert results(root) == before
        build(root, operations="positions.relative")
        assert results(root) == before
        load_vectors(root)
        assert [path.name for path in tmp_path.iterdir()] == ["v [1]"]

    def test_killed_after_both_the_old_one_goes(self, tmp_path: Path) -> None:
        root = tmp_path / "v"
        corpus(root)
        before = results(root)
        shutil.copytree(root, tmp_path / f".v.building-{dead()}.old")
        with swap.building(root):
            assert results(root) == before
        assert [path.name for path in tmp_path.iterdir()] == ["v"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_build_that_is_told_to_end_leaves_nothing(number: int, jobs: int, tmp_path: Path) -> None:
    script, folder = tmp_path / "script.py", tmp_path / "folder"
    script.write_text(HEEDING)
    words = ["vectors", "build", "--operation=rope.inv_freq", f"--jobs={jobs}", f"--root={folder / 'v'}"]
    process = subprocess.Popen(
        [sys.executable, str(script), *words], env=environment(), stderr=subprocess.PIPE, text=True
    )
    while not folder.exists() or not temporary(folder):
        assert process.poll() is None
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == (130 if number == signal.SIGINT else -number), stderr
    assert "Traceback" not in stderr
    assert list(folder.iterdir()) == []


def test_signals_are_as_they_were() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)]
    with ending.heeded():
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)] == before


def test_a_signal_that_is_handled_stays_so() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with ending.heeded():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
