"""One rule broken at a time: the registry says which rules an argument has.

A break is a name and a function that changes a drawn call in place. Each applies to any legal call that it is
offered for, and what comes of it must be refused.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from posref.operation import Input, Parameter
from posref.testing._breaks_joint import JOINT, Break
from posref.testing._draft import TOKENS, Draft

ROWS: Final = ("grids", "temporal_interval")
"""Inputs whose first axis may be empty."""

LOOSE: Final = (("rope.apply_qk", "k"), ("rope.rerotate", "delta"))
"""Inputs whose leading axes may differ from those of the first."""


def breaks(d: Draft) -> Iterator[Break]:
    """Yield every break that applies to a drawn legal call."""
    for field in d.entry.parameters:
        yield from _of_parameter(field)
    for one in d.entry.inputs:
        if d.tensors[one.name] is not None:
            yield from _of_input(d, one)
    yield from _of_shapes(d)
    yield from JOINT.get(d.entry.name, lambda _: ())(d)


def _put(field: Parameter, value: Any) -> Break:
    return f"{field.name} = {value!r}", lambda d: d.params.update({field.name: value})


def _of_parameter(field: Parameter) -> Iterator[Break]:
    if field.required:
        yield f"{field.name} is missing", lambda d: d.params.pop(field.name)
    if not field.nullable:
        yield _put(field, None)
    yield from (_put(field, value) for value in _wrong(field))


def _wrong(field: Parameter) -> Iterator[Any]:
    """Yield values outside a parameter's type or domain."""
    match field.type:
        case "integer":
            yield from (True, 2.0, "2")
            yield from _outside(field, 1)
            if field.even or field.multiple_of:
                yield int(field.at_least or 0) + 1
        case "real":
            yield from (True, "1", float("nan"), float("inf"), -float("inf"))
            yield from _outside(field, 0.5)
        case "boolean":
            yield from (1, 0.0, "true")
        case "string":
            yield 3
        case "choice":
            yield from ("", field.values[0].upper(), 0)
        case "choices":
            yield from ([], ["other"], [field.values[0]] * 2, field.values[0])
        case "integers":
            yield from ([], [2.0] * (field.count or 1), 3, [True] * (field.count or 1))
            count = field.count or 1
            yield from ([entry] * count for entry in _outside(field, 1))
            if field.count:
                yield [int(field.at_least or 0) + 2] * (field.count + 1)
        case "scaling":
            yield from ({"rope_type": "other"}, {}, "linear", {"rope_type": "linear"})
            yield {"rope_type": "linear", "factor": 0.5}
            yield {"rope_type": "linear", "factor": 2.0, "other": 1}
        case _:
            yield from ([], "config")


def _outside(field: Parameter, step: float) -> Iterator[Any]:
    if field.at_least is not None:
        yield type(step)(field.at_least) - step
    if field.above is not None:
        yield type(step)(field.above)
    if field.at_most is not None:
        yield type(step)(field.at_most) + step


def _cast(name: str, dtype: str) -> Callable[[Draft], None]:
    def change(d: Draft) -> None:
        values, _ = _tensor(d, name)
        kind = {"int64": np.int64, "bool": np.bool_}.get(dtype, np.float64)
        d.tensors[name] = np.nan_to_num(values.astype(np.float64), neginf=0.0).astype(kind), dtype

    return change


def _tensor(d: Draft, name: str) -> tuple[np.ndarray, str]:
    tensor = d.tensors[name]
    if tensor is None:
        raise LookupError(f"{name} is absent")
    return tensor


def _element(name: str, value: Any) -> Callable[[Draft], None]:
    """Return a break that puts `value` at the first place of an input."""

    def change(d: Draft) -> None:
        values, dtype = _tensor(d, name)
        values = values.copy()
        values.flat[0] = value
        d.tensors[name] = values, dtype

    return change


def _reshape(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Draft], None]:
    def changed(d: Draft) -> None:
        values, dtype = _tensor(d, name)
        d.tensors[name] = change(values), dtype

    return changed


def _of_input(d: Draft, field: Input) -> Iterator[Break]:
    """Yield the breaks of one input by itself: presence, dtype, rank, an empty axis, an element."""
    name, (values, dtype) = field.name, _tensor(d, field.name)
    if not field.optional:
        yield f"{name} is missing", lambda d: d.tensors.update({name: None})
    others = {"float": ("int64", "bool"), "int": ("float32", "bool"), "bool": ("float32",)}
    for other in others.get(field.dtype, ("bool", "bfloat16")):
        yield f"{name} is {other}", _cast(name, other)
    if field.role == "table":
        yield f"{name} is float16", _cast(name, "float16")
    letters = [letter for letter in field.shape.split() if letter != "..."]
    if letters:
        yield f"{name} has no axis", _reshape(name, lambda _: np.zeros((), values.dtype))
    if field.shape[:3] != "...":
        yield f"{name} has one axis too many", _reshape(name, lambda array: array[None])
    for axis, letter in enumerate(reversed(letters), 1):
        last = axis == len(letters) and name in ROWS
        if letter not in TOKENS and not last:
            yield f"axis {letter} of {name} is empty", _reshape(name, _emptied(-axis))
    if values.size and "float" in dtype:
        for value in (np.nan, np.inf) if field.role != "positions" else (np.nan, np.inf, 2.0**54):
            yield f"{name} holds {value}", _element(name, value)
    if values.size and field.role == "positions" and dtype == "int64" and d.library.wide:
        most = 2**54 if name == "relative_position" else 2**53
        yield f"{name} is out of range", _element(name, most + 1)


def _emptied(axis: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda array: np.take(array, [], axis=axis)


def _longer(axis: int) -> Callable[[np.ndarray], np.ndarray]:
    def change(array: np.ndarray) -> np.ndarray:
        width = [(0, 0)] * array.ndim
        width[axis] = (0, 1)
        return np.pad(array, width)

    return change


def _of_shapes(d: Draft) -> Iterator[Break]:
    """Yield the breaks of two inputs: an axis that both have, leading axes that do not fit, two dtypes."""
    present = [one for one in d.entry.inputs if d.tensors[one.name] is not None]
    seen: set[str] = set()
    for one in present:
        letters = [letter for letter in one.shape.split() if letter != "..." and not letter.isdecimal()]
        for axis, letter in enumerate(letters, -len(letters)):
            if letter in seen and not one.stretch:
                yield f"axis {letter} of {one.name} is longer", _reshape(one.name, _longer(axis))
        seen |= set() if one.stretch else set(letters)
    open_ended = [one for one in present if one.shape.startswith("...")]
    onto = [one for one in open_ended if one.role == "main" and not one.stretch]
    for one in open_ended:
        if onto and one is not onto[0] and (d.entry.name, one.name) not in LOOSE:
            yield f"{one.name} enlarges {onto[0].name}", _reshape(one.name, _enlarged(d, onto[0].name))
    for one in present:
        if one.role == "main" and one.name != d.entry.main[0].name:
            other = "float32" if d.dtype != "float32" else "float16"
            yield f"{one.name} is {other}, the first input {d.dtype}", _cast(one.name, other)


def _enlarged(d: Draft, onto: str) -> Callable[[np.ndarray], np.ndarray]:
    rank = _tensor(d, onto)[0].ndim
    return lambda array: np.broadcast_to(array, (2,) + (1,) * max(0, rank - array.ndim) + array.shape).copy()
