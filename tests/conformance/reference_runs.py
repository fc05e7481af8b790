"""The vectors put to the reference, as it is or with a mutant in force."""

import signal
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from posref.adapters import reference
from posref.conformance.claims import ladder
from posref.conformance.exchange import as_array, call, write_inputs
from posref.conformance.run import run
from posref.corpus import load_vectors
from posref.corpus.load import Test as Vector
from posref.errors import SpecError
from posref.operation import signature

REFERENCE = reference.load()

LIMIT_SECONDS = 2.0
"""A mutant may never end; one case takes milliseconds."""


@dataclass(frozen=True)
class Outcome:
    """How the reference does on one vector: the verdict, or the refusal, and how close it comes."""

    verdict: str
    rank: int = 0


def outcome(test: Vector, dtype: str = "float64") -> Outcome:
    """Put one vector to the reference in a dtype, or in integers where its operation has them."""
    dtype = "int64" if signature(test.operation).integer else dtype
    if test.kind == "invalid":  # whatever the dtype: its inputs need not be exact in a narrow one
        return Outcome(refusal(test, "int64" if dtype == "int64" else "float64"))
    [attempt] = run(REFERENCE, [test], dtype)
    claims, kept = ladder(attempt.result.dtype), attempt.result.strongest_claim
    return Outcome(attempt.result.verdict, claims.index(kept) if kept in claims else len(claims))


def refusal(test: Vector, dtype: str) -> str:
    """Return what the reference refuses an invalid input with; its own errors by kind and parameter."""
    entry = signature(test.operation)
    values = {name: as_array(tensor) for name, tensor in test.inputs.items()}
    tensors = write_inputs(REFERENCE, entry, test, values, dtype)
    try:
        call(REFERENCE, entry, test, tensors, dtype)
    except SpecError as error:
        return f"{error.kind} of {error.parameter}"
    except Exception as error:  # Python refuses what is left out, and NumPy what a mutant makes of an input
        return type(error).__name__
    return "answered"


@cache
def vectors(pattern: str = "*") -> tuple[Vector, ...]:
    """Return the vectors of some operations, the small ones first."""
    tests = load_vectors(operations=pattern).tests
    return tuple(sorted(tests, key=lambda t: sum(len(tensor.data) for tensor in t.inputs.values())))


class EndlessError(BaseException):
    """Time is up; no exception that code under test would catch."""


def expire(*_: Any) -> None:
    raise EndlessError


@contextmanager
def limited(seconds: float = LIMIT_SECONDS) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def judged(test: Vector, before: Outcome, dtype: str = "float64") -> str:
    """Say what a vector makes of the mutant in force.

    The word is ``rejected``, ``endless``, ``coarser`` (than it was) or ``same``.
    """
    try:
        with limited():
            after = outcome(test, dtype)
    except EndlessError:
        return "endless"
    except Exception:  # a mutant may fail in any way, and failing is being seen
        return "rejected"
    if after.verdict != before.verdict:
        return "rejected"
    return "coarser" if after.rank > before.rank else "same"


Lines = dict[str, set[int]]


@contextmanager
def tracing(names: frozenset[str]) -> Iterator[Lines]:
    """Note which lines of some files run."""
    ran: Lines = {name: set() for name in names}

    def line(frame: types.FrameType, event: str, _: Any) -> Any:
        if event == "line":
            ran[frame.f_code.co_filename].add(frame.f_lineno)
        return line

    def call(frame: types.FrameType, *_: Any) -> Any:
        return line if frame.f_code.co_filename in names else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        yield ran
    finally:
        sys.settrace(before)


def traced(test: Vector, names: frozenset[str]) -> tuple[Outcome, Outcome, Lines]:
    """Put one vector to the reference in float64 and in float32; return too which lines of the files ran."""
    with tracing(names) as ran:
        return outcome(test), outcome(test, "float32"), ran
