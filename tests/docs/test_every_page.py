"""Every page in a browser, as wide as a phone and without a network: formulas, widths, letters, colors."""

import re
from pathlib import Path

import pytest
from site_pages import read

PHONE = 390
LEAST_LETTER = 9
"""Pixels that a letter of a figure has on a phone, exponents aside."""

LEAST_CONTRAST = 4.5

LOOK = (Path(__file__).parent / "look.js").read_text("utf-8")


@pytest.fixture(scope="module")
def seen(chromium, site):
    """What a visit to each page has found, by its path in the site."""
    chromium.ask(
        "Emulation.setDeviceMetricsOverride", width=PHONE, height=844, deviceScaleFactor=1, mobile=True
    )
    found = {}
    for path in sorted(site.rglob("*.html")):
        chromium.complaints.clear()
        chromium.open(path.as_uri())
        facts = chromium.look(LOOK)
        found[path.relative_to(site).as_posix()] = {**facts, "complaints": [*chromium.complaints]}
    chromium.ask("Emulation.clearDeviceMetricsOverride")
    return found


def each(seen, name):
    """Return the pages of which a list of findings is not empty, with it."""
    return {page: facts[name] for page, facts in seen.items() if facts[name]}


def test_formulas_are_typeset_and_none_is_in_error(seen, site):
    pages = {page: read(site / page).formulas for page in seen}
    assert sum(pages.values()) > 1000
    assert [page for page, formulas in pages.items() if seen[page]["formulas"] < formulas] == []
    assert each(seen, "faults") == {}


def test_no_formula_is_left_as_it_was_written(seen):
    assert each(seen, "raw") == {}


def test_a_formula_keeps_its_size_and_its_comma(seen):
    assert each(seen, "shrunk") == {}
    assert each(seen, "parted") == {}


def test_no_page_is_wider_than_a_phone(seen):
    assert {page: facts["width"] for page, facts in seen.items() if facts["width"] > PHONE} == {}


def test_no_page_complains(seen):
    assert each(seen, "complaints") == {}


def test_no_column_is_empty(seen):
    assert each(seen, "idle") == {}


def test_words_stand_out_in_light_and_in_dark(seen):
    faint = {
        (page, mode): [one for one in pairs if one["contrast"] < LEAST_CONTRAST]
        for page, facts in seen.items()
        for mode, pairs in facts["contrasts"].items()
    }
    assert {where: pairs for where, pairs in faint.items() if pairs} == {}


def test_letters_of_figures_are_large_enough_on_a_phone(seen, site):
    shown = [(page, *image) for page, facts in seen.items() for image in facts["figures"]]
    assert len(shown) > 20
    small = []
    for page, name, width in shown:
        text = (site / "_images" / name).read_text("utf-8")
        scale = width / float(re.search(r'width="([\d.]+)pt"', text)[1])
        letters = {100 * scale * float(size) for size in re.findall(r"scale\((0[\d.]+) -0[\d.]+\)", text)}
        small += [(page, name, size) for size in letters if size < LEAST_LETTER]
    assert small == []


def test_a_figure_is_drawn_for_both_modes(seen, site):
    for name in {image[0] for facts in seen.values() for image in facts["figures"]}:
        assert "prefers-color-scheme: dark" in (site / "_images" / name).read_text("utf-8"), name
