"""The page: whole in itself, escaped, every failure there, pictures that can be read out."""

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import faulty
import numpy as np
import pytest
from in_memory import LADDER, value_test

from posref.conformance.page import failures, render
from posref.conformance.page.picture import Pictures
from posref.conformance.report import Report
from posref.conformance.suite import check
from posref.conformance.verdict import Expectation, Line

Install = Callable[..., None]
VOID = {"meta", "br", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """Reads a page, checks that its tags are closed in order, and keeps elements and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture
def report(corpus_of: Install) -> Report:
    corpus_of(*faulty.TESTS)
    return faulty.run()


def test_it_says_what_came_of_it(report: Report) -> None:
    page = Page(report.to_html())
    text = " ".join(page.text.split())
    for part in (
        "mapping fails",
        "1 of 3 fail",
        "1 of 1 fail",
        "Nothing ran: alibi.slopes",
        "Made by hand.",
        "rope.C1",
        "rotary_dim = 4",
        "bits 3c23d70a",
        "Diagnosis",
        "posref show other-ladder",
        "operation not offered",
        report.last_line,
    ):
        assert part in text


def test_it_needs_nothing_from_elsewhere(report: Report) -> None:
    text = report.to_html()
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "embed"} & {name for name, _ in page.elements}
    assert not any(
        key in ("src", "srcset", "style") or key.startswith("on") for _, own in page.elements for key in own
    )
    assert all(one["href"].startswith("#") for one in page.all("a"))
    assert "url(" not in text
    assert "@import" not in text
    assert not any("://" in value for _, own in page.elements for value in own.values())
    policies = [
        one["content"] for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_everything_is_escaped(report: Report) -> None:
    text = report.to_html()
    assert text.isascii()
    assert "<b>kernel" not in text
    assert not {"\x00", "\x08", "\x1b"} & set(text)
    page = Page(text)
    assert 'no <b>kernel</b> & "more" ]]> red' in page.text
    assert "\N{SNOWMAN}" in page.text


def test_links_lead_somewhere_and_identifiers_are_unique(report: Report) -> None:
    page = Page(report.to_html())
    own = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(own) == len(set(own))
    assert {one["href"][1:] for one in page.all("a")} == {"rope.inv_freq", "positions.relative"}
    assert {one["href"][1:] for one in page.all("a")} <= set(own)
    for picture in page.all("svg"):
        assert set(picture["aria-labelledby"].split()) <= set(own)


def test_tables_have_headers_and_captions(report: Report) -> None:
    page = Page(report.to_html())
    tables = len(page.all("table"))
    assert tables == len(page.all("caption")) == len(page.all("thead")) > 2
    assert {one.get("scope") for one in page.all("th")} == {"col", "row"}
    assert page.all("html") == [{"lang": "en"}]


def test_every_failing_case_is_there_and_only_some_in_full(corpus_of: Install) -> None:
    number = failures.FULL + failures.LISTED + 7
    cases = [
        value_test("rope.inv_freq", LADDER, {}, {"inv_freq": ([1, 0.25], (2,))}, name=f"case-{one}.")
        for one in range(number)
    ]
    corpus_of(*cases)
    report = check({"rope.inv_freq": lambda **_: np.zeros(2, np.float32)}, dtype="float32")
    page = Page(report.to_html())
    shown = [one for one in range(number) if f"case-{one}." in page.text]
    assert shown == list(range(failures.FULL + failures.LISTED))
    assert "7 more are left out here" in page.text
    assert page.text.count("All of it:") == failures.FULL


def test_a_small_report_leaves_no_failing_case_out(report: Report) -> None:
    text = Page(report.to_html()).text
    bad = [result.case_id for result in report.results if result.verdict in ("fail", "error")]
    assert sorted(bad) == ["other-ladder", "relative"]
    assert all(case in text for case in bad)
    assert "left out" not in text


def test_a_page_of_passes_has_no_failures(corpus_of: Install) -> None:
    corpus_of(faulty.TESTS[0], faulty.TESTS[2])
    page = Page(faulty.run().to_html())
    assert "mapping passes" in page.text
    assert "Failures" not in page.text
    assert not page.all("svg")
    corpus_of()
    assert "nothing ran" in Page(faulty.run().to_html()).text


def test_expected_failures_stand_apart(corpus_of: Install) -> None:
    corpus_of(*faulty.TESTS)
    known = [
        Expectation("*ladder", "<i>half</i>", "https://example.org/7"),
        Expectation("relative", "unwritten"),
        Expectation("gone-*", "was mended"),
    ]
    page = Page(faulty.run(expected=known).to_html())
    text = page.text
    assert "mapping passes" in text
    for part in (
        "Fail as expected",
        "Pass, but were expected to fail",
        "<i>half</i>",
        "gone-*",
        "was mended",
    ):
        assert part in text
    outside = {one["href"] for one in page.all("a") if not one["href"].startswith("#")}
    assert outside == {"https://example.org/7"}


def test_the_page_of_a_stored_report_is_the_same(report: Report) -> None:
    assert Report.from_json(report.to_json()).to_html() == report.to_html()


class TestPictures:
    def draw(self, *points: tuple[float, float]) -> tuple[Any, str]:
        line = Line("positions", tuple(at for at, _ in points), tuple(error for _, error in points))
        figure = Pictures().draw([line], "Errors of y")
        return figure, figure.findtext("svg/desc") or ""

    def dots(self, figure: Any, kind: str) -> list[tuple[float, float]]:
        paths = [one.get("d") for one in figure.iter("path") if one.get("class") == f"dot {kind}"]
        return [
            tuple(map(float, dot.removesuffix("h0").split())) for path in paths for dot in path.split("M")[1:]
        ]

    def level(self, figure: Any) -> float:
        [line] = [one.get("d") for one in figure.iter("path") if one.get("class") == "bound"]
        return float(line.split("H")[0].split()[1])

    def test_it_is_read_out(self) -> None:
        figure, said = self.draw((0, 0.5), (1, 30.0), (2, 1.5))
        assert said == (
            "2 of 3 points above the bound; the largest error, 30.00 times the bound, at 1 (positions)."
        )
        assert figure.findtext("figcaption") == "Errors of y, in multiples of the bound, by positions"

    def test_wrong_stands_above_the_bound_and_right_below(self) -> None:
        figure, _ = self.draw((0, 0.0), (1, 0.5), (2, 1.01), (3, 1e30), (4, float("inf")))
        level = self.level(figure)
        assert all(y > level for _, y in self.dots(figure, "kept"))
        wrong = [y for _, y in self.dots(figure, "wrong")]
        assert len(wrong) == 3
        assert all(y < level for y in wrong)
        assert wrong == sorted(wrong, reverse=True)

    @pytest.mark.parametrize(
        "places",
        [(0,), (5, 5.5), (0, 1, 2, 700), (-(2**31), -1, 0, 1, 2**62), (1e-9, 2e-9), (0, 1e15)],
    )
    def test_points_and_ticks_stay_inside_and_in_order(self, places: tuple[float, ...]) -> None:
        figure, _ = self.draw(*((at, 2.0) for at in places))
        across = [x for x, _ in self.dots(figure, "wrong")]
        assert across == sorted(across)
        assert len(across) == len(places)
        assert 56 <= min(across) <= max(across) <= 448
        ticks = [one for one in figure.iter("text") if one.get("class") == "place"]
        assert all(56 <= float(one.get("x")) <= 448 for one in ticks)
        assert ticks


def test_render_is_what_the_report_gives(report: Report) -> None:
    assert render(report) == report.to_html()
