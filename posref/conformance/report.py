"""What came of judging an implementation: counts, a table, the failures, as text, JSON, JUnit and HTML."""

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from posref.conformance.verdict import VERDICTS, Expectation, Result, from_record
from posref.errors import FormatError

FORMAT: Final = "posref-report"
FORMAT_VERSION: Final = 1


@dataclass(frozen=True)
class Summary:
    """The results of one operation in one dtype.

    Attributes
    ----------
    operation, dtype : str
        Which.
    tests, passed, failed, errors, skipped, uninformative, expected_failures, unexpected_passes : int
        Cases by verdict.
    elements, uninformative_elements : int
        Elements compared, and elements whose bound says nothing.
    strongest_claim : str
        The strongest claim that holds in every case that ran, ``"none"``, or empty where none ran.
    worst_ratio : float
        The largest error as a multiple of its bound.
    diagnosis : str
        What the failures look like.
    """

    operation: str
    dtype: str
    tests: int
    passed: int
    failed: int
    errors: int
    skipped: int
    uninformative: int
    expected_failures: int
    unexpected_passes: int
    elements: int
    uninformative_elements: int
    strongest_claim: str
    worst_ratio: float
    diagnosis: str


@dataclass(frozen=True)
class Report:
    """The verdicts on an implementation. True only if something ran and nothing failed unexpectedly.

    Attributes
    ----------
    implementation, version : str
        What was judged.
    corpus_version : str
        By which vectors.
    results : tuple of Result
        One a case and dtype.
    operations : tuple of Summary
        One an operation and dtype.
    strict : bool
        Whether a case that passes where a failure is expected counts against the implementation.
    unmatched : tuple of Expectation
        Expected failures that are of no case chosen.
    """

    implementation: str
    version: str
    corpus_version: str
    results: tuple[Result, ...]
    operations: tuple[Summary, ...]
    strict: bool = False
    unmatched: tuple[Expectation, ...] = ()

    def __bool__(self) -> bool:
        surprised = self.strict and self.unexpected_passes > 0
        return self.executed > 0 and self.failed == 0 and self.errors == 0 and not surprised

    def _count(self, verdict: str) -> int:
        return sum(result.verdict == verdict for result in self.results)

    @property
    def selected(self) -> int:
        """Cases chosen, one a dtype."""
        return len(self.results)

    @property
    def passed(self) -> int:
        """Cases that keep the claim."""
        return self._count("pass")

    @property
    def failed(self) -> int:
        """Cases with a wrong answer."""
        return self._count("fail")

    @property
    def errors(self) -> int:
        """Cases in which the implementation raised an exception instead of answering."""
        return self._count("error")

    @property
    def skipped(self) -> int:
        """Cases that could not be put to the implementation."""
        return self._count("skipped")

    @property
    def uninformative(self) -> int:
        """Cases in which no bound says anything."""
        return self._count("uninformative")

    @property
    def expected_failures(self) -> int:
        """Cases that failed or raised an exception, as expected."""
        return self._count("expected-fail")

    @property
    def unexpected_passes(self) -> int:
        """Cases that pass where a failure is expected."""
        return self._count("unexpected-pass")

    @property
    def executed(self) -> int:
        """Cases that say something: passed, failed or in error, expected or not."""
        return self.selected - self.skipped - self.uninformative

    @property
    def elements(self) -> int:
        """Elements compared."""
        return sum(result.elements for result in self.results)

    @property
    def uninformative_elements(self) -> int:
        """Elements that keep the claim because its bound says nothing."""
        return sum(result.uninformative for result in self.results)

    @property
    def last_line(self) -> str:
        """The counts, machine-readable; the last line of every text report."""
        return (
            f"posref: selected={self.selected} executed={self.executed} passed={self.passed} "
            f"failed={self.failed} errors={self.errors} skipped={self.skipped} "
            f"uninformative={self.uninformative} expected_failures={self.expected_failures} "
            f"unexpected_passes={self.unexpected_passes} elements={self.elements} "
            f"uninformative_elements={self.uninformative_elements}"
        )

    def to_text(self) -> str:
        """Return the report for a terminal, at most 100 columns wide but for its last line."""
        from posref.conformance import text

        return text.render(self)

    def __str__(self) -> str:
        return self.to_text()

    def to_junit(self) -> str:
        """Return the report as JUnit XML: a suite for each operation and dtype, a case for each case."""
        from posref.conformance import junit

        return junit.render(self)

    def to_html(self) -> str:
        """Return the report as one page of HTML that needs nothing from elsewhere, no script either."""
        from posref.conformance import page

        return page.render(self)

    def to_json(self) -> str:
        """Return the report as JSON; numbers that JSON lacks are the strings nan, inf and -inf."""
        document = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "implementation": {"name": self.implementation, "version": self.version},
            "corpus_version": self.corpus_version,
            "strict": self.strict,
            "unmatched": [asdict(entry) for entry in self.unmatched],
            "summary": {name: getattr(self, name) for name in _COUNTS},
            "operations": [asdict(entry) for entry in self.operations],
            "results": [asdict(entry) for entry in self.results],
        }
        return json.dumps(_plain(document), indent=1, ensure_ascii=True, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Report":
        """Return the report that `to_json` wrote; a FormatError where `text` is none."""
        try:
            document = json.loads(text)
            if (document["format"], document["format_version"]) != (FORMAT, FORMAT_VERSION):
                raise ValueError(f"is not a {FORMAT} of version {FORMAT_VERSION}")
            return cls(
                document["implementation"]["name"],
                document["implementation"]["version"],
                document["corpus_version"],
                tuple(from_record(record) for record in document["results"]),
                tuple(_summary(record) for record in document["operations"]),
                document["strict"],
                tuple(Expectation(**record) for record in document["unmatched"]),
            )
        except (ValueError, KeyError, TypeError) as failure:
            raise FormatError("report", f"cannot be read: {failure}") from None


_COUNTS: Final = (
    *("selected", "executed", "passed", "failed", "errors", "skipped", "uninformative"),
    *("expected_failures", "unexpected_passes", "elements", "uninformative_elements"),
)


def _summary(record: dict[str, Any]) -> Summary:
    return Summary(**{**record, "worst_ratio": float(record["worst_ratio"])})


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value


def summarize(results: Iterable[Result], strongest_claim: str, diagnosis: str) -> Summary:
    """Return the `Summary` of the results of one operation in one dtype."""
    entries = tuple(results)
    count = dict.fromkeys(VERDICTS, 0)
    for entry in entries:
        count[entry.verdict] += 1
    return Summary(
        operation=entries[0].operation,
        dtype=entries[0].dtype,
        tests=len(entries),
        passed=count["pass"],
        failed=count["fail"],
        errors=count["error"],
        skipped=count["skipped"],
        uninformative=count["uninformative"],
        expected_failures=count["expected-fail"],
        unexpected_passes=count["unexpected-pass"],
        elements=sum(entry.elements for entry in entries),
        uninformative_elements=sum(entry.uninformative for entry in entries),
        strongest_claim=strongest_claim,
        worst_ratio=max((entry.worst_error.ratio for entry in entries if entry.worst_error), default=0.0),
        diagnosis=diagnosis,
    )
