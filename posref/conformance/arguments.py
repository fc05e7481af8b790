"""The arguments of ``judge``, checked against the signature."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from posref.conformance.claims import check_dtypes
from posref.conformance.exchange import MismatchError, split_answer
from posref.numerics.arrays import host
from posref.operation import DTYPES, Signature

Array = NDArray[Any]


def inputs(entry: Signature, given: Mapping[str, Any] | Sequence[Any]) -> dict[str, Array]:
    """Return the inputs by name, in the order of the signature; a ValueError names what is wrong."""
    names = [one.name for one in entry.inputs]
    if not isinstance(given, Mapping):
        if len(given) > len(names):
            raise ValueError(f"{entry.name} has the inputs {', '.join(names) or 'none'}; got {len(given)}")
        given = dict(zip(names, given, strict=False))
    unknown = sorted(set(given) - set(names))
    missing = [one.name for one in entry.inputs if not one.optional and given.get(one.name) is None]
    if unknown or missing:
        wrong = f"no input {unknown[0]!r}" if unknown else f"the input {missing[0]!r} is missing"
        raise ValueError(f"{entry.name}: {wrong}; it has {', '.join(names) or 'none'}")
    return {name: host(given[name]) for name in names if given.get(name) is not None}


def params(entry: Signature, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return every parameter of the signature; integers given for real numbers become floats."""
    known = {one.name: one for one in entry.parameters}
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ValueError(f"{entry.name} has no parameter {unknown[0]!r}; it has {', '.join(known)}")
    full = {name: one.default for name, one in known.items() if not one.required} | dict(given)
    missing = [name for name in known if name not in full]
    if missing:
        raise TypeError(f"{entry.name}: the parameter {missing[0]!r} is missing; it has no default")
    return {name: _number(known[name].type, value) for name, value in full.items()}


def _number(kind: str, value: Any) -> Any:
    """Return an integer given for a real number as a float; one that is none is left to its check."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    exact = kind == "real" and whole and abs(value) <= sys.float_info.max and float(value) == value
    return float(value) if exact else value


def outputs(entry: Signature, output: Any) -> dict[str, Array]:
    """Return the outputs by name; a `MismatchError` where there are too few or too many."""
    names = [one.name for one in entry.outputs]
    if isinstance(output, Mapping):
        if len(output) == len(names) == 1:  # one array can only be the one output
            return {names[0]: host(next(iter(output.values())))}
        if set(output) != set(names):
            raise ValueError(f"{entry.name} has the outputs {', '.join(names)}; got {', '.join(output)}")
        output = tuple(output[name] for name in names)
    return {name: host(part) for name, part in split_answer(entry, output).items()}


def output_dtype(
    entry: Signature, arrays: Mapping[str, Array], outputs: Mapping[str, Array], asked: str | None
) -> str:
    """Return the dtype that the output must have."""
    if entry.integer:
        return {"int": "int64"}.get(entry.outputs[0].dtype, "bool")
    check_dtypes(() if asked is None else (asked,))
    main = [arrays[one.name] for one in entry.main if one.name in arrays]
    found = str((main or list(outputs.values()))[0].dtype.name)
    if asked is None and found not in DTYPES:
        whose = entry.main[0].name if main else entry.outputs[0].name
        raise MismatchError(f"{whose} has dtype {found}, which is none of {', '.join(DTYPES)}")
    return asked or found
