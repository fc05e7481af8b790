"""What the requirements ask the docs to say in words is said, with its number or its source."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import posref

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))
site_numbers = pytest.importorskip("site_numbers")


def section(page, anchor):
    """Return the words between an anchor and the next anchor or heading after its own."""
    after = (DOCS / page).read_text("utf-8").split(f"({anchor})=\n", 1)[1]
    heading, _, rest = after.partition("\n")
    assert heading.startswith("#"), heading
    return " ".join(re.split(r"^(?:#|\([\w-]+\)=)", rest, maxsplit=1, flags=re.MULTILINE)[0].split())


def test_a8_the_finding_about_no_encoding_has_its_source_and_its_limits():
    words = section("learn/why-positions.md", "nope-finding")
    assert "{cite:p}`kazemnejad2023`" in words
    assert "at least as well as RoPE or ALiBi" in words
    assert "weaker and less controllable" in words


def test_e4_no_multiplier_is_promised():
    words = section("schemes/rope_scaling.md", "no-multiplier")
    assert "no universal multiplier follows from the rotation identity" in words
    assert "empirical" in words


def test_h1_cache_and_scores_grow_as_counted():
    """The two ratios of the page, against sizes of arrays that the reference takes and gives."""
    sizes = {}
    for tokens in (4, 128):
        keys = np.zeros((tokens, 8))
        sizes[tokens] = keys.size, posref.attention.scores(keys, keys, scale=1.0).size
    quoted = site_numbers.numbers()
    assert int(quoted["cache_ratio"]) == sizes[128][0] / sizes[4][0] == 32
    assert int(quoted["score_ratio"]) == sizes[128][1] / sizes[4][1] == 1024
    words = section("schemes/attention.md", "cost")
    assert "{{ cache_ratio }}" in words
    assert "{{ score_ratio }}" in words


def test_h2_a_serving_contract_names_every_setting():
    words = section("learn/long-context.md", "one-length")
    parts = (
        "revision",
        "pairing",
        "base",
        "scaling",
        "longest trained",
        "longest evaluated",
        "dtype",
        "offsets",
    )
    assert [part for part in parts if part not in words] == []


def test_h3_finite_is_not_evidence():
    assert "finite beyond the trained range is not evidence" in section(
        "learn/long-context.md", "not-evidence"
    )
    assert "A finite number beyond the trained range is a number, not evidence" in section(
        "schemes/rope_scaling.md", "no-multiplier"
    )


def test_every_number_of_the_pages_is_computed():
    """Each substitution that a page quotes exists, and none is computed for nothing."""
    pages = [*DOCS.glob("*.md"), *(DOCS / "schemes").glob("*.md")]
    quoted = {name for page in pages for name in re.findall(r"\{\{ (\w+) \}\}", page.read_text("utf-8"))}
    assert quoted == set(site_numbers.numbers())
