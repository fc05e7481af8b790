"""What posref needs: NumPy and nothing else at run time; pinned and hashed packages elsewhere."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PINNED = ROOT / ".ci" / "requirements"
ENTRY = re.compile(r"^([a-zA-Z0-9._-]+)==(\S+)(.*(?:\n    .*)*)", re.MULTILINE)

ALONE = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in {"posref", "numpy"} and top not in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Nothing())
"""

IMPORTS = """
import importlib, pkgutil, posref
for module in pkgutil.walk_packages(posref.__path__, "posref.", onerror=lambda name: None):
    try:
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    except ImportError as error:
        print(module.name, error.name or error.__cause__.name)
"""


def alone(code):
    """Run code where nothing but the standard library, NumPy and posref can be imported."""
    return subprocess.run(
        [sys.executable, "-c", ALONE + code], cwd=ROOT, capture_output=True, text=True, check=False
    )


def declared(extra):
    """Return the names that an extra of the package asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        re.split(r"[^\w.-]", text)[0].lower().replace("_", "-")
        for text in project["optional-dependencies"][extra]
    }


def test_the_declared_dependency_is_numpy():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["dependencies"] == ["numpy>=2.0"]


def test_the_installed_metadata_asks_for_numpy_alone():
    try:
        requires = importlib.metadata.requires("posref") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("posref is not installed, it runs from the checkout")
    assert [text for text in requires if "extra ==" not in text] == ["numpy>=2.0"]


def test_modules_that_need_more_are_those_whose_extra_says_so():
    done = alone(IMPORTS)
    assert done.returncode == 0, done.stderr
    needed = dict(line.split() for line in done.stdout.splitlines())
    engines = {"posref.corpus.engine_arb": "flint", "posref.corpus.engine_mpmath": "mpmath"}
    assert engines.items() <= needed.items()
    others = {name.split(".")[1] for name in needed.keys() - engines.keys()}
    assert others <= {"adapters", "testing", "pytest_plugin"}


def test_the_judge_works_with_numpy_alone():
    done = alone(
        "from posref.cli import main; sys.exit(main(['check', 'reference', '--operation', 'alibi.*']))"
    )
    assert done.returncode == 0, done.stderr
    assert " failed=0 errors=0 " in done.stdout


def test_a_missing_package_would_be_seen():
    assert "No module named 'mpmath'" in alone("import mpmath").stderr


@pytest.mark.parametrize(("name", "extras"), [("test", ["test", "lint"]), ("docs", ["docs", "test"])])
def test_the_pinned_environment_holds_what_is_declared_each_with_hashes(name, extras):
    if not PINNED.is_dir():
        pytest.skip("the pinned environments are not part of the source archive")
    text = (PINNED / f"{name}.txt").read_text("utf-8")
    entries = {found[1].lower().replace("_", "-"): found[3] for found in ENTRY.finditer(text)}
    assert {wanted for extra in extras for wanted in declared(extra)} <= entries.keys()
    assert [entry for entry, rest in entries.items() if "--hash=sha256:" not in rest] == []
    assert not re.search(r"^[^#\n]*(https?:|file:|--(extra-)?index|--find-links)", text, re.MULTILINE)
