"""The page of the explorer in a browser: it shows, follows keys, mouse and link, and complains of nothing."""

import struct
from pathlib import Path

import numpy as np
import pytest
from test_explorer import PRESETS, between_engines, near, shown, stored

import posref

HERE = Path(__file__).parent
STATIC = HERE.parents[1] / "docs" / "_static"


@pytest.fixture
def page(chromium, site):
    """The explorer as it opens; it must not complain of anything."""
    chromium.complaints.clear()
    chromium.open(f"{(site / 'explorer.html').as_uri()}")
    yield chromium
    assert chromium.complaints == []


def values(page, panel):
    """Return what a panel says: names, and float64 by their bits, which its decimals must name."""
    rows = page.look(
        f"[...document.querySelectorAll('#panel-{panel} dl dt')].map((name) => [name.textContent,"
        "name.nextSibling.querySelector('b')?.textContent ?? name.nextSibling.textContent,"
        "name.nextSibling.querySelector('.bits')?.textContent ?? ''])"
    )
    found = {}
    for name, text, bits in rows:
        key = name.partition(",")[0]
        found[key] = struct.unpack(">d", bytes.fromhex(bits))[0] if bits else text
        assert not bits or float(text) == found[key]
    return found


def link(page):
    return page.look("location.hash").removeprefix("#")


def go(page, fragment):
    page.look(f"void (location.hash = {fragment!r})")
    page.until(f"explorerState.format(explorerState.parse(location.hash)) === {fragment!r}")
    page.look("new Promise(requestAnimationFrame)")


def test_the_page_shows_the_values_of_the_vectors(page):
    go(page, "scheme=rope&rotary_dim=128&base=500000&trained=8192&scaling=llama3&factor=8&pair=35")
    want = stored()["model-llama-3.1-frequencies"].expected["inv_freq"]["float64"]
    said = values(page, "ladder")
    assert abs(said["frequency"] - want.tensor.data[35]) <= want.bound[35]
    assert said["wavelength"] == 2 * np.pi / said["frequency"]
    go(page, "scheme=alibi&num_heads=112&pair=100")
    want = stored()["model-bloom-slopes"].expected["slopes"]["float64"]
    assert abs(values(page, "ladder")["slope"] - want.tensor.data[100]) <= want.bound[100]
    go(page, "scheme=t5")
    page.look("document.querySelector('#panel-ladder .plot').focus()")
    page.press("End")
    said = values(page, "ladder")
    buckets = posref.t5.bucket(-np.arange(200), num_buckets=32, max_distance=128, bidirectional=True)
    assert int(said["first distance"]) == np.argmax(buckets == int(said["bucket"])) > 64


def test_a_model_is_chosen(page):
    page.select("#model", "gpt-oss")
    assert "scaling=yarn" in link(page)
    assert page.look("document.querySelector('#field-factor').value") == "32"
    ladder = shown(PRESETS["gpt-oss"])[0]
    assert values(page, "ladder")["frequency"] == ladder["frequencies"][0]


def test_typing_changes_link_and_picture_and_what_is_wrong_is_said(page):
    before = page.look("document.querySelector('#panel-ladder svg').innerHTML")
    page.type("#field-base", "500000")
    assert link(page) == "scheme=rope&base=500000"
    assert page.look("document.querySelector('#panel-ladder svg').innerHTML") != before
    assert page.look("document.activeElement.id") == "field-base"
    page.type("#field-rotary_dim", "63")
    assert page.look("document.querySelector('#fault').textContent") == "rotary_dim is even"
    assert page.look("document.querySelector('#field-rotary_dim').hasAttribute('aria-invalid')")
    assert link(page) == "scheme=rope&base=500000"


def test_going_back_restores_the_controls(page):
    go(page, "scheme=xpos&gamma=0.5")
    assert page.look("document.querySelector('[name=scheme]:checked').value") == "xpos"
    assert page.look("document.querySelector('#field-gamma').value") == "0.5"
    go(page, "scheme=t5")
    assert page.look("document.querySelector('#panel-plane').checkVisibility()") is False
    page.look("history.back()")
    page.until("document.querySelector('#field-gamma')")
    assert page.look("document.querySelector('#panel-plane').checkVisibility()") is True


def test_keys_move_the_cursor_and_pick_a_pair(page):
    page.look("document.querySelector('#panel-ladder .plot').focus()")
    for _ in range(3):
        page.press("ArrowRight")
    assert values(page, "ladder")["pair"] == "3"
    page.press("Enter")
    assert link(page) == "scheme=rope&pair=3"
    assert values(page, "plane")["pair"] == "3"
    page.look("document.querySelector('#panel-table .plot').focus()")
    page.press("ArrowDown")
    page.press("ArrowRight")
    said = values(page, "table")
    assert (said["position"], said["pair"]) == ("1", "1")
    ulps = 4 * 2.0**-53  # a power and a cosine of each engine, below 1
    assert said["cos"] == pytest.approx(np.cos(10000 ** (-1 / 32)), rel=0, abs=ulps)


def test_the_mouse_reads_values_and_turns_the_point(page):
    page.mouse("#panel-scores .plot", 0.6, 0.5)
    said = values(page, "scores")
    distance = int(said["distance"])
    assert 100 < distance < 200
    other = shown("scheme=rope")[0]["scores"][distance]
    assert said["score"] == pytest.approx(other, rel=0, abs=between_engines(distance))
    page.mouse("#panel-plane svg", 0.5, 0.1, "mousePressed", button="left", buttons=1, clickCount=1)
    page.mouse("#panel-plane svg", 0.5, 0.1, "mouseReleased", button="left", clickCount=1)
    position = int(values(page, "plane")["position"])
    assert np.sin(position) > 0.8  # the first pair turns by one radian a token
    assert link(page) == f"scheme=rope&position={position}"


@pytest.mark.parametrize("scheme", ["rope", "sinusoidal", "xpos", "alibi", "t5"])
def test_every_scheme_is_drawn_for_a_phone_and_for_all_readers(page, scheme):
    page.ask("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=2, mobile=True)
    go(page, f"scheme={scheme}")
    page.until("document.querySelector('#panel-ladder svg').clientWidth <= 340")
    assert page.look("document.scrollingElement.scrollWidth <= innerWidth")
    named = "[...document.querySelectorAll('#explorer-app :is(input, select)')]"
    unnamed = (
        f"{named}.filter((one) => !one.labels.length && !one.getAttribute('aria-label')).map((one) => one.id)"
    )
    assert page.look(unnamed) == []
    plots = page.look(
        "[...document.querySelectorAll('.panel:not([hidden]) .plot')].map((one) => one.ariaLabel)"
    )
    assert len(plots) == (3 if scheme == "t5" else 4)
    assert all("Arrow keys" in text for text in plots)
    page.ask("Emulation.clearDeviceMetricsOverride")


def test_the_table_follows_the_theme(page):
    pixel = (
        "(() => { const at = document.querySelector('#panel-table canvas');"
        "return [...at.getContext('2d').getImageData(at.width / 2, at.height / 2, 1, 1).data].join(); })()"
    )
    page.look("void (document.body.dataset.theme = 'light')")
    light = page.until(pixel)
    page.look("void (document.body.dataset.theme = 'dark')")
    page.until(f"{pixel} !== '{light}'")


def test_the_file_that_is_judged_is_the_one_that_the_page_loads(site):
    loaded = (site / "_static" / "explorer" / "encodings.js").read_text("utf-8")
    assert loaded == (STATIC / "explorer" / "encodings.js").read_text("utf-8")
    consumer = HERE.parent / "consumers" / "javascript"
    name = "_static/explorer/encodings.js"
    importing = {path.name for path in consumer.glob("*.mjs") if name in path.read_text("utf-8")}
    assert importing == {"biases.mjs", "rope.mjs", "scaling.mjs"}


def test_the_engine_of_the_browser_keeps_the_claim_too(page):
    """Sines and powers are the engine's own, so what Node was judged by is asked of Chromium again."""
    tables = [one for one in stored().values() if one.operation == "rope.cos_sin" and one.kind == "value"]
    for test in tables:
        at, ladder = (list(test.inputs[name].data) for name in ("positions", "inv_freq"))
        factor = test.params["attention_factor"]
        rows = page.look(f"{at}.map((one) => encodings.cosSin(one, {ladder}, {factor!r}))")
        for index, name in enumerate(("cos", "sin")):
            assert near([row[index] for row in rows], test.expected[name]), test.id
    ladders = [one for one in stored().values() if one.operation == "rope.inv_freq" and one.kind == "value"]
    for test in ladders:
        found = page.look(f"encodings.frequencies({test.params['rotary_dim'] // 2}, {test.params['base']!r})")
        assert near(found, test.expected["inv_freq"]), test.id
    assert len(tables) > 50
    assert len(ladders) > 15
