"""The certified vectors as cases of a test: one at a time, under the name that the vectors give them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np

from posref.adapters import Implementation, Unsupported
from posref.conformance.claims import check_claim, check_dtypes
from posref.conformance.diagnose import describe, name_mistakes
from posref.conformance.exchange import SkippedError, as_array, check_capabilities, write_inputs
from posref.conformance.kinds import where_wrong
from posref.conformance.run import run
from posref.corpus.chosen import globs
from posref.corpus.load import Test, load_vectors
from posref.operation import DTYPES, Refusal, signature
from posref.testing.call import Call
from posref.testing.libraries import Library, library


@dataclass(frozen=True)
class Case:
    """One case of the vectors in one dtype.

    Attributes
    ----------
    test : Test
        The case as the vectors have it.
    call : Call
        Its inputs and parameters.
    """

    test: Test
    call: Call

    @property
    def id(self) -> str:
        """The identifier of the case in the vectors; ``posref show`` prints it."""
        return self.test.id

    @property
    def operation(self) -> str:
        """The name of the operation."""
        return self.test.operation

    @property
    def dtype(self) -> str:
        """The dtype under test; of an operation with integer outputs, theirs."""
        return self.call.dtype

    @property
    def comment(self) -> str:
        """Why the case exists."""
        return self.test.comment

    @property
    def params(self) -> dict[str, Any]:
        """Every parameter by name."""
        return dict(self.test.params)

    @property
    def inputs(self) -> dict[str, Any]:
        """The inputs by name, arrays of the chosen library, made anew each time."""
        return self.call.inputs

    @property
    def error(self) -> Refusal | None:
        """The refusal that an invalid case must get; any exception counts as one."""
        return self.test.error

    @property
    def expected(self) -> dict[str, Any]:
        """The outputs by name, correctly rounded, arrays of the chosen library; none of an invalid case."""
        found = {}
        for name, stored in self.test.expected.items():
            own = self.dtype if self.dtype in stored else next(iter(stored))
            found[name] = self.call.library.write(as_array(stored[own].tensor), own)
        return found

    def check(self, answer: Any, claim: str | None = None) -> None:
        """Raise an AssertionError unless a function, or one output, is right.

        Parameters
        ----------
        answer : callable, array or tuple
            A function that gets the inputs by position, the parameters by keyword and, where no input
            says it, ``dtype``; or what such a function returned. A function must refuse an invalid
            case with any exception, and raises `posref.adapters.Unsupported` to skip one.
        claim : str, optional
            How close is right; default: the default claim of the dtype.

        Examples
        --------
        >>> import posref
        >>> from posref.testing import cases
        >>> first = cases("rope.inv_freq")[0]
        >>> first.check(posref.rope.inv_freq)
        >>> first.check(posref.rope.inv_freq(**first.params, dtype="float32"))
        """
        if claim is not None:
            check_claim(claim)
        try:
            if not callable(answer):
                self._judge(answer, claim)
            elif self.test.kind == "value":
                self._judge(self.call.on(answer), claim)
            else:
                self._check_refused(answer)
        except Unsupported as reason:
            raise SkipTest(str(reason) or "not supported") from None

    def _check_refused(self, function: Callable[..., Any]) -> None:
        try:
            answer = self.call.on(function)
        except Unsupported:
            raise
        except Exception:  # refused in any way is right
            return
        self._judge(answer, None)

    def _judge(self, answer: Any, claim: str | None) -> None:
        given = Implementation("given", {self.operation: lambda *_, **__: answer}, write=_written(self))
        dtype = "int64" if signature(self.operation).integer else self.dtype
        (attempt,) = run(given, (self.test,), dtype, claim, ranked=False)
        result = attempt.result
        if result.verdict in ("pass", "uninformative"):
            return
        lines = [f"{self.id} in {self.dtype} under {result.claim}: {result.reason}"]
        if result.first_wrong is not None:
            lines.append(f"first wrong element: {result.first_wrong}")
        if attempt.evidence is not None:
            failing = [attempt.evidence]
            named = describe(name_mistakes(self.operation, failing, (), result.claim))
            found = filter(None, (named, where_wrong(failing, (), result.claim)))
            lines.append(f"diagnosis: {'; '.join(found)}")
        raise AssertionError(
            "\n  ".join([*lines, f"why it exists: {self.comment}", f"see: posref show {self.id}"])
        )


def _written(case: Case) -> Callable[[np.ndarray, str], Any]:
    return case.call.library.write


class Cases(tuple[Case, ...]):
    """A tuple of cases that knows which were left out: `left_out` gives the reason by (id, dtype)."""

    left_out: Mapping[tuple[str, str], str]

    def __new__(cls, found: Sequence[Case], left_out: Mapping[tuple[str, str], str]) -> "Cases":
        """Make it from the cases and what was left out."""
        made = super().__new__(cls, found)
        made.left_out = left_out
        return made


def cases(
    operations: str | Sequence[str] = "*",
    dtype: str | Sequence[str] = "float32",
    *,
    kind: str = "value",
    library: str = "numpy",
    root: str | Path | None = None,
) -> Cases:
    """Return cases of the vectors, to loop over.

    Parameters
    ----------
    operations : str or sequence of str, default "*"
        Globs of operation names.
    dtype : str or sequence of str, default "float32"
        Floating dtypes; a case of an operation with integer outputs comes once.
    kind : {"value", "invalid"}, default "value"
        Calls with an answer, or calls that must be refused.
    library : {"numpy", "torch", "jax"}, default "numpy"
        Whose arrays the inputs are.
    root : path, optional
        Folder of another corpus than the one that posref ships.

    Returns
    -------
    Cases
        A tuple of `Case`. What `dtype` or the library cannot hold exactly is left out; `left_out` has
        the reason of each.

    Raises
    ------
    ValueError
        If an argument is unknown, or no case is left.

    Examples
    --------
    >>> found = cases("rope.rotate", "bfloat16")
    >>> len(found) > 10, set(found.left_out.values())
    (True, {'no expected value in bfloat16'})
    """
    patterns = globs(operations)
    dtypes = (dtype,) if isinstance(dtype, str) else tuple(dtype)
    check_dtypes(dtypes)
    if kind not in ("value", "invalid"):
        raise ValueError(f"kind is value or invalid, got {kind!r}")
    space = _library(library)
    corpus = load_vectors(root, patterns)
    found: list[Case] = []
    left_out: dict[tuple[str, str], str] = {}
    for test in corpus.tests:
        if test.kind == kind:
            for own in _dtypes(test, dtypes):
                try:
                    found.append(_case(test, own, space))
                except (SkippedError, Unsupported) as reason:
                    left_out[test.id, own] = str(reason)
    if not found:
        why = "; ".join(sorted(set(left_out.values()))) or "there is none"
        raise ValueError(f"no {kind} case of {', '.join(patterns)} is left: {why}")
    return Cases(found, left_out)


_library = library


def _dtypes(test: Test, dtypes: Sequence[str]) -> Iterator[str]:
    entry = signature(test.operation)
    if entry.integer:
        yield "bool" if entry.outputs[0].dtype == "bool" else "int64"
    else:
        yield from dtypes


def _case(test: Test, dtype: str, space: Library) -> Case:
    if dtype in DTYPES and dtype not in space.dtypes:
        raise SkippedError(f"{space.name} has no {dtype} here")
    for stored in test.expected.values():
        if dtype not in stored and next(iter(stored)) in DTYPES:
            raise SkippedError(f"no expected value in {dtype}")

    def keep(values: np.ndarray, own: str) -> tuple[np.ndarray, str]:
        space.write(values, own)  # refuses what the library cannot hold
        return values, own

    writer = Implementation(space.name, {}, write=keep, dtypes=space.dtypes)
    values = {name: as_array(tensor) for name, tensor in test.inputs.items()}
    tensors = write_inputs(writer, signature(test.operation), test, values, dtype)
    check_capabilities(writer, test.requires)
    return Case(test, Call(test.operation, dtype, test.params, tensors, space))
