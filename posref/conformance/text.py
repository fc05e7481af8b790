"""A report for people: 100 columns but for the last line; the table first, then what failed and how."""

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from posref.conformance.plain import clean
from posref.conformance.report import Report, Summary
from posref.conformance.verdict import Result

WIDTH: Final = 100
SHOWN: Final = 3
"""Failing cases shown for each operation."""
SHOWN_PASSES: Final = 20
"""Unexpected passes shown."""

_HEAD: Final = (
    f"{'operation':<24} {'dtype':<9} {'tests':>5} {'pass':>5} {'fail':>5} {'error':>5} {'skip':>5} "
    f"{'uninf.':>6} {'strongest claim':<18} {'err/bound':>9}"
)


def render(report: Report) -> str:
    """Return `report` as text; its last line is `Report.last_line`."""
    lines = [_title(report), ""]
    lines += _table(report)
    lines += _elements(report)
    lines += _skips(report)
    lines += _failures(report)
    lines += _expected(report)
    lines += _remarks(report)
    return "\n".join([*lines, report.last_line])


def _title(report: Report) -> str:
    name = " ".join(filter(None, (report.implementation, report.version)))
    return f"posref: {name} judged by corpus {report.corpus_version}"[:WIDTH]


def _table(report: Report) -> Iterator[str]:
    yield _HEAD
    yield "-" * len(_HEAD)
    previous = ""
    for entry in report.operations:
        if entry.skipped == entry.tests:
            continue
        yield _row(entry, "" if entry.operation == previous else entry.operation)
        previous = entry.operation
    yield ""


def _elements(report: Report) -> Iterator[str]:
    """Say of each dtype how many elements were compared, and of how many no bound says anything."""
    counts: dict[str, Counter[str]] = {}
    for entry in report.operations:
        one = counts.setdefault(entry.dtype, Counter())
        one.update(elements=entry.elements, uninformative=entry.uninformative_elements)
    parts = [
        f"{dtype} {one['elements']} ({one['uninformative']} more uninformative)"
        for dtype, one in counts.items()
        if one.total()
    ]
    if parts:
        yield from _wrapped("elements compared: ", ", ".join(parts))
        yield ""


def _row(entry: Summary, name: str) -> str:
    return (
        f"{name:<24} {entry.dtype:<9} {entry.tests:>5} {entry.passed:>5} {entry.failed:>5} {entry.errors:>5} "
        f"{entry.skipped:>5} {entry.uninformative_elements:>6} {entry.strongest_claim or '-':<18} "
        f"{_ratio(entry.worst_ratio):>9}"
    )


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 1000 else f"{value:.1e}"


def _skips(report: Report) -> Iterator[str]:
    reasons = Counter(result.reason for result in report.results if result.verdict == "skipped")
    offered = {entry.operation for entry in report.operations if entry.skipped < entry.tests}
    absent = sorted({entry.operation for entry in report.operations} - offered)
    if absent:
        yield from _wrapped("nothing ran: ", ", ".join(absent))
    for reason, count in reasons.most_common():
        yield from _wrapped(f"skipped {count:>5}: ", reason)
    if report.uninformative:
        head = f"uninformative {report.uninformative}: "
        yield from _wrapped(head, "no bound says anything; these cases count as not executed")
    if reasons or report.uninformative:
        yield ""


def _failures(report: Report) -> Iterator[str]:
    """Say of each operation how often it failed, what that looks like, and show the first cases."""
    for operation in dict.fromkeys(entry.operation for entry in report.operations):
        bad = [entry for entry in report.operations if entry.operation == operation]
        bad = [entry for entry in bad if entry.failed + entry.errors]
        if bad:
            counts = (f"{entry.failed} failed and {entry.errors} in error in {entry.dtype}" for entry in bad)
            yield from _wrapped(f"{operation}: ", ", ".join(counts))
            yield from _diagnoses(bad)
            yield from _cases([result for result in report.results if result.operation == operation])
            yield ""


def _diagnoses(bad: Sequence[Summary]) -> Iterator[str]:
    by_text: dict[str, list[str]] = {}
    for entry in bad:
        by_text.setdefault(entry.diagnosis, []).append(entry.dtype)
    for diagnosis, dtypes in by_text.items():
        where = "" if len(by_text) == 1 else f" in {', '.join(dtypes)}"
        yield from _wrapped(f"  diagnosis{where}: ", diagnosis)


def _cases(results: Sequence[Result]) -> Iterator[str]:
    """Show the first failing cases, each in the first dtype in which it fails."""
    wrong: dict[str, Result] = {}
    for result in results:
        if result.verdict in ("fail", "error"):
            wrong.setdefault(result.case_id, result)
    for result in list(wrong.values())[:SHOWN]:
        yield from _wrapped(
            f"  {result.verdict} ", f"{result.case_id} in {result.dtype} ({', '.join(result.clauses)})"
        )
        yield from _wrapped("    why: ", result.comment)
        how = result.claim if result.worst_error is not None else "how"
        yield from _wrapped(f"    {how}: ", result.reason)
        if result.first_wrong is not None:
            yield from _wrapped("    first wrong: ", str(result.first_wrong))
    if len(wrong) > SHOWN:
        yield f"  and {len(wrong) - SHOWN} more cases; posref check --json lists them all"


def _expected(report: Report) -> Iterator[str]:
    """Say how many cases fail as expected, and which expected failures there are not."""
    if report.expected_failures:
        yield f"fail as expected: {report.expected_failures}"
    passing = [result for result in report.results if result.verdict == "unexpected-pass"]
    for result in passing[:SHOWN_PASSES]:
        yield from _wrapped("passes unexpectedly: ", f"{result.case_id} in {result.dtype}, {_why(result)}")
    if len(passing) > SHOWN_PASSES:
        yield f"passes unexpectedly: and {len(passing) - SHOWN_PASSES} more"
    for entry in report.unmatched:
        where = f"{entry.case} (operation {entry.operation}, dtype {entry.dtype})"
        yield from _wrapped("expected failure of no case: ", where)
    if passing or report.unmatched or report.expected_failures:
        yield ""


def _why(result: Result) -> str:
    return f"expected to fail: {result.expected.reason}" if result.expected else ""


def _remarks(report: Report) -> Iterator[str]:
    remarks = [f"{result.case_id}: {result.remark}" for result in report.results if result.remark]
    distinct = list(dict.fromkeys(remarks))
    for remark in distinct[:SHOWN]:
        yield from _wrapped("remark: ", remark)
    if len(distinct) > SHOWN:
        yield f"remark: and {len(distinct) - SHOWN} more"
    if distinct:
        yield ""


def _wrapped(head: str, body: str) -> list[str]:
    return textwrap.wrap(
        " ".join(clean(body).split()) or "-",
        WIDTH,
        initial_indent=head,
        subsequent_indent=" " * min(len(head), 12),
        break_on_hyphens=False,
    )
