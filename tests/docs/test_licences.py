"""Whatever the site carries has its licence in the list."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import posref

ROOT = Path(__file__).parents[2]
LIST = ROOT / "LICENSES.md"
OWN = ("posref.css", "instrument.css", "formulas.js", "numbers.js", "check", "explorer")


def named():
    """Return the files and globs that the list names, each as the last part of its path."""
    return {name.strip("/").split("/")[-1] for name in re.findall(r"`([\w./*-]+)`", LIST.read_text("utf-8"))}


def test_every_file_of_others_on_the_site_is_listed(site):
    globs = named()
    static = site / "_static"
    unlisted = [
        path.name
        for path in static.iterdir()
        if path.name not in (*OWN, "scripts", "styles")
        and not any(fnmatchcase(path.name, glob) for glob in globs)
    ]
    assert unlisted == []
    themed = [path.name for folder in ("scripts", "styles") for path in (static / folder).iterdir()]
    assert [name for name in themed if not name.startswith("furo")] == []


def test_our_own_files_are_sources():
    sources = {path.name for path in (ROOT / "docs" / "_static").iterdir()}
    assert set(OWN) <= sources


def test_the_package_carries_nothing_of_others():
    package = Path(posref.__file__).parent
    assert {path.suffix for path in package.rglob("*") if path.is_file()} <= {
        ".py",
        ".pyc",
        ".json",
        ".md",
        ".h",
        ".typed",
        ".css",
        ".html",
        ".js",
    }
