"""What came of judging an implementation: counts, a table, the failures, as text and as JSON."""

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from posref.conformance.verdict import Result, from_record
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
    tests, passed, failed, errors, skipped, uninformative : int
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
    elements: int
    uninformative_elements: int
    strongest_claim: str
    worst_ratio: float
    diagnosis: str


@dataclass(frozen=True)
class Report:
    """The verdicts on an implementation. True only if something ran and nothing failed.

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
    """

    implementation: str
    version: str
    corpus_version: str
    results: tuple[Result, ...]
    operations: tuple[Summary, ...]

    def __bool__(self) -> bool:
        return self.executed > 0 and self.failed == 0 and self.errors == 0

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
    def executed(self) -> int:
        """Cases that say something: passed, failed or in error."""
        return self.passed + self.failed + self.errors

    @property
    def last_line(self) -> str:
        """The counts, machine-readable; the last line of every text report."""
        return (
            f"posref: selected={self.selected} executed={self.executed} passed={self.passed} "
            f"failed={self.failed} errors={self.errors} skipped={self.skipped} "
            f"uninformative={self.uninformative}"
        )

    def to_text(self) -> str:
        """Return the report for a terminal, at most 100 columns wide."""
        from posref.conformance import text

        return text.render(self)

    def __str__(self) -> str:
        return self.to_text()

    def to_json(self) -> str:
        """Return the report as JSON; numbers that JSON lacks are the strings nan, inf and -inf."""
        document = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "implementation": {"name": self.implementation, "version": self.version},
            "corpus_version": self.corpus_version,
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
            )
        except (ValueError, KeyError, TypeError) as failure:
            raise FormatError("report", f"cannot be read: {failure}") from None


_COUNTS: Final = ("selected", "executed", "passed", "failed", "errors", "skipped", "uninformative")


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
    count = dict.fromkeys(("pass", "fail", "error", "skipped", "uninformative"), 0)
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
        elements=sum(entry.elements for entry in entries),
        uninformative_elements=sum(entry.uninformative for entry in entries),
        strongest_claim=strongest_claim,
        worst_ratio=max((entry.worst_error.ratio for entry in entries if entry.worst_error), default=0.0),
        diagnosis=diagnosis,
    )
