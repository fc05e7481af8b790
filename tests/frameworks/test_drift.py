"""The stored curves of `docs/learn/drift.json` are what frameworks of the stored versions compute."""

import json
import re
import sys
import warnings
from pathlib import Path

import pytest
from needed import unavailable

from posref.adapters import Unsupported

LEARN = Path(__file__).parents[2] / "docs" / "learn"
sys.path.insert(0, str(LEARN))
drift = pytest.importorskip("drift", reason="mpmath is not installed")

STORED = json.loads(drift.STORE.read_text("ascii"))
ROOM = 2
"""Powers and sines differ by an ulp from processor to processor, where two are all there is to an error."""


@pytest.mark.parametrize("name", STORED["curves"])
def test_a_curve(name):
    stored = STORED["curves"][name]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a framework warns of while it is imported is its own
            table, version = drift.curves()[name]()
    except ImportError as missing:
        unavailable(name, f"{name} cannot be imported: {missing}")
    here, there = (re.sub(r"\+\w+", "", text) for text in (version, stored["version"]))
    if here != there and not name.startswith("posref "):
        unavailable(name, f"{name} is {version} here, {stored['version']} in the store")
    for octave in (5, 8, 12, 20):
        if str(octave) in stored["errors"]:
            got, want = drift.error(table, octave), stored["errors"][str(octave)]
            assert want / ROOM <= got <= want * ROOM, octave


def test_a_refusal_ends_a_curve():
    def table(at):
        if at[-1] > 100:
            raise Unsupported("too far")
        return drift.formulas.numpy_table("float64")[0](at)

    assert set(drift.measure(table, range(12), each=4)) == set(map(str, range(6)))


def test_the_baseline_is_finer_than_float64():
    _, rest = drift.exact(10, 8)[0]
    assert abs(rest).max() > 0
    assert abs(rest).max() <= 2.0**-54


def test_ladders():
    for name, ladder in drift.formulas.ladders().items():
        want = STORED["ladders"][name]
        assert want / ROOM <= drift.unit_roundoffs(ladder) <= want * ROOM
    assert set(STORED["ladders"]) == set(drift.formulas.ladders())
