"""The judge in the browser gives each case the verdict of ``posref check --results``, whatever the file."""

import json
import sys
from pathlib import Path

import pytest
from broken_results import FILES, OFFERED, TIGHT, claims, corpus, functions, lines, nudged, right
from javascript import node

from posref.conformance.results import Results
from posref.conformance.run import run
from posref.conformance.scenario import play
from posref.conformance.target import pick_dtypes
from posref.corpus import encode
from posref.errors import FormatError
from posref.operation import signatures

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "docs" / "_ext"))

import site_browser  # noqa: E402
import site_results  # noqa: E402


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The vectors of the page, as the site has them."""
    path = tmp_path_factory.mktemp("page") / "vectors.js"
    path.write_text(site_browser.pages()["static/check/vectors.js"], "ascii")
    return path


def in_browser(script, files, **options):
    """Return what the page's judge says of each file."""
    return node("judge.mjs", script, json.dumps(options), *files)


def by_python(file, tests, scenarios):
    """Return what ``posref check`` finds, by case and dtype, or None where it is no such file."""
    try:
        said = Results(file).open()
    except FormatError:
        return None
    found = []
    for dtype in (*pick_dtypes(said, None, None), "int64"):
        claim = said.claims.get(dtype)
        found += run(said, tests, dtype, claim, ranked=False)
        found += play(said, scenarios, dtype, claim, ranked=False)
    return {(one.result.case_id, one.result.dtype): one.result for one in found}


def said(one):
    """Return what the two judges must agree on, of a result of the page."""
    return one["operation"], one["kind"], one["verdict"], one["elements"], one["silent"], place(one["first"])


def place(first):
    return first and (first["output"], tuple(first["index"]))


def meant(one):
    """Return the same of a result of the Python judge."""
    first = one.first_wrong and (one.first_wrong.output, one.first_wrong.index)
    return one.operation, one.kind, one.verdict, one.elements, one.uninformative, first


def compare(page, python):
    """Compare two judgements of one file case by case."""
    if python is None:
        assert set(page) == {"invalid"}
        return
    assert isinstance(page, list), page
    found = {(one["id"], one["dtype"]): one for one in page}
    assert python.keys() <= found.keys()
    for key in python:
        one = found[key]
        assert said(one) == meant(python[key]), (key, one["reason"], python[key].reason)
        worst = python[key].worst_error
        if worst is not None and worst.error == worst.error:
            room = 2.0**-51 * (1 + worst.ratio)  # the command ranks by 1 + ratio or its reciprocal, rounded
            assert float(one["ratio"]) == pytest.approx(worst.ratio, rel=0, abs=room), key


def test_every_file_gets_the_verdicts_of_the_command(script, tmp_path):
    tests = corpus().tests
    some = [test for test in tests if test.operation in OFFERED][::9] + list(tests[::120])
    paths = []
    for number, make in enumerate(FILES.values()):
        paths.append(tmp_path / f"{number}.jsonl")
        paths[-1].write_bytes(make().encode("utf-8"))
    page = dict(zip(FILES, in_browser(script, paths), strict=True))
    for name, path in zip(FILES, paths, strict=True):
        try:
            compare(page[name], by_python(path, some, corpus().scenarios[::3]))
        except AssertionError as failure:
            raise AssertionError(f"{name}: {failure}") from failure
    refused = {name for name, one in page.items() if isinstance(one, dict)}
    assert 20 < len(refused) < 40
    verdicts = {one["verdict"] for name in page.keys() - refused for one in page[name]}
    assert verdicts == {"pass", "fail", "error", "skipped"}


def test_every_case_of_the_corpus_is_judged_alike(script, tmp_path):
    path = tmp_path / "all.jsonl"
    path.write_text(site_results.written(corpus(), functions()), "ascii")
    (page,) = in_browser(script, [path])
    python = by_python(path, corpus().tests, corpus().scenarios)
    assert len(page) == len(python)
    compare(page, python)
    assert {one["verdict"] for one in page} == {"pass", "skipped", "uninformative"}


@pytest.mark.parametrize("kind", ["value", "invalid", "scenario"])
def test_kinds_are_those_of_the_command(script, tmp_path, kind):
    path = tmp_path / "right.jsonl"
    path.write_text(lines(), "ascii")
    (page,) = in_browser(script, [path], kind=kind)
    chosen = [test for test in corpus().tests if test.kind == kind]
    compare(page, by_python(path, chosen, corpus().scenarios if kind == "scenario" else ()))
    assert {one["kind"] for one in page} == {kind}


def test_the_hard_set_can_be_left_out(script, tmp_path):
    path = tmp_path / "right.jsonl"
    path.write_text(lines(), "ascii")
    (page,) = in_browser(script, [path], hard=False)
    assert {one["id"] for one in page} == {
        *(test.id for test in corpus().tests if not test.file.startswith("hard/")),
        *(test.id for test in corpus().scenarios),
    }


def test_a_model_whose_bounds_are_not_on_the_page_leaves_open_what_it_would_decide(script, tmp_path):
    path = tmp_path / "claims.jsonl"
    path.write_text(lines(claims(float32="f64-angle")), "ascii")
    page, default = in_browser(script, [path])[0], in_browser(script, [path], claims=False)[0]
    for one, other in zip(page, default, strict=True):
        compared = one["dtype"] == "float32" and other["elements"] + other["silent"] > 0
        assert one["verdict"] == ("unjudged" if compared else other["verdict"]), one
    assert {one["verdict"] for one in default} == {"pass", "skipped"}
    assert {one["verdict"] for one in page} == {"pass", "skipped", "unjudged"}


def test_values_of_every_dtype_follow_from_float64(script, tmp_path):
    """A file of the stored values keeps the claim that each is the real one, correctly rounded."""
    path = tmp_path / "stored.jsonl"
    head = {
        **json.loads(right()[0]),
        "operations": list(signatures()),
        "claims": dict.fromkeys(TIGHT, "correctly_rounded"),
    }
    stored = [{"test": test.id, "dtype": dtype, "outputs": outputs} for test, dtype, outputs in all_stored()]
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, *stored)), "ascii")
    (page,) = in_browser(script, [path], kind="value")
    assert {one["verdict"] for one in page} == {"pass", "skipped"}
    passed = {(one["id"], one["dtype"]) for one in page if one["verdict"] == "pass"}
    assert len(passed) > 4000


def all_stored():
    """Yield the stored outputs of every test with values in every dtype that has them."""
    for test in corpus().tests:
        integer = signatures()[test.operation].integer
        for dtype in ("int64",) if integer else TIGHT:
            found = {
                name: one.get(dtype) or one.get("int64") or one.get("bool")
                for name, one in test.expected.items()
            }
            if found and all(found.values()):
                yield test, dtype, {name: encode.tensor(one.tensor) for name, one in found.items()}


# ---- the page ----


@pytest.fixture
def page(chromium, site):
    """The page as it opens; it must not complain of anything."""
    chromium.complaints.clear()
    chromium.open((site / "check.html").as_uri())
    yield chromium
    assert chromium.complaints == []


SHOWN = ("pass", "fail", "error", "skipped")


def verdict(page):
    """Return what the page says once it has judged, and how."""
    at = "document.querySelector('#verdict')"
    page.until(f"{at}.querySelector('p') && !/Judging/.test({at}.textContent)")
    return page.look(f"[{at}.className, {at}.innerText]")


def table(page):
    """Return the rows of the table."""
    rows = "[...document.querySelectorAll('#report tbody tr')]"
    return page.look(f"{rows}.map((row) => [...row.cells].map((cell) => cell.innerText.trim()))")


def test_samples_get_their_verdicts(page, site):
    for name, kind in (("right", "pass"), ("wrong", "fail")):
        page.open(f"{(site / 'check.html').as_uri()}#sample={name}")
        found, text = verdict(page)
        assert found == kind
        assert ("Right in all" in text) == (kind == "pass")
    assert page.look("document.querySelector('#report details dl').innerText").startswith("element")
    assert "posref check --results wrong.jsonl" in page.look(
        "document.querySelector('#report .next').innerText"
    )
    assert page.look("document.querySelector('#verdict').getAttribute('aria-live')") == "polite"


def test_a_file_that_is_chosen_gets_the_table_of_the_command(page, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(lines(nudged(1 << 12, 7)), "ascii")
    page.choose("#file", path)
    assert verdict(page)[0] == "fail"
    found = list(by_python(path, corpus().tests, corpus().scenarios).values())
    counted = {}
    for one in found:
        counts = counted.setdefault(
            (one.operation, one.dtype), dict.fromkeys(("pass", "fail", "error", "skipped"), 0)
        )
        counts[one.verdict] += 1
    want = {
        (operation, dtype, *map(str, counts.values()))
        for (operation, dtype), counts in counted.items()
        if counts["skipped"] < sum(counts.values())
    }
    assert {tuple(row[:6]) for row in table(page)} == want
    assert f"check --results {path.name}" in page.look("document.querySelector('#report').innerText")


def test_choices_judge_again(page, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(lines(claims(float32="f64-angle")), "ascii")
    page.choose("#file", path)
    assert verdict(page)[0] == "open"
    page.select("#claims", "default")
    page.until("document.querySelector('#verdict').className === 'pass'")
    page.select("#kind", "scenario")
    rows = "[...document.querySelectorAll('#report tbody tr')]"
    page.until(f"{rows}.every((row) => row.cells[0].innerText.endsWith('_scenario'))")
    assert len(table(page)) > 10


def test_what_is_no_file_of_results_is_refused(page, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("{}\n", "ascii")
    page.choose("#file", path)
    found, text = verdict(page)
    assert (found, "Not a results file" in text) == ("fail", True)
    assert table(page) == []


def test_the_page_fits_a_phone_and_names_its_controls(page, site):
    page.ask("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=2, mobile=True)
    page.open(f"{(site / 'check.html').as_uri()}#sample=wrong")
    verdict(page)
    assert page.look("document.scrollingElement.scrollWidth <= innerWidth")
    controls = "[...document.querySelectorAll('#check :is(input, select)')]"
    assert page.look(f"{controls}.filter((one) => !one.labels.length).length") == 0
    page.ask("Emulation.clearDeviceMetricsOverride")
