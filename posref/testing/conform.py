"""A whole implementation judged in one line of a test."""

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from posref.adapters import Implementation
from posref.conformance.report import Report, Summary
from posref.conformance.results import Results
from posref.conformance.suite import check
from posref.conformance.target import resolve
from posref.conformance.verdict import Result
from posref.conformance.wire import Command
from posref.operation import signatures
from posref.testing.libraries import library as named_library

SHOWN: Final = 3
"""Operations that a message describes."""


def assert_conforms(
    implementation: Any,
    operations: str | Sequence[str] = "*",
    dtype: str | Sequence[str] | None = None,
    claim: str | None = None,
    *,
    kind: str | None = None,
    library: str = "numpy",
    root: str | Path | None = None,
    min_tests: int = 1,
) -> None:
    """Raise an AssertionError unless an implementation conforms to the certified vectors.

    Parameters
    ----------
    implementation : callable, mapping, module, object, str, Implementation, Command or Results
        What `posref.check` takes; or, where `operations` is the name of one operation, its function.
    operations, dtype, claim, kind, root
        As in `posref.check`.
    library : {"numpy", "torch", "jax"}, default "numpy"
        Whose arrays the functions get. Arrays of any of the three may come back.
    min_tests : int, default 1
        Cases that must have been executed; a run that skips everything is no success.

    Raises
    ------
    AssertionError
        What failed, the first wrong element, the diagnosis and how to see a case.
    ValueError
        If an argument is unknown, or `library` is given for what writes its own arrays.

    Examples
    --------
    >>> import posref
    >>> assert_conforms(posref, "alibi.*", dtype=["float32", "bfloat16"])
    >>> assert_conforms(posref.alibi.slopes, "alibi.slopes", "float32", min_tests=10)
    """
    target = _target(implementation, operations, library, root)
    report = check(target, operations, dtype, claim, root, kind=kind)
    if report.failed or report.errors:
        raise AssertionError(_failures(report))
    if report.executed < min_tests:
        raise AssertionError(_too_few(report, min_tests))


def _target(implementation: Any, operations: str | Sequence[str], name: str, root: str | Path | None) -> Any:
    if callable(implementation) and isinstance(operations, str) and operations in signatures():
        implementation = {operations: implementation}
    own = isinstance(implementation, Implementation | Command | Results)
    if name == "numpy":
        return implementation
    library = named_library(name)
    if own:
        raise ValueError(f"{type(implementation).__name__} writes its own arrays; leave library out")
    target = resolve(implementation, root)
    return replace(target, write=library.write, dtypes=library.dtypes)


def _failures(report: Report) -> str:
    bad = [entry for entry in report.operations if entry.failed or entry.errors]
    count = report.failed + report.errors
    lines = [
        f"{report.implementation} does not conform: {count} of {report.executed} cases executed are wrong"
    ]
    for entry in bad[:SHOWN]:
        lines += _operation(report, entry)
    if len(bad) > SHOWN:
        rest = (f"{entry.operation} in {entry.dtype}" for entry in bad[SHOWN:])
        lines += _wrapped("  also wrong: ", ", ".join(rest))
    return "\n".join(lines)


def _operation(report: Report, entry: Summary) -> Iterator[str]:
    wrong = entry.failed + entry.errors
    yield f"  {entry.operation} in {entry.dtype}: {wrong} of {wrong + entry.passed} cases"
    yield from _wrapped("    diagnosis: ", entry.diagnosis)
    first = next(one for one in report.results if _is_of(one, entry) and one.verdict in ("fail", "error"))
    if first.first_wrong is not None:
        yield from _wrapped(f"    first wrong element, by {first.claim}: ", str(first.first_wrong))
    else:
        yield from _wrapped("    first failure: ", first.reason)
    yield f"    see: posref show {first.case_id}"


def _is_of(result: Result, entry: Summary) -> bool:
    return (result.operation, result.dtype) == (entry.operation, entry.dtype)


def _too_few(report: Report, wanted: int) -> str:
    reasons = Counter(one.reason for one in report.results if one.verdict == "skipped")
    if report.uninformative:
        reasons["no bound says anything"] += report.uninformative
    lines = [f"{report.implementation}: {report.executed} cases executed where {wanted} are wanted"]
    for reason, count in reasons.most_common(SHOWN):
        lines += _wrapped(f"  {count} skipped: ", reason)
    return "\n".join(lines)


def _wrapped(head: str, body: str) -> list[str]:
    lines = textwrap.wrap(" ".join(body.split()), 100, initial_indent=head, subsequent_indent="      ")
    return lines if body else []
