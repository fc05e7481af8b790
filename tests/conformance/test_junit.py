"""JUnit XML: what build servers read of a report."""

from collections.abc import Callable
from xml.etree import ElementTree as ET

import faulty
import pytest

from posref.conformance.report import Report
from posref.conformance.verdict import Expectation

Install = Callable[..., None]


@pytest.fixture
def report(corpus_of: Install) -> Report:
    corpus_of(*faulty.TESTS)
    return faulty.run()


def parsed(report: Report) -> ET.Element:
    text = report.to_junit()
    assert text.isascii()
    return ET.fromstring(text)


def cases(root: ET.Element) -> dict[str, ET.Element]:
    return {case.get("name", ""): case for case in root.iter("testcase")}


def properties(element: ET.Element) -> dict[str, str]:
    return {one.attrib["name"]: one.attrib["value"] for one in element.findall("properties/property")}


def test_a_suite_for_each_operation_and_dtype(report: Report) -> None:
    root = parsed(report)
    assert (root.tag, root.get("name")) == ("testsuites", "posref: mapping")
    suites = {suite.get("name"): suite for suite in root.findall("testsuite")}
    assert suites.keys() == {"rope.inv_freq float32", "positions.relative int64", "alibi.slopes float32"}
    own = properties(suites["rope.inv_freq float32"])
    assert (own["operation"], own["dtype"], own["corpus_version"]) == ("rope.inv_freq", "float32", "1.2.3")
    assert own["strongest_claim"] == "none"
    assert own["diagnosis"]


def test_counts_are_those_of_the_elements(report: Report) -> None:
    root = parsed(report)
    for element in (root, *root.findall("testsuite")):
        own = list(element.iter("testcase"))
        assert element.get("tests") == str(len(own))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert element.get(name) == str(sum(case.find(tag) is not None for case in own))
    assert [root.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["5", "1", "1", "1"]


def test_a_failure_says_what_and_why(report: Report) -> None:
    case = cases(parsed(report))["other-ladder"]
    assert case.get("classname") == "rope.inv_freq.float32"
    failure = case.find("failure")
    assert failure is not None
    assert "inv_freq[1]: got 0.0099" in failure.get("message", "")
    for part in ("first wrong: inv_freq[1]", "diagnosis: ", "rotary_dim = 4", "Made by hand.", "posref show"):
        assert part in (failure.text or "")
    own = properties(case)
    assert own["claim"] == "f32-angle"
    assert own["clauses"] == "rope.C1"
    assert own["strongest_claim"] == "none"
    assert own["verdict"] == "fail"


def test_passes_and_skips(report: Report) -> None:
    found = cases(parsed(report))
    assert [child.tag for child in found["ladder"]] == ["properties"]
    assert properties(found["ladder"])["strongest_claim"] == "correctly_rounded"
    skipped = found["slopes"].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "operation not offered"


def test_markup_is_escaped_and_control_characters_are_gone(report: Report) -> None:
    error = cases(parsed(report))["relative"].find("error")
    assert error is not None
    message = error.get("message", "")
    assert 'no <b>kernel</b> & "more" ]]> red' in message
    assert message.endswith("\N{SNOWMAN}")
    assert not {"\x00", "\x08", "\x1b", "\ud800"} & set(message)


@pytest.mark.parametrize(("strict", "failures"), [(False, "0"), (True, "1")])
def test_expected_failures_are_skipped_and_unexpected_passes_fail_only_a_strict_report(
    corpus_of: Install, strict: bool, failures: str
) -> None:
    corpus_of(*faulty.TESTS)
    known = [
        Expectation("*ladder", "half a ladder", "https://example.org/7"),
        Expectation("relative", "unwritten"),
    ]
    root = parsed(faulty.run(expected=known, strict=strict))
    assert [root.get(name) for name in ("failures", "errors", "skipped")] == [failures, "0", "3"]
    found = cases(root)
    skipped = found["other-ladder"].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "fails as expected: half a ladder https://example.org/7"
    assert "got 0.0099" in (skipped.text or "")
    assert (found["ladder"].find("failure") is not None) is strict
    assert properties(found["ladder"])["verdict"] == "unexpected-pass"
