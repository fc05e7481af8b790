"""Places where nothing can be written, or where something else stands: refused before any work is done."""

import subprocess
import sys
from pathlib import Path

import pytest
from commands import WRITERS, corpus, fresh, results, run, temporary

from posref.corpus import manifest
from posref.corpus.generate import build

PLACES = {
    "a file where a folder must be": "Not a directory",
    "no such folder": "No such file or directory",
    "a file system that takes no files": "No such file or directory",
}


def said(stderr: str) -> str:
    lines = stderr.splitlines()
    assert len(lines) == 1, stderr
    assert lines[0].startswith("posref")
    return lines[0]


def place(what: str, folder: Path) -> Path:
    """Return a place of a kind, where nothing can be written."""
    (folder / "file").write_text("old\n")
    if what == "a file system that takes no files":
        if not Path("/proc/self").exists():
            pytest.skip("this system has no /proc")
        return Path("/proc")
    return folder / ("file" if what == "a file where a folder must be" else "absent")


@pytest.mark.parametrize("name", [name for name in WRITERS if not name.startswith("build")])
@pytest.mark.parametrize("what", PLACES)
def test_no_place(name: str, what: str, tmp_path: Path, root: Path) -> None:
    done = run(WRITERS[name].words(place(what, tmp_path), root))
    assert done.returncode == 2
    assert said(done.stderr).endswith(f" cannot be written: {PLACES[what]}")
    assert results(tmp_path) == {"file": b"old\n"}


@pytest.mark.parametrize("what", ["a file where a folder must be", "a file system that takes no files"])
def test_no_place_for_a_corpus(what: str, tmp_path: Path) -> None:
    root = place(what, tmp_path) / "v"
    done = run(["vectors", "build", "--operation=rope.inv_freq", f"--root={root}"])
    assert done.returncode == 2
    assert said(done.stderr).startswith(f"posref: {root} cannot be written: ")
    assert results(tmp_path) == {"file": b"old\n"}


@pytest.fixture
def read_only() -> list[str]:
    """The words of a program that runs another where a folder is read-only: ``[*these, FOLDER, WORD...]``."""
    script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'
    found = ["unshare", "--mount", "sh", "-c", script, "sh"]
    try:
        done = subprocess.run([*found, "/usr", "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no unshare")
    if done.returncode:
        pytest.skip(f"no folder can be made read-only: {done.stderr.strip()}")
    return found


@pytest.mark.parametrize("name", WRITERS)
def test_a_read_only_folder(name: str, read_only: list[str], tmp_path: Path, root: Path) -> None:
    folder = tmp_path / "target"
    old = fresh(WRITERS[name], folder, root)
    words = WRITERS[name].words(folder, root)
    done = run(words, *read_only, str(tmp_path), sys.executable, "-m", "posref")
    assert done.returncode == 2
    assert said(done.stderr).endswith(" cannot be written: Read-only file system")
    assert results(folder) == old
    assert temporary(folder) == []


class TestNoCorpus:
    """A build takes the place of a whole folder; one that holds anything else is left alone."""

    def refused(self, folder: Path, why: str, *, cwd: Path | None = None, root: str | None = None) -> None:
        before = {path.relative_to(folder) for path in folder.rglob("*")}
        inode = folder.stat().st_ino
        words = ["vectors", "build", "--operation=positions.relative"]
        done = run([*words, f"--root={folder if root is None else root}"], cwd=cwd)
        assert done.returncode == 2
        assert why in said(done.stderr)
        assert {path.relative_to(folder) for path in folder.rglob("*")} == before
        assert folder.stat().st_ino == inode

    def test_a_project(self, tmp_path: Path) -> None:
        for name in (".git", "src"):
            (tmp_path / name).mkdir()
        (tmp_path / "run").write_text("#!/bin/sh\n")
        self.refused(tmp_path, f"{tmp_path} is neither empty nor a corpus, it has no manifest.json")

    @pytest.mark.parametrize("root", [".", "", "core/.."])
    def test_the_working_folder(self, root: str, tmp_path: Path) -> None:
        (tmp_path / "core").mkdir()
        (tmp_path / "core" / "main.c").write_text("int main;\n")
        self.refused(tmp_path, "is neither empty nor a corpus", cwd=tmp_path, root=root)

    def test_a_corpus_that_is_a_repository(self, tmp_path: Path) -> None:
        corpus(tmp_path)
        (tmp_path / ".git").mkdir()
        self.refused(tmp_path, f"{tmp_path} is more than a corpus, it has a folder .git")

    def test_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "v").write_text("old\n")
        with pytest.raises(ValueError, match="v is no folder"):
            build(tmp_path / "v", operations="positions.relative")
        assert results(tmp_path) == {"v": b"old\n"}

    @pytest.mark.parametrize("names", [(), manifest.BY_HAND])
    def test_what_is_kept_by_hand_is_a_start(self, names: tuple[str, ...], tmp_path: Path) -> None:
        for name in names:
            (tmp_path / name).write_text("By hand.\n")
        build(tmp_path, operations="positions.relative")
        found = results(tmp_path)
        assert {name: found[name] for name in names} == dict.fromkeys(names, b"By hand.\n")
        assert manifest.MANIFEST in found

    def test_hand_kept_files_stay_as_they_are(self, tmp_path: Path) -> None:
        corpus(tmp_path)
        (tmp_path / "LICENSE").write_text("By hand.\n")
        (tmp_path / "tool").write_text("#!/bin/sh\n")
        (tmp_path / "tool").chmod(0o755)
        build(tmp_path, operations="positions.relative")
        assert (tmp_path / "LICENSE").read_text() == "By hand.\n"
        assert (tmp_path / "tool").stat().st_mode & 0o777 == 0o755

    def test_from_within(self, tmp_path: Path) -> None:
        corpus(tmp_path)
        before = results(tmp_path)
        done = run(["vectors", "build", "--operation=positions.relative", "--root=."], cwd=tmp_path)
        assert done.returncode == 0
        assert done.stdout.startswith(f"{tmp_path}: corpus ")
        assert results(tmp_path) == before
