"""Cut a large call into independent ones along a leading axis, so that judging it needs little memory."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.operation import Signature

Array = NDArray[Any]
Piece = tuple[dict[str, Array], dict[str, Array], tuple[int, ...]]

ELEMENTS: Final = 2**20
"""Output elements of a piece, where the shapes allow it."""


def pieces(
    entry: Signature, inputs: Mapping[str, Array], outputs: Mapping[str, Array], most: int = ELEMENTS
) -> Iterator[Piece]:
    """Yield calls that together are the given one, each with the place of its first output element.

    Only the leading axes are cut, the ones that a signature writes as ``...``: an operation treats
    each entry of them by itself.
    """
    shapes = {one.name: one.shape for one in entry.inputs} | {one.name: one.shape for one in entry.outputs}
    ranks = {array.ndim - _named(shapes[name]) for name, array in outputs.items()}
    start = (0,) * max(ranks, default=0)
    if len(ranks) == 1 and all("..." in shapes[name] for name in outputs):
        yield from _cut(shapes, dict(inputs), dict(outputs), start, most)
    else:
        yield dict(inputs), dict(outputs), start


def _named(shape: str) -> int:
    return sum(axis != "..." for axis in shape.split())


def _cut(
    shapes: Mapping[str, str],
    inputs: dict[str, Array],
    outputs: dict[str, Array],
    start: tuple[int, ...],
    most: int,
) -> Iterator[Piece]:
    total = sum(array.size for array in outputs.values())
    axes = [axis for axis in range(len(start)) if _length(shapes, inputs, outputs, axis, len(start)) > 1]
    if total <= most or not axes:
        yield inputs, outputs, start
        return
    axis = max(axes, key=lambda one: _length(shapes, inputs, outputs, one, len(start)))
    length = _length(shapes, inputs, outputs, axis, len(start))
    step = max(1, length * most // total)
    for first in range(0, length, step):
        part = slice(first, first + step)
        place = tuple(at + first if one == axis else at for one, at in enumerate(start))
        yield from _cut(
            shapes,
            {name: _slice(shapes[name], array, axis, len(start), part) for name, array in inputs.items()},
            {name: _slice(shapes[name], array, axis, len(start), part) for name, array in outputs.items()},
            place,
            most,
        )


def _own_axis(shape: str, array: Array, axis: int, rank: int) -> int:
    """Return which axis of `array` the leading axis `axis` of `rank` is; negative where it has none."""
    if "..." not in shape:
        return -1
    return axis - (rank - (array.ndim - _named(shape)))


def _length(
    shapes: Mapping[str, str], inputs: Mapping[str, Array], outputs: Mapping[str, Array], axis: int, rank: int
) -> int:
    """Return the length of a leading axis if the call can be cut along it, else 0."""
    lengths = {array.shape[axis] for array in outputs.values()}
    for name, array in inputs.items():
        own = _own_axis(shapes[name], array, axis, rank)
        if 0 <= own < array.ndim - _named(shapes[name]) and array.shape[own] != 1:
            lengths.add(array.shape[own])
    return lengths.pop() if len(lengths) == 1 else 0


def _slice(shape: str, array: Array, axis: int, rank: int, part: slice) -> Array:
    own = _own_axis(shape, array, axis, rank)
    if own < 0 or array.shape[own] == 1:
        return array
    return array[(np.s_[:],) * own + (part,)]
