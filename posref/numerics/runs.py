"""Tables of consecutive positions by turning blocks, for results narrower than float64.

``exp(i w (s + r)) = exp(i w s) exp(i w r)``: every entry is one complex product of a point for the start of a
block and one for the offset in it. Either of these is such a product too, of two points from the exact phase.

With u = 2^-53, errors in the plane: a point from the exact phase has a cosine and a sine within one ulp, u
at most, so it is off by sqrt(2) u; a complex product adds its factors' errors and sqrt(5) u for its own
roundings, fused or not (Brent, Percival, Zimmermann 2007). Starts and offsets are off by 5.1 u; starts times
the magnitude factor F, itself rounded, by 7.1 u F; an entry by 14.5 u F, and squares of all these: less than
2^-49 F.

Rows with an entry below `SMALL` F are made again from the exact phase. Elsewhere 2^-49 F is at most 2^-8 of
the spacing of float32, and less of shorter dtypes: rounded, an entry is one of the two neighbours of the real
value, and the nearer one unless the middle between them is nearer than that.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

Exact = Callable[[Array], tuple[Array, Array]]
"""Returns the cosines and sines of positions, of shape (rows, frequencies), each within one ulp."""

SMALL: Final = 2.0**-18
"""Entries below this, times the magnitude factor, need more than the absolute error of a product."""

LONG: Final = 256
"""Positions that make a run worth turning."""

BLOCK: Final = 2**14
"""Entries turned at a time: a block and its work stay in a processor's cache."""

WIDE: Final = 512
"""Entries in the innermost loop of a product, at least, where a block has as many. NumPy's buffer is not
made longer: over several rows of a product it would hold copies of the factor that they share."""


def fill(cos: Array, sin: Array, positions: Array, exact: Exact, factor: float, unit: Exact) -> None:
    """Write the tables of whole positions into `cos` and `sin`.

    Parameters
    ----------
    cos, sin : arrays of float64 or float32, shape (rows, h)
        What is written: float32 is rounded once.
    positions : array of int64, shape (rows,)
        In any order; runs that rise by one are turned, others made from the exact phase.
    exact : callable
        The exact tables of positions, times the magnitude factor.
    factor : float
        The magnitude factor, 2**-60 to 2**60.
    unit : callable
        The exact tables of positions without it.
    """
    bounds = np.flatnonzero(np.concatenate([[True], np.diff(positions) != 1, [True]]))
    again = np.repeat(np.diff(bounds) < LONG, np.diff(bounds))
    with np.errstate():
        np.setbufsize(WIDE)
        for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            if stop - start >= LONG:
                rows = slice(start, stop)
                for small in _turned(cos[rows], sin[rows], int(positions[start]), factor, unit):
                    again[start + small] = True
    if again.any():
        cos[again], sin[again] = exact(positions[again])


def _turned(cos: Array, sin: Array, first: int, factor: float, unit: Exact) -> Iterator[Array]:
    """Fill the tables of a run from `first`; yield the rows that are to be made again."""
    count, width = cos.shape
    size = 2 ** min(round(math.log2(count) / 2), max(4, (BLOCK // width).bit_length() - 1))
    body, turns = _points([(0, size, 1), (first, -(-count // size), size)], unit)
    wide = min(size, 2 ** max(0, (WIDE // width).bit_length() - 1))
    product = np.empty((size // wide, wide * width), np.complex128)
    body = body.reshape(product.shape)
    table = product.reshape(size, width)
    scratch = np.empty((size, width), cos.dtype)
    for start, turn in zip(range(0, count, size), np.tile(turns * factor, wide), strict=True):
        np.multiply(body, turn, out=product)
        rows = min(size, count - start)
        for part, made in ((cos, table.real), (sin, table.imag)):
            block, sizes = part[start : start + rows], scratch[:rows]
            block[...] = made[:rows]
            if np.abs(block, out=sizes).min() < SMALL * factor:
                yield start + np.flatnonzero(sizes < SMALL * factor) // width


def _points(grids: list[tuple[int, int, int]], unit: Exact) -> list[Array]:
    """Return the points at `count` positions from `start`, `step` apart, for each (start, count, step)."""
    parts: list[Array] = []
    for start, count, step in grids:
        fine = 2 ** round(math.log2(count) / 2)
        parts += [start + np.arange(0, count, fine) * step, np.arange(fine) * step]
    cos, sin = unit(np.concatenate(parts))
    found = np.split(cos + 1j * sin, np.cumsum([part.size for part in parts])[:-1])
    pairs = zip(found[::2], found[1::2], grids, strict=True)
    width = cos.shape[1]
    return [(ahead[:, None] * on).reshape(-1, width)[:count] for ahead, on, (_, count, _) in pairs]
