"""The vectors put to the reference, as it is and with one function's code exchanged."""

import ast
import inspect
import signal
import sys
import types
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from mutation import Mutant

from posref.adapters import reference
from posref.conformance.claims import ladder
from posref.conformance.exchange import as_array, call, write_inputs
from posref.conformance.run import run
from posref.corpus import load_vectors
from posref.corpus.load import Test as Vector
from posref.errors import SpecError
from posref.numerics import wide
from posref.operation import signature

REFERENCE = reference.load()

LIMIT_SECONDS = 2.0
"""A mutant may never end; one case takes milliseconds."""


@dataclass(frozen=True)
class Outcome:
    """How the reference does on one vector: the verdict, or the refusal, and how close it comes."""

    verdict: str
    rank: int = 0


def outcome(test: Vector) -> Outcome:
    """Put one vector to the reference in float64, or in integers where its operation has them."""
    dtype = "int64" if signature(test.operation).integer else "float64"
    if test.kind == "invalid":
        return Outcome(refusal(test, dtype))
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


def function(module: types.ModuleType, name: str) -> types.FunctionType:
    """Return the plain function of a name such as ``apply`` or ``Reading.find``, without its decorators."""
    owner, _, attribute = name.rpartition(".")
    found = inspect.getattr_static(getattr(module, owner) if owner else module, attribute)
    found = found.fget if isinstance(found, property) else found
    found = inspect.unwrap(found)
    assert isinstance(found, types.FunctionType), name
    return found


def code(tree: ast.Module, name: str) -> types.CodeType:
    """Return the code of a function in a changed source."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a change such as ``is not 3`` is warned of
        found = compile(tree, "mutant", "exec", dont_inherit=True)
    for part in name.split("."):
        found = next(c for c in found.co_consts if isinstance(c, types.CodeType) and c.co_name == part)
    return found


@contextmanager
def exchanged(module: types.ModuleType, mutant: Mutant) -> Iterator[None]:
    """Put the code of a mutant in the place of the function's own: all who hold the function run it."""
    target = function(module, mutant.function)
    own = target.__code__
    target.__code__ = code(mutant.tree, mutant.function)
    forget()
    try:
        yield
    finally:
        target.__code__ = own
        forget()


def forget() -> None:
    """Empty what the reference remembers between calls."""
    wide.pi_times_two_to.cache_clear()


def expire(*_: Any) -> None:
    raise TimeoutError


@contextmanager
def limited() -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, LIMIT_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def judged(test: Vector, before: Outcome) -> str:
    """Say what a vector makes of the mutant in force: ``rejected``, ``coarser`` (than it was) or ``same``."""
    try:
        with limited():
            after = outcome(test)
    except Exception:  # a mutant may fail in any way, and failing is being seen
        return "rejected"
    if after.verdict != before.verdict:
        return "rejected"
    return "coarser" if after.rank > before.rank else "same"


def verdict(module: types.ModuleType, mutant: Mutant, tests: Sequence[tuple[Vector, Outcome]]) -> str:
    """Return the harshest word of some vectors on a mutant."""
    word = "same"
    with exchanged(module, mutant):
        for test, before in tests:
            found = judged(test, before)
            if found == "rejected":
                return found
            word = found if found == "coarser" else word
    return word


Lines = dict[str, set[int]]


def traced(test: Vector, names: frozenset[str]) -> tuple[Outcome, Lines]:
    """Put one vector to the reference; return too which lines of the files it ran."""
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
        found = outcome(test)
    finally:
        sys.settrace(before)
    return found, ran
