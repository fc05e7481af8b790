"""The certified values of a group: golden definition, rounding, bounds, as JSON."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from posref import operation
from posref.corpus import encode
from posref.corpus.certify import Rounded, certify
from posref.corpus.encode import Expected, Json
from posref.corpus.hard_set import HardGroup
from posref.corpus.hardness import certify_distance
from posref.corpus.models import ModelGroup
from posref.corpus.parameters import complete
from posref.corpus.read import STORED, main_dtype
from posref.operation import Case, Group, Signature, Tensor

ENGINES: Final = {"mpmath": ("MpmathReal", "posref[golden]"), "arb": ("ArbReal", "posref[test]")}
"""Engines by name: the class, and the extra that brings what it needs."""

FIRST_VERSION: Final = "0.1.0"
"""The corpus version at which the groups were added."""

Array = npt.NDArray[Any]

NOTHING: Final[Array] = np.zeros(0)
"""The bounds of an output of integers."""


def engine_class(name: str) -> Any:
    """Return the class of an engine; an ImportError names the extra that brings it."""
    if name not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}; got {name!r}")
    attribute, extra = ENGINES[name]
    try:
        return getattr(importlib.import_module(f"posref.corpus.engine_{name}"), attribute)
    except ImportError as error:
        raise ImportError(f"the engine {name} needs the extra: pip install '{extra}' ({error})") from error


def group(entry: Group, engine: str) -> Json:
    """Return a group of values or of refusals as it stands in its file."""
    signature = operation.signature(entry.operation)
    values: dict[str, Mapping[str, Mapping[str, Expected]]] = {}
    params = complete(signature, entry.params)
    for case in entry.cases:
        try:
            values[case.id] = {} if case.error else _expected(signature, params, case, engine)
        except Exception as error:
            error.add_note(f"in the case {case.id} of {entry.operation}")
            raise
    if isinstance(entry, ModelGroup):
        source = {"name": f"spec/models/{entry.model}.json", "version": FIRST_VERSION}
        return encode.group(entry, values, source, named=True)
    source = {"name": f"posref.cases.{signature.scheme}", "version": FIRST_VERSION}
    said = None
    if isinstance(entry, HardGroup):
        said = {
            case.id: {"hardness": _hardness(signature, params, case, engine, values[case.id])}
            for case in entry.cases
        }
    return encode.group(entry, values, source, said=said)


def _hardness(
    signature: Signature,
    params: Mapping[str, Any],
    case: Case,
    engine: str,
    values: Mapping[str, Mapping[str, Expected]],
) -> Json | None:
    """Return what a hard test says of its distance to a boundary, None where that is not its point."""
    if case.hardness is None:
        return None
    if any(case.hardness not in by_dtype for by_dtype in values.values()):
        raise ValueError(f"no value is stored in {case.hardness}")
    make = engine_class(engine)
    distance = certify_distance(make, signature.name, case.inputs, params, case.hardness)
    return {"dtype": case.hardness, "distance_ulp": distance}


def _expected(
    signature: Signature, params: Mapping[str, Any], case: Case, engine: str
) -> dict[str, dict[str, Expected]]:
    dtypes = STORED[main_dtype(signature, case.inputs)] if not signature.integer else ()
    exact = certify(engine_class(engine), signature.name, case.inputs, params, dtypes)
    return with_bounds(exact, bounds(signature, params, arrays(case.inputs), exact))


def with_bounds(
    exact: Mapping[str, Mapping[str, Rounded]], found: Mapping[tuple[str, str], Array]
) -> dict[str, dict[str, Expected]]:
    """Return the expected outputs of a call: values, residuals and bounds."""
    return {
        output: {
            dtype: Expected(value, residual, tuple(map(float, found.get((output, dtype), NOTHING).ravel())))
            for dtype, (value, residual) in by_dtype.items()
        }
        for output, by_dtype in exact.items()
    }


def bounds(
    signature: Signature,
    params: Mapping[str, Any],
    inputs: Mapping[str, Array],
    exact: Mapping[str, Mapping[str, Rounded]],
    errors: Callable[[str], Mapping[str, Array]] = lambda dtype: {},
) -> dict[tuple[str, str], Array]:
    """Return the bound of every element under the default claim, by output and dtype.

    `errors` says, for a dtype, how far inputs may be off that are outputs of an earlier step.
    """
    floating = [output.name for output in signature.outputs if output.dtype == "float"]
    if not floating:
        return {}
    model = importlib.import_module("posref.bounds.model")
    widest = {name: next(iter(exact[name])) for name in floating}
    real = {name: array(exact[name][widest[name]][0]) for name in floating}
    found: dict[tuple[str, str], Array] = {}
    for dtype in sorted({dtype for name in floating for dtype in exact[name]}):
        claim = model.DEFAULT_CLAIM[dtype]
        allowed = model.bound(signature.name, claim, inputs, params, real, dtype, errors(dtype))
        for name in floating:
            if dtype in exact[name]:
                found[name, dtype] = np.broadcast_to(allowed[name][0], real[name].shape)
    return found


def arrays(tensors: Mapping[str, Tensor]) -> dict[str, Array]:
    """Return tensors as arrays of float64, int64 or bool."""
    return {name: array(value) for name, value in tensors.items()}


def array(value: Tensor) -> Array:
    """Return a tensor as an array of float64, int64 or bool."""
    kind = {"int64": np.int64, "bool": np.bool_}.get(value.dtype, np.float64)
    return np.array(value.data, dtype=kind).reshape(value.shape)
