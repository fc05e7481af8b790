"""The site, built once for all tests of this folder."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from devtools import Chromium
from needed import tool, unavailable

ROOT = Path(__file__).parents[2]
NEEDED = {
    "sphinx": "sphinx",
    "furo": "furo",
    "myst_parser": "myst-parser",
    "numpydoc": "numpydoc",
    "sphinx_copybutton": "sphinx-copybutton",
    "sphinx_design": "sphinx-design",
    "sphinx_proof": "sphinx-proof",
    "sphinxcontrib.bibtex": "sphinxcontrib-bibtex",
    "sphinx-mathjax-offline": "sphinx-mathjax-offline",
    "matplotlib": "matplotlib",
}


def missing() -> list[str]:
    """Return the packages of the docs extra that are not installed."""
    absent = []
    for module, package in NEEDED.items():
        try:
            if importlib.util.find_spec(module) is None:
                absent.append(package)
        except ModuleNotFoundError:
            absent.append(package)
    return absent


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Build the site from a copy of its sources, warnings being errors; return the folder of pages."""
    absent = missing()
    if absent:
        unavailable("docs", f"of the docs extra there is no {', '.join(absent)}")
    tree = tmp_path_factory.mktemp("docs")
    for name in ("docs", "posref", "spec", "vectors", "tests/consumers"):
        ignored = shutil.ignore_patterns("_build", "_generated", "__pycache__")
        shutil.copytree(ROOT / name, tree / name, ignore=ignored)
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-n",
        "-W",
        "--keep-going",
        "-q",
        "-d",
        "doctrees",
        "docs",
        "site",
    ]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONWARNINGS"}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return tree / "site"


@pytest.fixture(scope="session")
def browser():
    """Return a Chromium; without one the tests are skipped, or fail where it is required."""
    return tool("chromium", "chromium-browser", "google-chrome", group="chromium")


@pytest.fixture(scope="module")
def chromium(browser, tmp_path_factory):
    """A browser for the pages of a module."""
    with Chromium(browser, tmp_path_factory.mktemp("profile")) as found:
        yield found
