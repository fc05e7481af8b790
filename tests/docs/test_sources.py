"""The sources that the requirements name are listed, and what is listed is cited."""

import re
from pathlib import Path

import pytest

from posref.operation import schemes

DOCS = Path(__file__).parents[2] / "docs"
ENTRIES = dict(re.findall(r"^@\w+\{(\w+), (.+)\}$", (DOCS / "refs.bib").read_text("utf-8"), re.MULTILINE))
REQUIRED = {
    "vaswani2017": "1706.03762",
    "shaw2018": "1803.02155",
    "raffel2020": "Journal of Machine Learning Research",
    "su2021": "2104.09864",
    "press2021": "2108.12409",
    "kazemnejad2023": "2305.19466",
    "chen2023": "Positional Interpolation",
    "peng2023": "2309.00071",
    "touvron2023": "2302.13971",
}
CITED = re.compile(r"\{cite:[pt]\}`([\w,]+)`")
CODE = {"temperature"}
"""Schemes that no paper describes: their page names the released code."""


def cited(path):
    """Return the keys that a page cites."""
    return {key for keys in CITED.findall(path.read_text("utf-8")) for key in keys.split(",")}


@pytest.mark.parametrize("key", REQUIRED)
def test_l1_the_founding_sources_are_listed(key):
    assert REQUIRED[key] in ENTRIES[key]


def test_l1_every_scheme_cites_a_source():
    assert {name for name in schemes() if not cited(DOCS / "schemes" / f"{name}.md")} == CODE
    for name in CODE:
        sources = (DOCS / "schemes" / f"{name}.md").read_text("utf-8").split("\n## Sources\n")[1]
        assert "`modeling_" in sources


def test_every_entry_is_cited_and_every_citation_is_listed():
    found = set().union(*(cited(path) for path in DOCS.rglob("*.md") if "_generated" not in path.parts))
    assert found == set(ENTRIES)
