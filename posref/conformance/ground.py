"""What failing calls have in common, in words: flags, parameters, and what is special about the inputs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.numerics.rounding import decode_bits, round_bits
from posref.operation import signature

Array = NDArray[Any]

SIZES: Final = (256, 2048, 2**16, 2**24, 2**31 - 1)
"""Positions beyond which a narrow format, or a table of a usual size, ends."""


def _inexact(dtype: str) -> Callable[[Array], Array]:
    return lambda p: np.asarray(decode_bits(round_bits(p, dtype), dtype) != p)


def _beyond(size: int) -> Callable[[Array], Array]:
    return lambda p: np.asarray(np.abs(p) > size)


POSITIONS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "other than 0": lambda p: p != 0,
    "below 0": lambda p: p < 0,
    "above 0": lambda p: p > 0,
    "that are odd": lambda p: p % 2 == 1,
    "that are no integers": lambda p: p != np.trunc(p),
    **{f"that {dtype} does not hold": _inexact(dtype) for dtype in ("bfloat16", "float16", "float32")},
    **{f"beyond {size}": _beyond(size) for size in SIZES},
}
"""What is said of positions, and of which it is true."""


def named_axes(shape: str, rank: int) -> tuple[str, ...]:
    """Return the names of the axes of a tensor of this shape and rank; leading ones count from the right."""
    own = [name for name in shape.split() if name != "..."]
    own = [
        f"{name} (axis {axis - len(own)})" if own.count(name) > 1 else name for axis, name in enumerate(own)
    ]
    leading = [f"leading axis {axis}" for axis in range(-(rank - len(own)), 0)]
    return (*leading, *own)


def calls(operation: str, inputs: Mapping[str, Array], params: Mapping[str, Any]) -> frozenset[str]:
    """Return in words what is special about the inputs of one call."""
    return frozenset(_calls(operation, inputs, params))


def _calls(operation: str, inputs: Mapping[str, Array], params: Mapping[str, Any]) -> Iterator[str]:
    for entry in signature(operation).inputs:
        values = inputs.get(entry.name)
        if entry.optional:
            yield f"no {entry.name} given" if values is None else f"{entry.name} given"
        if values is None:
            continue
        names = named_axes(entry.shape, values.ndim)
        for name, length in zip(names, values.shape, strict=True):
            yield f"length {'1' if length == 1 else 'above 1'} of {entry.name} along {name}"
        width = params.get("rotary_dim")
        if entry.role == "main" and names[-1] == "D" and isinstance(width, int) and width != values.shape[-1]:
            yield f"{entry.name} wider than rotary_dim"
        if entry.role == "positions" and values.size:
            yield from _where(entry.name, np.asarray(values, np.float64))


def _where(name: str, values: Array) -> Iterator[str]:
    for said, test in POSITIONS.items():
        if test(values).any():
            yield f"some {name} {said}"
    if values.ndim and values.shape[-1]:
        if (values[..., 0] != 0).any():
            yield f"{name} that do not start at 0"
        if (np.diff(values, axis=-1) != 1).any():
            yield f"{name} that do not go up one by one"
    if values.ndim > 1 and (values != values.reshape(-1, values.shape[-1])[0]).any():
        yield f"{name} that differ between rows"


def common_ground(failing: Sequence[frozenset[str]], passing: Sequence[frozenset[str]], most: int = 4) -> str:
    """Return in words which features all the failing cases share, best those that no passing one has.

    Examples
    --------
    >>> common_ground([frozenset({"far", "half"}), frozenset({"half"})], [frozenset({"far"})])
    'all 2 failing cases, and no passing one, have: half'
    """
    if not failing:
        return ""
    shared = frozenset.intersection(*failing)
    only = shared - frozenset().union(*passing)
    count, have = (
        (f"all {len(failing)} failing cases", "have") if failing[1:] else ("the failing case", "has")
    )
    if only and passing:
        return f"{count}, and no passing one, {have}: {', '.join(sorted(only, key=_rank)[:most])}"
    telling = shared - frozenset.intersection(*passing) if passing else frozenset()
    telling = frozenset(one for one in telling if not _rank(one)[0])
    if not telling:
        return ""
    return f"{count} {have}: {', '.join(sorted(telling, key=_rank)[:most])}"


def _rank(feature: str) -> tuple[bool, str]:
    """Put flags and parameters before what is said of the inputs."""
    return " " in feature and " = " not in feature, feature
