"""Run an implementation over the vectors, one dtype at a time.

An exception is the verdict "error", except where the input must be refused: there it is a pass, and an
answer the failure. What cannot be put to an implementation is skipped, with the reason.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posref.adapters import BrokenError, Implementation, Unsupported
from posref.conformance import exchange
from posref.conformance.claims import INTEGERS, default_claim
from posref.conformance.compare import Evidence, Want, assess, sides
from posref.conformance.exchange import MismatchError, SkippedError, as_array
from posref.conformance.verdict import Result
from posref.corpus.load import Test
from posref.errors import SpecError
from posref.operation import Signature, signature

Array = NDArray[Any]


@dataclass(frozen=True)
class Attempt:
    """One case tried in one dtype; `evidence` is there when values were compared."""

    test: Test
    result: Result
    evidence: Evidence | None = None


def run(
    implementation: Implementation,
    tests: Iterable[Test],
    dtype: str,
    claim: str | None = None,
    *,
    ranked: bool = True,
) -> Iterator[Attempt]:
    """Yield an `Attempt` for each of `tests` that has to do with `dtype`.

    Parameters
    ----------
    implementation : Implementation
        What is judged.
    tests : iterable of Test
        Loaded vectors.
    dtype : str
        A floating dtype; ``"int64"`` runs the operations without float outputs, and only them.
    claim : str, optional
        The claim to judge by; default: the default claim of the output's dtype.
    ranked : bool, default True
        Whether to look for the strongest claim that each result keeps; it takes longer than a verdict.
    """
    absent = missing(implementation, dtype)
    for test in tests:
        entry = signature(test.operation)
        if entry.integer == (dtype == "int64"):
            attempt = _attempt(implementation, entry, test, _blank(entry, test, dtype, claim), absent)
            yield _ranked(attempt) if ranked else attempt


def _ranked(attempt: Attempt) -> Attempt:
    if attempt.evidence is None:
        return attempt
    result = replace(attempt.result, strongest_claim=attempt.evidence.strongest())
    return replace(attempt, result=result)


def missing(implementation: Implementation, dtype: str) -> str:
    """Return why `implementation` cannot have tensors of `dtype` here; empty if it can."""
    if dtype not in (*implementation.dtypes, "int64"):
        return f"{dtype} not offered"
    try:
        implementation.write(np.zeros(1), dtype)
    except (ImportError, SkippedError) as missing:
        return str(missing)
    return ""


def _blank(entry: Signature, test: Test, dtype: str, claim: str | None) -> Result:
    if entry.integer:
        dtype = "bool" if entry.outputs[0].dtype == "bool" else "int64"
    return Result(
        case_id=test.id,
        operation=test.operation,
        dtype=dtype,
        kind=test.kind,
        claim=claim if claim is not None and dtype not in INTEGERS else default_claim(dtype),
        verdict="skipped",
        comment=test.comment,
        flags=tuple(test.flags),
        clauses=tuple(test.clauses),
    )


def _attempt(
    implementation: Implementation, entry: Signature, test: Test, blank: Result, absent: str
) -> Attempt:
    judged = _refusal if test.kind == "invalid" else _value
    try:
        if test.operation not in implementation.operations:
            raise SkippedError("operation not offered")
        if absent:
            raise SkippedError(absent)
        exchange.check_capabilities(implementation, test.requires)
        with implementation.around(test.id, blank.dtype):
            return judged(implementation, entry, test, blank)
    except SkippedError as skip:
        return Attempt(test, replace(blank, reason=str(skip)))
    except Unsupported as reason:
        return Attempt(test, replace(blank, reason=str(reason) or "not supported"))


def _value(implementation: Implementation, entry: Signature, test: Test, blank: Result) -> Attempt:
    stored = test.expected.values()
    if any(exchange.judged_in(output, blank.dtype) not in output for output in stored):
        raise SkippedError(f"no expected value in {blank.dtype}")
    values = {name: as_array(tensor) for name, tensor in test.inputs.items()}
    tensors = exchange.write_inputs(implementation, entry, test, values, blank.dtype)
    before = exchange.read_values(implementation, tensors)
    try:
        answer = exchange.call(implementation, entry, test, tensors, blank.dtype)
        after = exchange.read_values(implementation, tensors)
        exchange.check_untouched(before, after)
        got = exchange.read_answer(implementation, entry, test, answer, blank.dtype)
    except Unsupported:
        raise
    except MismatchError as mismatch:
        return Attempt(test, replace(blank, verdict="fail", reason=str(mismatch), strongest_claim="none"))
    except Exception as failure:  # whatever an implementation raises is a finding, not a crash of the judge
        return Attempt(test, replace(blank, verdict="error", reason=exchange.quote(failure)))
    got = exchange.unflushed(implementation, got, test, blank.dtype)
    return _compare(test, blank, evidence(test, values, got, blank.dtype))


def evidence(
    test: Test,
    values: Mapping[str, Array],
    got: Mapping[str, Array],
    dtype: str,
    earlier: Mapping[str, tuple[Evidence, str]] | None = None,
) -> Evidence:
    """Return what a call had to give and what it gave; `earlier` as in `Evidence`."""
    want = {}
    for name, stored in test.expected.items():
        own = exchange.judged_in(stored, dtype)
        data = as_array(stored[own].tensor)
        if own in INTEGERS:
            want[name] = Want(own, data, None, data)
            continue
        real = as_array(stored["float64"].tensor) if "float64" in stored else data
        bound = as_array(replace(stored[dtype].tensor, dtype="float64", data=stored[dtype].bound))
        want[name] = Want(dtype, data, sides(stored[dtype].residual, data.shape), real, bound)
    strict = test.signed_zero == "strict"
    return Evidence(
        test.operation, dtype, values, test.params, want, got, strict_zero=strict, earlier=earlier or {}
    )


def _compare(test: Test, blank: Result, found: Evidence) -> Attempt:
    outcome = assess(found, blank.claim)
    informative = outcome.elements > 0 or outcome.uninformative == 0
    verdict = ("pass" if informative else "uninformative") if outcome.passed else "fail"
    result = replace(
        blank,
        verdict=verdict,
        reason=str(outcome.worst) if verdict == "fail" else "",
        worst_error=outcome.worst,
        first_wrong=outcome.first,
        elements=outcome.elements,
        uninformative=outcome.uninformative,
    )
    return Attempt(test, result, found)


def _refusal(implementation: Implementation, entry: Signature, test: Test, blank: Result) -> Attempt:
    values = {name: as_array(tensor) for name, tensor in test.inputs.items()}
    tensors = exchange.write_inputs(implementation, entry, test, values, blank.dtype)
    try:
        exchange.call(implementation, entry, test, tensors, blank.dtype)
    except Unsupported:
        raise
    except BrokenError as broken:
        return Attempt(test, replace(blank, verdict="error", reason=str(broken)))
    except Exception as refusal:  # refused in any way is a pass
        return Attempt(test, replace(blank, verdict="pass", remark=_remark(test, refusal)))
    wanted = f" ({test.error.kind} of {test.error.parameter})" if test.error else ""
    reason = f"answered an input that must be refused{wanted}"
    return Attempt(test, replace(blank, verdict="fail", reason=reason))


def _remark(test: Test, refusal: Exception) -> str:
    if test.error is None or not isinstance(refusal, SpecError):
        return ""
    found, wanted = (refusal.kind, refusal.parameter), (test.error.kind, test.error.parameter)
    if found in (wanted, (wanted[0], "")):  # a program may leave the parameter out
        return ""
    named = f" of {found[1]}" if found[1] else ""
    return f"refused as {found[0]}{named} where {wanted[0]} of {wanted[1]} is expected"
