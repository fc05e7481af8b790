"""Hand a case over to an implementation and take its answer back, exactly.

The judge never casts an input inexactly: `main` inputs are written in the dtype under test, in which
they are exact, everything else as it is stored.
"""

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.adapters import BrokenError, Implementation
from posref.conformance.claims import INTEGERS
from posref.corpus.load import Test
from posref.numerics.rounding import FORMATS, on_grid
from posref.operation import DTYPES, Input, Signature, Tensor

Array = NDArray[Any]

_KEPT: Final = 200
"""Characters of an implementation's message that a report quotes."""


class SkippedError(Exception):
    """The case cannot be put to this implementation; the message says why."""


class MismatchError(Exception):
    """The answer is wrong before any value is compared; the message says how."""


def quote(failure: Exception) -> str:
    """Return what an exception says, on one line, cut to a sensible length."""
    if isinstance(failure, BrokenError):
        return str(failure)
    text = " ".join(f"{type(failure).__name__}: {failure}".split())
    return text if len(text) <= _KEPT else text[: _KEPT - 4] + " ..."


def as_array(tensor: Tensor) -> Array:
    """Return a `Tensor` as an array of float64, int64 or bool."""
    kind = {"int64": np.int64, "bool": np.bool_}.get(tensor.dtype, np.float64)
    return np.array(tensor.data, dtype=kind).reshape(tensor.shape)


def write_inputs(
    implementation: Implementation, entry: Signature, test: Test, values: Mapping[str, Array], dtype: str
) -> dict[str, Any]:
    """Return the inputs as the implementation's own tensors; `SkippedError` where one cannot be exact."""
    roles = {one.name: one for one in entry.inputs}
    stored = {test.inputs[one.name].dtype for one in entry.main if one.name in test.inputs}
    mixed = test.kind == "invalid" and len(stored) > 1  # mixed dtypes are what the case is about
    tensors = {}
    for name, array in values.items():
        chosen = _chosen(roles.get(name), test.inputs[name].dtype, "" if mixed else dtype)
        if chosen in DTYPES and chosen not in implementation.dtypes:
            raise SkippedError(f"{name} is stored as {chosen}, which is not offered")
        if chosen != test.inputs[name].dtype and not _exact_in(array, chosen):
            raise SkippedError(f"{name} is not exact in {chosen}")
        if implementation.flush_subnormals and chosen in DTYPES and bool(_subnormal(array, chosen).any()):
            raise SkippedError(f"{name} has subnormal values, which are flushed to zero")
        try:
            tensors[name] = implementation.write(array.copy(), chosen)
        except ImportError as missing:
            raise SkippedError(str(missing)) from None
    return tensors


def _chosen(one: Input | None, stored: str, dtype: str) -> str:
    main = one is not None and one.role == "main" and stored in DTYPES
    return dtype if main and dtype in DTYPES else stored


def _exact_in(array: Array, dtype: str) -> bool:
    largest = {"float64": np.inf, "float16": 65504.0}.get(dtype, float(np.finfo(np.float32).max))
    fits = not bool((np.isfinite(array) & (np.abs(array) > largest)).any())
    return fits and bool(np.array_equal(on_grid(array, dtype), array, equal_nan=True))


def _subnormal(array: Array, dtype: str) -> Array:
    return np.asarray((array != 0) & (np.abs(array) < np.ldexp(1.0, FORMATS[dtype].least)))


def unflushed(implementation: Implementation, got: Mapping[str, Array], test: Test, dtype: str) -> Any:
    """Return outputs with their zeros made the expected values, where subnormal ones are flushed to zero."""
    if not implementation.flush_subnormals or dtype not in DTYPES:
        return got
    data = {name: as_array(stored[dtype].tensor) for name, stored in test.expected.items() if dtype in stored}
    return {
        name: np.where((values == 0) & _subnormal(data[name], dtype), data[name], values)
        if name in data
        else values
        for name, values in got.items()
    }


def check_capabilities(implementation: Implementation, requires: Iterable[str]) -> None:
    """Raise `SkippedError` where an implementation lacks a capability that a group requires."""
    absent = implementation.lacks.intersection(requires)
    if absent:
        raise SkippedError(f"lacks {', '.join(sorted(absent))}")


def call(
    implementation: Implementation, entry: Signature, test: Test, tensors: Mapping[str, Any], dtype: str
) -> Any:
    """Call the operation as `posref.adapters.Implementation` says."""
    inputs = [tensors.get(one.name) for one in entry.inputs]
    params = dict(test.params)
    if entry.generator:
        params["dtype"] = dtype
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a verdict does not depend on the caller's filters
        return implementation.operations[test.operation](*inputs, **params)


def read_values(implementation: Implementation, tensors: Mapping[str, Any]) -> dict[str, Array]:
    """Return the values of tensors, copied."""
    return {name: implementation.read(tensor)[1].copy() for name, tensor in tensors.items()}


def check_untouched(before: Mapping[str, Array], after: Mapping[str, Array]) -> None:
    """Raise `MismatchError` where a call changed an input in any bit."""
    for name, values in before.items():
        if values.shape != after[name].shape or values.tobytes() != after[name].tobytes():
            raise MismatchError(f"the call changed its input {name}")


def split_answer(entry: Signature, answer: Any) -> dict[str, Any]:
    """Return the outputs of an answer by name; `MismatchError` where there are too few or too many."""
    names = [output.name for output in entry.outputs]
    several = isinstance(answer, tuple | list)
    parts = list(answer) if several else [answer]
    if len(parts) != len(names) or (several and len(names) == 1):
        shape = f"a sequence of {len(parts)}" if several else "one output"
        raise MismatchError(f"returned {shape} where {len(names)} declared: {', '.join(names)}")
    return dict(zip(names, parts, strict=True))


def judged_in(stored: Iterable[str], dtype: str) -> str:
    """Return the dtype in which an output with these stored dtypes is judged: an integer output's own."""
    own = next(iter(stored))
    return own if own in INTEGERS else dtype


def read_answer(
    implementation: Implementation, entry: Signature, test: Test, answer: Any, dtype: str
) -> dict[str, Array]:
    """Return the values of an answer by output name; `MismatchError` where its form is not as declared."""
    got = {}
    for name, part in split_answer(entry, answer).items():
        try:
            found, values = implementation.read(part)
        except Exception as failure:  # it is the answer that is wrong
            raise MismatchError(f"{name} cannot be read as a tensor: {quote(failure)}") from None
        own = judged_in(test.expected[name], dtype)
        check_form(name, found, values.shape, own, test.expected[name][own].tensor.shape)
        got[name] = values.copy()
    return got


def check_form(name: str, found: str, shape: tuple[int, ...], dtype: str, wanted: tuple[int, ...]) -> None:
    """Raise `MismatchError` where an output has not the dtype or the shape that is declared.

    An integer output may have any integer dtype: its values are compared, exactly.
    """
    integers = dtype == "int64" and found.removeprefix("u").startswith("int")
    if found != dtype and not integers:
        raise MismatchError(f"{name} has dtype {found} where {dtype} is declared")
    if shape != wanted:
        raise MismatchError(f"{name} has shape {shape} where {wanted} is declared")
