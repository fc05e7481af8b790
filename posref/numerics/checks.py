"""Argument checks shared by all operations, driven by the signature in the registry.

`admit` takes everything an operation was given, refuses what the specification refuses, and hands
back exact values. A failed rule is a `SpecError` that cites the clause; what is no array at all, or
mixes libraries, is a `TypeError`.
"""

from collections.abc import Mapping
from typing import Any

from posref.errors import SpecError
from posref.numerics.given import Given, check_finite
from posref.numerics.namespace import Space, dtype_name, space
from posref.numerics.parameters import parameter
from posref.operation import DTYPES, Input, Signature, signature

LARGEST_POSITION = 2**53
TOKEN_AXES = ("T", "Q", "K")
"""Axes that may be empty."""

OPTIONAL_ROWS = ("grids", "temporal_interval")
"""Inputs whose first axis may be empty too (mrope.C3): a text without images or videos."""

FLOATS: Mapping[str, tuple[str, ...]] = {"main": DTYPES, "table": DTYPES[:2], "positions": DTYPES[:2]}
INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
DTYPE_CLAUSES = {
    "main": "conventions.C3",
    "table": "conventions.C3",
    "positions": "conventions.C4",
    "index": "conventions.C3",
    "mask": "attention.C7",
}


def admit(
    operation: str,
    clauses: Mapping[str, str],
    arguments: Mapping[str, Any],
    unchecked: tuple[str, ...] = (),
) -> Given:
    """Return the checked arguments of a call.

    Parameters
    ----------
    operation : str
        Name in the registry.
    clauses : mapping of str to str
        Which clause rules a parameter, or the shape of an input; the conventions otherwise.
    arguments : mapping of str to object
        Every input and parameter of the signature by name (an operation passes its ``locals()``);
        for a generator also ``dtype``, and ``like`` where it has no inputs.
    unchecked : tuple of str, optional
        Inputs of which an element that is not finite always makes a result that is not: they are looked
        through only when there is one.

    Returns
    -------
    Given
        The values, exact.

    Raises
    ------
    SpecError
        If a parameter, a dtype, a shape or a value is refused.
    TypeError
        If an input is no array, or the inputs do not share a library that computes in float64.
    """
    entry = signature(operation)
    inputs = {
        field.name: arguments[field.name]
        for field in entry.inputs
        if not (field.optional and arguments[field.name] is None)
    }
    like = arguments.get("like")
    here = space(inputs if like is None else {"like": like})
    given = Given(entry, clauses, here, _result_dtype(entry, inputs, arguments.get("dtype")))
    given.unchecked = unchecked
    for rule in entry.parameters:
        given.values[rule.name] = parameter(rule, arguments[rule.name], clauses)
    for field in entry.inputs:
        if field.name in inputs:
            _tensor(given, field, inputs[field.name])
        else:
            given.values[field.name] = None
    return given


def _tensor(given: Given, field: Input, array: Any) -> None:
    """Check dtype, shape and values of one input and keep it."""
    _check_dtype(given.entry, field, array)
    if field.role == "main" and dtype_name(array.dtype) != dtype_name(given.dtype):
        message = f"dtype {dtype_name(array.dtype)} differs from {dtype_name(given.dtype)} of the first input"
        raise SpecError("conventions.C3", field.name, message, "INVALID_DTYPE")
    _check_shape(given, field, tuple(array.shape))
    given.stored[field.name] = given.space.enter(array)
    given.dtypes[field.name] = dtype_name(array.dtype)
    if "float" in given.dtypes[field.name] and field.name not in given.unchecked:
        check_finite(given, field.name)
    if field.role == "positions":
        _check_range(given.space, field.name, given.stored[field.name])


def _check_dtype(entry: Signature, field: Input, array: Any) -> None:
    name = dtype_name(array.dtype)
    legal = {
        "float": FLOATS.get(field.role, ()),
        "int": INTEGERS,
        "bool": ("bool",),
        "int_or_float": INTEGERS + FLOATS.get(field.role, ()),
    }[field.dtype]
    if name not in legal:
        kind = {"int": "integers", "int_or_float": "integers, float64 or float32"}.get(
            field.dtype, ", ".join(legal)
        )
        message = f"{entry.name} takes {kind}, got {name}"
        raise SpecError(DTYPE_CLAUSES[field.role], field.name, message, "INVALID_DTYPE")


def _check_shape(given: Given, field: Input, shape: tuple[int, ...]) -> None:
    """Bind the named axes to sizes; refuse a rank, an empty axis or two sizes of one axis."""
    letters = field.shape.split()
    open_ended = letters[:1] == ["..."]
    named = letters[1:] if open_ended else letters
    clause = given.clause(field.name, "conventions.C5")

    def refuse(message: str) -> SpecError:
        return SpecError(clause, field.name, f"{message}, got shape {shape}", "INVALID_SHAPE")

    if len(shape) < len(named) or (len(shape) > len(named) and not open_ended):
        raise refuse(f"must have {'at least ' if open_ended else ''}the axes ({', '.join(letters)})")
    first = len(shape) - len(named)
    if named and 0 in shape[:first]:
        raise refuse("a leading axis is empty")
    for axis, (letter, size) in enumerate(zip(named, shape[first:], strict=True)):
        if letter.isdecimal() and size != int(letter):
            raise refuse(f"axis {axis} must have the size {letter}")
        if size == 0 and letter not in TOKEN_AXES and (axis or field.name not in OPTIONAL_ROWS):
            raise refuse(f"axis {letter} is empty")
        if field.stretch and size == 1:
            continue
        if given.axes.setdefault(letter, size) != size:
            raise refuse(f"axis {letter} is {given.axes[letter]} in an earlier input")


def _check_range(here: Space, name: str, positions: Any) -> None:
    if not dtype_name(positions.dtype).endswith(("64", "float32")) or 0 in positions.shape:
        return
    largest = 2 * LARGEST_POSITION if name == "relative_position" else LARGEST_POSITION
    for number in reversed(here.extremes(positions)):
        if abs(number) > largest:
            message = f"must be at most 2**{largest.bit_length() - 1} in size, got {number}"
            raise SpecError("conventions.C4", name, message, "OUT_OF_RANGE")


def _result_dtype(entry: Signature, inputs: Mapping[str, Any], dtype: Any) -> Any:
    """Return the dtype to round to: that of the main inputs, or the one that was asked for."""
    if entry.integer:
        return None
    if entry.main:
        first = inputs[entry.main[0].name]
        return getattr(first, "dtype", None)
    if dtype_name(dtype) not in DTYPES:
        message = f"must be one of {', '.join(DTYPES)}, got {dtype!r}"
        raise SpecError("conventions.C2", "dtype", message, "INVALID_DTYPE")
    return dtype
