"""Make a release of the commit that is checked out, or say why it is none; ``.ci/release`` runs it.

``--check`` asks the questions and writes nothing. Everything that is written lies in ``dist/``: the wheel,
the source archive, the vectors as one archive, and ``SHA256SUMS`` over them; one commit gives the same bytes.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = re.compile(r"^### Numbers\n+(\S.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)


def run(*command: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command in the checkout and capture what it prints."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **options)


def git(*arguments: str) -> str:
    """Return what git prints, or raise."""
    done = run("git", *arguments)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"git {arguments[0]} failed")
    return done.stdout.strip()


def found(pattern: str, path: str) -> str:
    """Return the first group of `pattern` in a file of the checkout, or "nothing"."""
    match = re.search(pattern, (ROOT / path).read_text("utf-8"), re.MULTILINE)
    return match[1] if match else "nothing"


def version() -> str:
    """Return the version of the package."""
    return found(r'^__version__ = "(.+)"', "posref/__init__.py")


def section() -> str:
    """Return the changelog's section of this version, or the empty text."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    match = re.search(
        rf"^## {re.escape(version())}(?: [^\n]*)?$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    return match[1] if match else ""


def last_release() -> str | None:
    """Return the newest tag before this commit's own, or None."""
    tags = git("tag", "--merged", "HEAD", "--sort=-creatordate", "--list", "v*").split()
    return next((tag for tag in tags if tag != f"v{version()}"), None)


def clean() -> Iterator[str]:
    """Ask for a tree without anything that is not in the commit."""
    if changes := git("status", "--porcelain"):
        yield f"the tree is dirty:\n{changes}"


def versions() -> Iterator[str]:
    """Ask for one version everywhere."""
    manifest = json.loads((ROOT / "vectors" / "manifest.json").read_text("utf-8"))
    said = {
        "CITATION.cff": found(r"^version: (.+)$", "CITATION.cff"),
        "vectors/manifest.json": manifest["generator"]["posref"],
    }
    for path, other in said.items():
        if other != version():
            yield f"posref is {version()} and {path} says {other}"
    if not re.search(rf"^## {re.escape(manifest['corpus_version'])}\b", vectors_changelog(), re.MULTILINE):
        yield f"vectors/CHANGELOG.md has no section for {manifest['corpus_version']}"


def vectors_changelog() -> str:
    """Return the changelog of the vectors."""
    return (ROOT / "vectors" / "CHANGELOG.md").read_text("utf-8")


def changelog() -> Iterator[str]:
    """Ask for a section of this version, with what became of the numbers."""
    if not section():
        yield f"CHANGELOG.md has no section for {version()}"
    elif not NUMBERS.search(section()):
        yield f"CHANGELOG.md says nothing under Numbers for {version()}"


def changed_vectors() -> Iterator[str]:
    """Ask that every changed identifier is named, and that the corpus version rose by enough."""
    tag = last_release()
    if tag is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "old.tar"
        git("archive", "--output", str(archive), tag, "vectors")
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
        done = run(sys.executable, "-m", "posref", "vectors", "diff", f"{folder}/vectors", "vectors")
    if done.returncode:
        lines = (done.stdout + done.stderr).splitlines()
        problems = [line.removeprefix("problem: ") for line in lines if line.startswith("problem: ")]
        yield f"the vectors changed since {tag}: " + "; ".join(problems or lines[-3:])


def stored_vectors() -> Iterator[str]:
    """Ask that the stored vectors are what is built."""
    for command in (["lint"], ["verify"]):
        done = run(sys.executable, "-m", "posref", "vectors", *command)
        if done.returncode:
            yield f"posref vectors {command[0]}: {(done.stdout + done.stderr).strip()}"


QUESTIONS: tuple[Callable[[], Iterator[str]], ...] = (
    clean, versions, changelog, changed_vectors, stored_vectors,
)  # fmt: skip


def vector_archive(target: Path) -> None:
    """Write the vectors and their licence as one uncompressed archive: sorted, without dates or owners."""
    name = target.stem

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.mtime, entry.mode, entry.uid, entry.gid = 0, 0o644, 0, 0
        entry.uname = entry.gname = ""
        return entry

    paths = git("ls-files", "-z", "vectors").rstrip("\0").split("\0")
    with tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(paths):
            tar.add(ROOT / path, f"{name}/{path.removeprefix('vectors/')}", filter=plain)


def packages(folder: Path) -> None:
    """Build source archive and wheel, dated like the commit."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": git("log", "-1", "--format=%ct")}
    done = run(sys.executable, "-m", "build", "--outdir", str(folder), env=environment)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)


def sums(folder: Path) -> str:
    """Return the lines of ``SHA256SUMS``."""
    files = sorted(path for path in folder.iterdir() if path.name != "SHA256SUMS")
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def make(folder: Path) -> str:
    """Write the release into a new folder, which takes its name only when everything is in it."""
    if folder.exists():
        raise RuntimeError(f"{folder} is there already")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as made:
        whole = Path(made) / folder.name
        whole.mkdir()
        packages(whole)
        vector_archive(whole / f"posref-vectors-{version()}.tar")
        text = sums(whole)
        (whole / "SHA256SUMS").write_text(text, "utf-8")
        whole.rename(folder)
    return text


def main() -> int:
    """Ask every question; with no complaint write the release. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only ask whether this commit can be released")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="FOLDER")
    arguments = parser.parse_args()
    complaints = [complaint for question in QUESTIONS for complaint in question()]
    for complaint in complaints:
        print(f"release: {complaint}", file=sys.stderr)
    if complaints:
        return 1
    print(f"posref {version()} can be released; the last release is {last_release() or 'none'}")
    if not arguments.check:
        print(make(arguments.output.resolve()), end="")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:
        sys.exit(f"release: {error}")
