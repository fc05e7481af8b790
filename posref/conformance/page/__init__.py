"""A report as one page of HTML: the matrix, what failed and how, what did not run."""

from collections import Counter
from collections.abc import Iterable
from importlib.resources import files
from typing import Final
from xml.etree import ElementTree as ET

from posref.conformance.page import failures, matrix
from posref.conformance.page.tree import Content, document, node, table
from posref.conformance.report import Report
from posref.conformance.verdict import Expectation, Result

LISTED: Final = 200
"""Rows of a list of cases that are shown."""

_COUNTS: Final = {
    "passed": "passed",
    "failed": "failed",
    "errors": "in error",
    "expected_failures": "fail as expected",
    "unexpected_passes": "pass unexpectedly",
    "uninformative": "uninformative",
    "skipped": "skipped",
    "elements": "elements compared",
}
_ALWAYS: Final = ("passed", "failed", "errors", "skipped", "elements")


def render(report: Report) -> str:
    """Return `report` as a page in ASCII, whole in itself and readable without a script."""
    name = " ".join(filter(None, (report.implementation, report.version)))
    style = files("posref.conformance.page").joinpath("style.css").read_text("ascii")
    return document(
        f"posref: {name}",
        style,
        _header(report, name),
        node(
            "main",
            matrix.section(report),
            failures.section(report),
            _expected(report),
            _skipped(report),
            _remarks(report),
        ),
        node(
            "footer",
            node("p", node("code", report.last_line)),
            node("p", "Every result is in the JSON report: ", node("code", "posref check --json FILE"), "."),
        ),
    )


def _header(report: Report, name: str) -> ET.Element:
    kind, word = ("pass", "passes") if report else ("fail", "fails")
    if not report.executed:
        kind, word = "none", "nothing ran"
    shown = {key: said for key, said in _COUNTS.items() if key in _ALWAYS or getattr(report, key)}
    counts = [
        node("div", node("dt", said), node("dd", f"{getattr(report, key):,}"), class_=f"count {key}")
        for key, said in shown.items()
    ]
    return node(
        "header",
        node("p", "posref conformance report", class_="product"),
        node("h1", name, " ", node("span", word, class_=f"verdict {kind}")),
        node(
            "p",
            f"{report.executed:,} of {report.selected:,} cases ran, each dtype counted; "
            f"judged by the vectors of corpus {report.corpus_version}.",
        ),
        node("dl", *counts, class_="counts"),
    )


def _expected(report: Report) -> ET.Element | None:
    marked = [result for result in report.results if result.expected is not None]
    if not marked and not report.unmatched:
        return None
    parts: list[Content] = [node("h2", "Expected failures")]
    for verdict, said in (
        ("unexpected-pass", "Pass, but were expected to fail"),
        ("expected-fail", "Fail as expected"),
    ):
        own = [result for result in marked if result.verdict == verdict]
        if own:
            rows = [_known(result) for result in own[:LISTED]]
            parts.append(table(["case", "dtype", "why it was expected", "what came of it"], rows, said))
            parts.append(_more(len(own) - LISTED))
    if report.unmatched:
        rows = [
            node(
                "tr",
                *(node("td", one) for one in (entry.case, entry.operation, entry.dtype)),
                node("td", *_why(entry)),
            )
            for entry in report.unmatched
        ]
        parts.append(
            table(["case", "operation", "dtype", "reason"], rows, "Entries that match no case chosen")
        )
    return node("section", *parts, id="expected")


def _known(result: Result) -> ET.Element:
    why = _why(result.expected) if result.expected else []
    return node(
        "tr",
        node("th", node("code", result.case_id), scope="row"),
        node("td", result.dtype),
        node("td", *why),
        node("td", result.reason or "passes"),
    )


def _why(entry: Expectation) -> Iterable[Content]:
    yield entry.reason
    if entry.link:
        yield " "
        yield node("a", entry.link, href=entry.link, rel="noreferrer")


def _skipped(report: Report) -> ET.Element | None:
    reasons = Counter(result.reason for result in report.results if result.verdict == "skipped")
    silent = [result for result in report.results if result.verdict == "uninformative"]
    if not reasons and not silent:
        return None
    if silent:
        reasons["not executed: no bound says anything about these cases"] = len(silent)
    rows = [
        node("tr", node("td", f"{number:,}", class_="number"), node("td", reason))
        for reason, number in reasons.most_common()
    ]
    heading = node("h2", "Did not run")
    return node("section", heading, table(["cases", "why"], rows, "Cases that say nothing"), id="skipped")


def _remarks(report: Report) -> ET.Element | None:
    remarks = list(
        dict.fromkeys((result.case_id, result.remark) for result in report.results if result.remark)
    )
    if not remarks:
        return None
    rows = [
        node("tr", node("th", node("code", case), scope="row"), node("td", remark))
        for case, remark in remarks[:LISTED]
    ]
    said = f"{len(remarks):,} remarks on cases that pass"
    listed = table(["case", "remark"], rows, "Remarks")
    folded = node("details", node("summary", said), listed, _more(len(remarks) - LISTED))
    return node("section", node("h2", "Remarks"), folded, id="remarks")


def _more(left_out: int) -> ET.Element | None:
    return node("p", f"{left_out:,} more are left out here.", class_="more") if left_out > 0 else None
