"""The matrix: what became of each operation in each dtype."""

from typing import Final
from xml.etree import ElementTree as ET

from posref.conformance.page.tree import Content, node, table
from posref.conformance.plain import number
from posref.conformance.report import Report, Summary
from posref.operation import DTYPES

_INTEGERS: Final = "integers"


def section(report: Report) -> ET.Element:
    """Return the table of operations and dtypes; operations of which nothing ran are only named."""
    rows: dict[str, dict[str, Summary]] = {}
    for entry in report.operations:
        column = entry.dtype if entry.dtype in DTYPES else _INTEGERS
        rows.setdefault(entry.operation, {})[column] = entry
    ran = {name: row for name, row in rows.items() if any(one.skipped < one.tests for one in row.values())}
    columns = [name for name in (*DTYPES, _INTEGERS) if any(name in row for row in ran.values())]
    body = [_row(name, row, columns) for name, row in ran.items()]
    parts: list[Content] = [node("h2", "Operations")]
    if body:
        parts.append(
            table(["operation", *columns], body, "Verdict and strongest claim by operation and dtype")
        )
        parts.append(_legend())
    absent = [name for name in rows if name not in ran]
    if absent:
        parts.append(node("p", node("b", "Nothing ran: "), ", ".join(absent), ".", class_="absent"))
    return node("section", *parts, id="operations")


def _row(name: str, row: dict[str, Summary], columns: list[str]) -> ET.Element:
    cells = [_cell(row[column]) if column in row else _empty("does not apply") for column in columns]
    return node("tr", node("th", node("code", name), scope="row"), *cells)


def _empty(why: str) -> ET.Element:
    return node("td", node("span", "\N{EN DASH}", title=why, aria_label=why, role="img"), class_="empty")


def _cell(entry: Summary) -> ET.Element:
    if entry.skipped == entry.tests:
        return _empty("skipped")
    bad = entry.failed + entry.errors
    ran = entry.tests - entry.skipped - entry.uninformative
    if bad:
        said = node("a", f"{bad} of {ran} fail", href=f"#{entry.operation}")
        return node("td", _sign("fail"), said, *_facts(entry), class_="fail")
    if not ran:
        return node("td", "uninformative", class_="empty")
    known = entry.expected_failures
    said = node("span", f"{ran - known} pass" + (f", {known} fail as expected" if known else ""))
    kind = "known" if known or entry.unexpected_passes else "pass"
    return node("td", _sign(kind), said, *_facts(entry), class_=kind)


def _sign(kind: str) -> ET.Element:
    sign = {"pass": "\N{CHECK MARK}", "fail": "\N{MULTIPLICATION X}", "known": "~"}[kind]
    return node("span", sign, class_="sign", aria_hidden="true")


def _facts(entry: Summary) -> list[Content]:
    facts: list[Content] = []
    if entry.strongest_claim and entry.strongest_claim != "none":
        facts.append(node("code", entry.strongest_claim))
    if entry.worst_ratio:
        ratio = number(entry.worst_ratio).replace("inf", "\N{INFINITY}")
        facts.append(f" {ratio} \N{MULTIPLICATION SIGN} bound")
    if entry.uninformative:
        facts.append(f" {entry.uninformative} uninformative")
    return [node("small", *facts)] if facts else []


def _legend() -> ET.Element:
    return node(
        "p",
        "Under the verdict stand the strongest claim that every answer keeps, and the largest error as a "
        "multiple of what the claim judged by allows: above 1 is a failure.",
        class_="legend",
    )
