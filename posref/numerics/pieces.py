"""A large call as many small ones: pieces that need little memory and stay in a processor's cache.

The leading axes that a signature writes as ``...`` are independent of each other, and so are the named
axes that an operation says are. A piece of a call is a call: `Given` with slices of its inputs.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from posref.numerics.given import Given

ELEMENTS: Final = 2**17
"""Numbers of a piece, where nothing else is said: with a few temporary arrays they stay in cache."""


TABLE: Final = 2**19
"""Entries of a piece of a table: rows are cheaper in long runs."""


class Region(NamedTuple):
    """Where a piece lies: a slice a leading axis, and a slice a named axis that is cut."""

    leading: tuple[slice, ...]
    named: Mapping[str, slice]

    def of(self, letters: tuple[str, ...], shape: tuple[int, ...]) -> tuple[slice, ...]:
        """Return the slices of an array whose last axes have these names; an axis of size 1 is stretched."""
        own = len(shape) - len(letters)
        places = self.leading[len(self.leading) - own :] + tuple(
            self.named.get(letter, slice(None)) for letter in letters
        )
        return tuple(slice(None) if size == 1 else place for size, place in zip(shape, places, strict=True))


def letters(shape: str) -> tuple[str, ...]:
    """Return the named axes of a shape of a signature."""
    return tuple(axis for axis in shape.split() if axis != "...")


def pieces(
    given: "Given", along: str, each: int, base: int = 0, most: int = ELEMENTS, square: bool = False
) -> Iterator[tuple["Given", Region]]:
    """Yield the pieces of a call, all of it if it is empty; named axes are the outer loop.

    Parameters
    ----------
    given : Given
        The call; its computing module is NumPy.
    along : str
        Named axes that may be cut, as ``"Q K"``, the first of them first.
    each : int
        Numbers that a piece holds for each index of the axes that are cut.
    base : int
        Numbers that it holds for each index of the leading axes alone.
    most : int
        Numbers that a piece may hold, where the shapes allow it.
    square : bool
        Whether the longest axis is cut first instead.

    Yields
    ------
    Given, Region
        A piece and its place.
    """
    leading = leading_axes(given)
    names = tuple(along.split())
    sizes = _sizes({name: given.axes[name] for name in names}, most // each if each else most, square)
    entries = max(1, most // max(1, math.prod(sizes.values()) * each + base))
    cuts = [[*spans(given.axes[name], sizes[name])] for name in names]
    for chosen in product(*cuts):
        for part in blocks(leading, entries):
            region = Region(part, dict(zip(names, chosen, strict=True)))
            yield given.part(region), region


def _sizes(sizes: dict[str, int], most: int, square: bool) -> dict[str, int]:
    """Return how long the named axes of a piece are."""
    for name, size in () if square else tuple(sizes.items()):
        others = math.prod(sizes.values()) // max(1, size)
        sizes[name] = max(1, min(size, most // max(1, others)))
    while math.prod(sizes.values()) > most and max(sizes.values(), default=1) > 1:
        widest = max(sizes, key=lambda name: sizes[name])
        sizes[widest] = -(-sizes[widest] // 2)
    return sizes


def leading_axes(given: "Given") -> tuple[int, ...]:
    """Return the leading axes of the result: what those of the inputs broadcast to."""
    found = (given.leading(one.name) for one in given.entry.inputs if given.has_leading(one))
    return np.broadcast_shapes(*found)


def spans(size: int, step: int) -> Iterator[slice]:
    """Yield slices that together are an axis of `size`; one empty one if it is empty."""
    step = max(step, 1)
    for start in range(0, max(size, 1), step):
        yield slice(start, min(start + step, size))


def blocks(shape: tuple[int, ...], entries: int) -> Iterator[tuple[slice, ...]]:
    """Yield slices of all axes of `shape` that together are all of it, each of at most `entries` entries."""
    inner = 1
    axis = len(shape)
    while axis and inner * shape[axis - 1] <= entries:
        axis -= 1
        inner *= max(1, shape[axis])
    whole = tuple(slice(None) for _ in shape[axis:])
    if not axis:
        yield whole
        return
    outer = [[*spans(size, 1)] for size in shape[: axis - 1]]
    for chosen in product(*outer, spans(shape[axis - 1], max(1, entries // inner))):
        yield (*chosen, *whole)
