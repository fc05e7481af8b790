"""What a framework does here is what the stored matrix says, and the scripts of its findings show it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from needed import unavailable

from posref.conformance.claims import ladder

ROOT = Path(__file__).parents[2]
HOME = ROOT / "docs" / "conformance"
STORED = {
    entry["name"]: entry for entry in json.loads((HOME / "matrix.json").read_text("ascii"))["frameworks"]
}
FINDINGS = [
    (path.stem, one)
    for path in sorted((HOME / "findings").glob("*.json"))
    for one in json.loads(path.read_text("utf-8"))["findings"]
]
STEPS = 1
"""Claims that the strongest one may be apart: the last bits of sines differ between processors."""


@pytest.fixture(scope="module")
def installed(framework):
    """Return a function that skips where a framework is not here in the version that was judged."""

    def check(name):
        found, judged = (
            re.sub(r"\+\w+", "", text) for text in (framework(name).version, STORED[name]["version"])
        )
        if found != judged:
            unavailable(name, f"{name} is {found} here, {judged} in the matrix")

    return check


def run(*words):
    """Run Python in a process of its own: frameworks keep tables that other tests have filled."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, check=False, cwd=HOME
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def steps(row, stored):
    """Return how many claims apart the strongest ones of two rows are."""
    rungs = [*ladder(row["dtype"]), "none", ""]
    return abs(rungs.index(row["strongest_claim"]) - rungs.index(stored["strongest_claim"]))


@pytest.mark.parametrize("name", STORED)
def test_the_matrix_is_what_the_framework_does(installed, name, tmp_path):
    installed(name)
    run("-m", "posref", "matrix", "--adapter", name, "--output", str(tmp_path / "matrix.json"))
    (found,) = json.loads((tmp_path / "matrix.json").read_text("ascii"))["frameworks"]
    stored = STORED[name]
    assert (found["dtypes"], found["remarks"]) == (stored["dtypes"], stored["remarks"])
    assert len(found["rows"]) == len(stored["rows"])
    for row, old in zip(found["rows"], stored["rows"], strict=True):
        assert {**row, "strongest_claim": ""} == {**old, "strongest_claim": ""}
        assert steps(row, old) <= STEPS


@pytest.mark.parametrize(("name", "one"), FINDINGS, ids=[f"{name}-{one['name']}" for name, one in FINDINGS])
def test_a_script_prints_what_the_page_shows(installed, name, one):
    installed(name)
    printed = run("scripts/" + one["script"]).splitlines()
    assert [line for line in printed if line.startswith(("right: ", "got:   "))] == one["prints"]
