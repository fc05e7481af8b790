"""The report on the five desiderata covers every scheme, and its verdicts are those of the theorems."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from posref.operation import schemes

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_ext"))
site_properties = pytest.importorskip("site_properties")
site_encodings = sys.modules["site_encodings"]

REASON = 25
"""Characters that a reason has at least."""

VERDICTS = {
    "sinusoidal": "yes yes yes yes yes",
    "learned": "n/a n/a n/a n/a no",
    "sincos2d": "yes yes yes yes yes",
    "timestep": "yes yes yes yes yes",
    "fourier": "yes yes yes yes yes",
    "rope": "yes yes yes yes yes",
    "rope_scaling": "yes yes yes yes yes",
    "mrope": "yes yes yes yes yes",
    "axial_rope": "yes yes yes yes yes",
    "xpos": "yes no yes yes yes",
    "temperature": "no no n/a yes yes",
    "alibi": "yes no yes yes yes",
    "shaw": "no n/a yes n/a yes",
    "t5": "no n/a yes n/a yes",
    "deberta": "no n/a yes n/a yes",
    "transformer_xl": "yes yes yes yes no",
    "swin": "yes n/a yes n/a n/a",
}


def verdicts(encoding):
    """Return the first words of a report."""
    found = site_properties.report(encoding)
    assert list(found) == ["D1", "D2", "D3", "D4", "D5"]
    return " ".join(
        "n/a" if cell.startswith("not applicable") else cell.partition(":")[0] for cell in found.values()
    )


def test_a7_every_scheme_is_reported_or_encodes_nothing():
    reported = {encoding.scheme for encoding in site_encodings.ENCODINGS}
    assert reported | set(site_encodings.NO_ENCODING) == set(schemes())
    assert reported & set(site_encodings.NO_ENCODING) == set()


@pytest.mark.parametrize("encoding", site_encodings.ENCODINGS, ids=lambda encoding: encoding.label)
def test_a7_verdicts_are_those_of_the_theorems(encoding):
    assert verdicts(encoding) == VERDICTS[encoding.scheme]


@pytest.mark.parametrize("encoding", site_encodings.ENCODINGS, ids=lambda encoding: encoding.label)
def test_a7_not_applicable_has_a_reason_and_the_rest_a_number_or_a_clause(encoding):
    for cell in site_properties.report(encoding).values():
        words = cell.partition(": ")[2]
        if cell.startswith("not applicable"):
            assert len(words) >= REASON, cell
        else:
            assert re.search(r"\d", words), cell


def test_a7_a_scrambled_encoding_is_found_out():
    """Verdicts follow the numbers: shuffled rows are neither linear nor smooth, repeated ones not unique."""
    order = np.random.default_rng(1).permutation(8 * site_encodings.TRAINED)
    scrambled = site_encodings.Encoding("none", "scrambled", rows=lambda t: site_encodings.sinusoid(order[t]))
    assert verdicts(scrambled).split()[2:4] == ["no", "no"]
    repeated = site_encodings.Encoding("none", "repeated", rows=lambda t: site_encodings.sinusoid(t % 40))
    assert verdicts(repeated).split()[0] == "no"
    grown = site_encodings.Encoding("none", "grown", rows=lambda t: np.asarray(t, dtype=np.float64)[:, None])
    assert verdicts(grown).split()[1] == "no"


def test_a7_the_verdicts_alone_are_those_of_the_report():
    lines = site_properties.summary().splitlines()[2:]
    cells = [line.strip("| ").split(" | ") for line in lines]
    shown = {re.search(r"/(\w+)\.md", first)[1]: rest for first, *rest in cells}
    assert len(shown) == len(lines)
    assert shown == {name: words.replace("n/a", "-").split() for name, words in VERDICTS.items()}


def test_a9_the_comparison_has_every_scheme():
    text = (Path(__file__).parents[2] / "docs" / "learn" / "comparing.md").read_text("utf-8")
    part = text.partition("(comparison)=")[2].partition("(absolute-relative)=")[0]
    absent = [name for name in schemes() if f"(../schemes/{name}.md)" not in part]
    assert absent == ["positions"]
