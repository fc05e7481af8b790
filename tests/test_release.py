"""What may be released: each reason against it is found in a scratch copy; archives are the same bytes."""

import importlib.util
import shutil
import subprocess
import tarfile
from pathlib import Path
from types import ModuleType

import pytest
from small_corpus import RELATIVE, Small, counted, documents, hashed

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / ".ci" / "release.py"
IDENTITY = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false")


def commit(folder: Path, tag: str = "") -> None:
    """Commit everything in the scratch copy, and tag it."""
    for command in (
        ["add", "--all"],
        ["commit", "--quiet", "--message", "x"],
        *([["tag", tag]] if tag else []),
    ):
        subprocess.run(["git", *IDENTITY, *command], cwd=folder, check=True, capture_output=True)


def replace(path: Path, old: str, new: str) -> None:
    """Change a text that is there."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scratch repository whose one commit can be released."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    if not SCRIPT.is_file():
        pytest.skip("the release script is not part of the source archive")
    folder = tmp_path_factory.mktemp("original") / "tree"
    for name in ("posref", "vectors", "spec", ".ci"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("CHANGELOG.md", "CITATION.cff", "README.md", "LICENSE", "pyproject.toml", ".gitignore"):
        shutil.copyfile(ROOT / name, folder / name)
    replace(folder / "CHANGELOG.md", "## Unreleased", "## 0.1.0 (2026-01-01)")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    commit(folder)
    return folder


@pytest.fixture
def release(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, at work on a copy of the scratch repository."""
    spec = importlib.util.spec_from_file_location("release", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tree = tmp_path / "tree"
    shutil.copytree(original, tree)
    monkeypatch.setattr(module, "ROOT", tree)
    monkeypatch.setenv("PYTHONPATH", str(tree))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    return module


def complaints(release: ModuleType) -> str:
    """Return what the quick questions find."""
    quick = [question for question in release.QUESTIONS if question is not release.stored_vectors]
    assert len(quick) == len(release.QUESTIONS) - 1
    return "\n".join(complaint for question in quick for complaint in question())


def small_vectors(tree: Path, changelog: str, *, corrected: bool) -> None:
    """Put a small corpus in the place of the vectors, with one expected value corrected or not."""
    shutil.rmtree(tree / "vectors", ignore_errors=True)
    content = hashed(documents())
    if corrected:
        test = content[RELATIVE]["groups"][0]["tests"][0]
        test["expected"]["relative_position"]["int64"]["data"] = [[-1, 2]]
    (tree / "vectors").mkdir()
    (tree / "vectors" / "CHANGELOG.md").write_text(changelog, "utf-8")
    small = Small(tree / "vectors", hashed(content), counted(content))
    small.write("0.1.1" if corrected else "0.1.0")
    replace(small.root / "manifest.json", '{"hand": "1"}', '{"posref": "0.1.0"}')


def test_a_commit_that_can_be_released(release):
    assert complaints(release) == ""


def test_a_dirty_tree(release):
    (release.ROOT / "new.txt").write_text("new", "utf-8")
    assert "the tree is dirty" in complaints(release)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("CITATION.cff", "version: 0.1.0", "version: 0.1.1"),
        ("posref/__init__.py", '__version__ = "0.1.0"', '__version__ = "0.2.0"'),
        ("vectors/manifest.json", '"posref": "0.1.0"', '"posref": "0.0.9"'),
    ],
)
def test_versions_that_disagree(release, path, old, new):
    replace(release.ROOT / path, old, new)
    commit(release.ROOT)
    assert " says " in complaints(release)


def test_a_version_without_a_section_in_the_changelog(release):
    replace(release.ROOT / "CHANGELOG.md", "## 0.1.0", "## Unreleased")
    commit(release.ROOT)
    assert "CHANGELOG.md has no section for 0.1.0" in complaints(release)


def test_a_section_that_does_not_speak_of_numbers(release):
    replace(release.ROOT / "CHANGELOG.md", "### Numbers", "### Figures")
    commit(release.ROOT)
    assert "says nothing under Numbers" in complaints(release)


def test_vectors_without_a_section_in_their_changelog(release):
    replace(release.ROOT / "vectors" / "CHANGELOG.md", "## 0.1.0", "## 0.0.1")
    commit(release.ROOT)
    assert "vectors/CHANGELOG.md has no section for 0.1.0" in complaints(release)


@pytest.mark.parametrize(
    ("changelog", "complaint"),
    [
        ("## 0.1.1\n\n- `small-relative`: was wrong\n", ""),
        ("## 0.1.1\n\nNothing.\n", "CHANGELOG.md does not name small-relative under 0.1.1"),
    ],
)
def test_a_changed_value_that_the_changelog_does_not_name(release, changelog, complaint):
    small_vectors(release.ROOT, "## 0.1.0\n", corrected=False)
    commit(release.ROOT, "v0.0.9")
    small_vectors(release.ROOT, changelog, corrected=True)
    commit(release.ROOT)
    assert release.last_release() == "v0.0.9"
    if complaint:
        assert complaints(release) == f"the vectors changed since v0.0.9: {complaint}"
    else:
        assert complaints(release) == ""


def test_vectors_that_are_not_what_is_built(release):
    replace(release.ROOT / "vectors" / "core" / "alibi" / "slopes.json", '"residual"', '"residuum"')
    assert "posref vectors lint: " in next(release.stored_vectors())


def test_the_archive_of_vectors_is_the_same_bytes_and_holds_every_file(release, tmp_path):
    names = "posref-vectors-1.tar"
    made = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        release.vector_archive(tmp_path / folder / names)
        made.append((tmp_path / folder / names).read_bytes())
        (release.ROOT / "vectors" / "README.md").touch()
        (release.ROOT / "vectors" / "README.md").chmod(0o600)
    assert made[0] == made[1]
    with tarfile.open(tmp_path / "one" / names) as tar:
        held = {entry.name: tar.extractfile(entry).read() for entry in tar.getmembers()}
    vectors = release.ROOT / "vectors"
    files = [path for path in vectors.rglob("*") if path.is_file()]
    assert held == {f"posref-vectors-1/{path.relative_to(vectors)}": path.read_bytes() for path in files}


def test_an_output_folder_that_exists_is_left_alone(release, tmp_path):
    (tmp_path / "dist").mkdir()
    with pytest.raises(RuntimeError, match="is there already"):
        release.make(tmp_path / "dist")
    assert list((tmp_path / "dist").iterdir()) == []


def test_a_build_that_fails_leaves_nothing(release, tmp_path):
    (release.ROOT / "pyproject.toml").write_text("[build-system]\nrequires = 1\n", "utf-8")
    with pytest.raises(RuntimeError):
        release.make(tmp_path / "dist")
    assert [path.name for path in tmp_path.iterdir()] == ["tree"]
