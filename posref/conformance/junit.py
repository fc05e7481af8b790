"""A report as JUnit XML, for the test pages of build servers."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from posref.conformance.plain import clean, number
from posref.conformance.report import Report, Summary
from posref.conformance.verdict import Result


def render(report: Report) -> str:
    """Return `report` as JUnit XML in ASCII.

    A suite for each operation and dtype, in it a case for each case. A case in which no bound says
    anything, and one that fails as expected, is skipped; one that passes where a failure is expected is
    a failure only if the report is strict.
    """
    root = ET.Element("testsuites", name=clean(f"posref: {report.implementation} {report.version}".strip()))
    root.attrib.update(_counts(list(report.results), report.strict))
    by_suite: dict[tuple[str, str], list[Result]] = {}
    for result in report.results:
        by_suite.setdefault((result.operation, result.dtype), []).append(result)
    for entry in report.operations:
        root.append(_suite(report, entry, by_suite.get((entry.operation, entry.dtype), [])))
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="us-ascii", xml_declaration=True)
    return written.decode("ascii") + "\n"


def _counts(results: list[Result], strict: bool) -> dict[str, str]:
    verdicts = [_verdict(result, strict) for result in results]
    names = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    counts = {name: str(verdicts.count(verdict)) for name, verdict in names.items()}
    return {"tests": str(len(results)), **counts}


def _verdict(result: Result, strict: bool) -> str:
    """Return the element that says what became of a case; empty for a pass."""
    if result.verdict == "unexpected-pass":
        return "failure" if strict else ""
    return {"fail": "failure", "error": "error", "pass": ""}.get(result.verdict, "skipped")


def _suite(report: Report, entry: Summary, results: list[Result]) -> ET.Element:
    suite = ET.Element("testsuite", name=f"{entry.operation} {entry.dtype}")
    suite.attrib.update(_counts(results, report.strict))
    _properties(
        suite,
        corpus_version=report.corpus_version,
        operation=entry.operation,
        dtype=entry.dtype,
        strongest_claim=entry.strongest_claim,
        worst_ratio=number(entry.worst_ratio),
        diagnosis=entry.diagnosis,
    )
    for result in results:
        suite.append(_case(result, report.strict))
    return suite


def _properties(parent: ET.Element, **values: str) -> None:
    """Add the properties that have a value."""
    element = ET.SubElement(parent, "properties")
    for name, value in values.items():
        if value:
            ET.SubElement(element, "property", name=name, value=clean(value))


def _case(result: Result, strict: bool) -> ET.Element:
    case = ET.Element("testcase", classname=f"{result.operation}.{result.dtype}", name=clean(result.case_id))
    if result.verdict != "skipped":
        _judged(case, result)
    kind = _verdict(result, strict)
    if kind:
        said = ET.SubElement(case, kind, message=clean(_message(result)))
        said.set("type", result.verdict)
        if result.verdict not in ("skipped", "uninformative"):
            said.text = clean("\n".join(_details(result)))
    return case


def _judged(case: ET.Element, result: Result) -> None:
    _properties(
        case,
        verdict=result.verdict,
        kind=result.kind,
        claim=result.claim,
        strongest_claim=result.strongest_claim,
        worst_ratio=number(result.worst_error.ratio) if result.worst_error else "",
        elements=str(result.elements),
        uninformative_elements=str(result.uninformative),
        clauses=", ".join(result.clauses),
        flags=", ".join(result.flags),
        remark=result.remark,
    )


def _message(result: Result) -> str:
    expected = result.expected
    if result.verdict == "uninformative":
        return "no bound says anything"
    if expected is None:
        return result.reason
    known = " ".join(filter(None, (expected.reason, expected.link)))
    return (
        f"{'fails as expected' if result.verdict == 'expected-fail' else 'passes, but was to fail'}: {known}"
    )


def _details(result: Result) -> Iterator[str]:
    yield result.reason or _message(result)
    if result.first_wrong is not None:
        yield f"first wrong: {result.first_wrong}"
    if result.diagnosis:
        yield f"diagnosis: {result.diagnosis}"
    if result.params:
        yield "parameters: " + ", ".join(f"{name} = {value}" for name, value in result.params.items())
    yield f"why: {result.comment}"
    yield f"posref show {result.case_id}"
