"""What failed: for each operation the diagnosis, the errors as pictures, and its cases."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

from posref.conformance.page.picture import Pictures
from posref.conformance.page.tree import Content, node, table
from posref.conformance.plain import number
from posref.conformance.report import Report, Summary
from posref.conformance.verdict import Line, Result, Worst, Written

FULL: Final = 3
"""Failing cases of an operation that are shown in full."""
LISTED: Final = 100
"""Further failing cases of an operation that are listed."""
LONGEST: Final = 240
"""Characters of a reason in a list."""

Case = list[Result]
"""One failing case, in each dtype in which it fails."""


def section(report: Report) -> ET.Element | None:
    """Return what failed, by operation; None where nothing did."""
    pictures = Pictures()
    cases: dict[str, dict[str, Case]] = {}
    for result in report.results:
        if result.verdict in ("fail", "error"):
            cases.setdefault(result.operation, {}).setdefault(result.case_id, []).append(result)
    if not cases:
        return None
    summaries: dict[str, list[Summary]] = {}
    for entry in report.operations:
        if entry.failed + entry.errors:
            summaries.setdefault(entry.operation, []).append(entry)
    parts = [_operation(entries, list(cases[name].values()), pictures) for name, entries in summaries.items()]
    return node("section", node("h2", "Failures"), *parts, id="failures")


def _operation(entries: Sequence[Summary], cases: Sequence[Case], pictures: Pictures) -> ET.Element:
    name = entries[0].operation
    counts = ", ".join(
        f"{one.failed + one.errors} of {one.tests - one.skipped - one.uninformative} in {one.dtype}"
        for one in entries
    )
    return node(
        "article",
        node("h3", node("code", name)),
        node("p", f"Fails in {counts}."),
        *_diagnoses(entries),
        _overview(cases, pictures),
        *(_full(case, pictures, first=index == 0) for index, case in enumerate(cases[:FULL])),
        _rest(cases[FULL:]),
        id=name,
    )


def _diagnoses(entries: Sequence[Summary]) -> Iterator[ET.Element]:
    by_text: dict[str, list[str]] = {}
    for entry in entries:
        by_text.setdefault(entry.diagnosis, []).append(entry.dtype)
    for diagnosis, dtypes in by_text.items():
        where = "" if len(by_text) == 1 else f" in {', '.join(dtypes)}"
        yield node("p", node("b", f"Diagnosis{where}: "), diagnosis or "none", class_="diagnosis")


def _overview(cases: Sequence[Case], pictures: Pictures) -> ET.Element | None:
    """Draw the errors of all cases in the first dtype in which any was compared, by direction."""
    compared = [result for case in cases for result in case if result.profile is not None]
    if not compared:
        return None
    dtype = compared[0].dtype
    own = [result.profile for result in compared if result.dtype == dtype and result.profile is not None]
    if len(own) == 1 and cases[0][0].profile == own[0]:
        return None  # the picture of the only case is the same
    lines = [line for profile in own for line in profile.lines]
    usual = [along for along, _ in Counter(line.along for line in lines).most_common(2)]
    drawn = [[line for line in lines if line.along == along] for along in usual]
    title = f"Errors of {len(own)} failing cases in {dtype}"
    return node("div", *(pictures.draw(some, title) for some in drawn), class_="pictures")


def _full(case: Case, pictures: Pictures, *, first: bool) -> ET.Element:
    result = case[0]
    dtypes = ", ".join(one.dtype for one in case)
    parts: list[Content] = [
        node("summary", node("code", result.case_id), " ", node("span", f"in {dtypes}", class_="dtypes")),
        node("p", result.comment),
        node("p", "Tests ", ", ".join(result.clauses), "; judged by ", node("code", result.claim), "."),
        *(node("p", node("b", f"{one.dtype}: "), one.reason, class_="reason") for one in _distinct(case)),
        _params(result),
        _elements(case),
        _drawn(result, pictures),
        node("p", "All of it: ", node("code", f"posref show {result.case_id}"), class_="hint"),
    ]
    return node("details", *parts, **({"open": "open"} if first else {}))


def _distinct(case: Case) -> Iterator[Result]:
    """Yield the results whose reason the table of elements does not give."""
    seen: set[str] = set()
    for result in case:
        if result.first_wrong is None and result.reason not in seen:
            seen.add(result.reason)
            yield result


def _elements(case: Case) -> ET.Element | None:
    rows = [row for result in case for row in _element_rows(result)]
    if not rows:
        return None
    head = ["dtype", "element", "got", "expected", "error in ulp", "times the bound"]
    return table(head, rows, "The first wrong element, and the worst")


def _element_rows(result: Result) -> Iterator[ET.Element]:
    first, worst = result.first_wrong, result.worst_error
    if first is None or worst is None:
        return
    same = (first.output, first.index) == (worst.output, worst.index)
    name = "first and worst" if same else "first"
    place = _place(first.output, first.index)
    yield _row(result, name, place, _written(first.got), _written(first.expected), first.ulp, first.bounds)
    if not same:
        place = _place(worst.output, worst.index)
        yield _row(
            result, "worst", place, [repr(worst.got)], [repr(worst.expected)], worst.ulp, _times(worst)
        )


def _times(worst: Worst) -> float:
    return worst.ratio if worst.ratio == worst.ratio else float("inf")


def _row(
    result: Result,
    kind: str,
    place: str,
    got: list[Content],
    expected: list[Content],
    ulp: float,
    times: float,
) -> ET.Element:
    return node(
        "tr",
        node("th", result.dtype, scope="row"),
        node("td", f"{kind}: ", node("code", place)),
        node("td", *got, class_="value"),
        node("td", *expected, class_="value"),
        node("td", _endless(f"{ulp:.3g}"), class_="number"),
        node("td", _endless(number(times)), class_="number"),
    )


def _endless(size: str) -> str:
    return {"inf": "\N{INFINITY}", "nan": "\N{EN DASH}"}.get(size, size)


def _place(output: str, index: tuple[int, ...]) -> str:
    return output + (f"[{', '.join(map(str, index))}]" if index else "")


def _written(value: Written) -> list[Content]:
    if not value.bits:
        return [value.decimal]
    return [value.decimal, node("small", value.hexfloat), node("small", f"bits {value.bits}")]


def _drawn(result: Result, pictures: Pictures) -> ET.Element | None:
    lines: Sequence[Line] = result.profile.lines if result.profile is not None else ()
    if not lines or result.profile is None:
        return None
    title = f"Errors of {result.profile.output} in {result.dtype}"
    return node("div", *(pictures.draw([line], title) for line in lines), class_="pictures")


def _params(result: Result) -> ET.Element | None:
    if not result.params:
        return None
    said = [node("li", node("code", f"{name} = {_given(value)!r}")) for name, value in result.params.items()]
    return node("ul", *said, class_="params", aria_label="Parameters")


def _given(value: Any) -> Any:
    """Return a parameter; of one with members only those that are given."""
    if isinstance(value, Mapping):
        return {key: member for key, member in value.items() if member is not None}
    return value


def _rest(cases: Sequence[Case]) -> ET.Element | None:
    if not cases:
        return None
    rows = [
        node(
            "tr",
            node("th", node("code", case[0].case_id), scope="row"),
            node("td", ", ".join(one.dtype for one in case)),
            node("td", _short(case[0].reason)),
        )
        for case in cases[:LISTED]
    ]
    said = f"{len(cases):,} more failing {'case' if len(cases) == 1 else 'cases'}"
    left_out = len(cases) - LISTED
    more = node("p", f"{left_out:,} more are left out here.", class_="more") if left_out > 0 else None
    listed = table(["case", "dtypes", "how"], rows, "More failing cases")
    return node("details", node("summary", said), listed, more)


def _short(reason: str) -> str:
    return reason if len(reason) <= LONGEST else reason[: LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"
