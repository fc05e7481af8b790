"""A filter over consecutive positions: which entries of a table lie next to a rounding boundary.

An entry is the cosine or the sine of position times frequency. Runs of positions are made by turning a
block: ``exp(i w (s + k)) = exp(i w s) exp(i w k)``, one complex product an entry. What the filter keeps is
computed again by `posref.numerics.phase`, and what is still near by the golden definitions.

Nothing near is lost. Cosines and sines of both factors are within one ulp, 2^-53, of the real ones, so each
factor is off by at most sqrt(2) 2^-53 and their product by 2 sqrt(2) 2^-53 and a square of it; evaluating
``ac - bd`` with roundings, fused or not, adds at most (|ac| + |bd| + |ac - bd|) 2^-53 <= 2 * 2^-53 to either
part. Together that is below 5 * 2^-53, and the filter allows for `ERROR`, 2^-50. Entries below `LEAST` in
size, whose spacing that error exceeds too far, are not looked at.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.numerics.namespace import Space
from posref.numerics.phase import tables

FRACTION: Final = {"float32": 29, "bfloat16": 45, "float16": 42}
"""Bits of a float64 significand below the last bit of each dtype: a boundary is half of ``2**bits``."""

NEAR: Final = {"float32": 2.0**-24, "bfloat16": 2.0**-25, "float16": 2.0**-25}
"""The distance to a boundary, in ulp of the dtype, below which an entry is found."""

LEAST: Final = 2.0**-8
"""Smaller entries are not looked at."""

ERROR: Final = 2.0**-50
"""What an entry of the filter may be off."""

BLOCK: Final = 2**13
"""Positions turned at a time: a block and its work stay in a processor's cache."""

HOST: Final = Space("numpy", np)

Array = NDArray[Any]


@dataclass(frozen=True)
class Near:
    """An entry close to a boundary of `dtype`: its frequency by index, its part, its float64 value."""

    dtype: str
    frequency: int
    part: str
    position: int
    value: float


def near(frequencies: Sequence[Decimal], start: int, count: int) -> Iterator[Near]:
    """Yield the entries at `count` positions from `start` that are near a boundary, by `NEAR`.

    Every entry of at least `LEAST` in size that is nearer than that is among them; an entry up to one
    ulp of float64 farther may be.

    Parameters
    ----------
    frequencies : sequence of Decimal
        Radians per token, as `posref.numerics.wide` has them.
    start, count : int
        Positions, all at least 0; `count` is a multiple of `BLOCK`.

    Yields
    ------
    Near
        Frequency by frequency, in the order of positions.
    """
    if start < 0 or count % BLOCK:
        raise ValueError(f"{count} positions from {start} are not whole blocks of {BLOCK}")
    rows = np.arange(start, start + count, BLOCK)
    heads = [np.ascontiguousarray(part.T) for part in tables(HOST, rows, tuple(frequencies))]
    bodies = [np.ascontiguousarray(part.T) for part in tables(HOST, np.arange(BLOCK), tuple(frequencies))]
    for index, frequency in enumerate(frequencies):
        kept = [
            head + np.concatenate(found)
            for head, found in zip(rows, _filtered(*(part[index] for part in (*heads, *bodies))), strict=True)
        ]
        positions = np.unique(np.concatenate(kept))
        yield from _decided(index, frequency, positions)


def _filtered(cos: Array, sin: Array, ahead: Array, across: Array) -> Iterator[list[Array]]:
    """Yield for each block the offsets of entries that may be near; `cos`, `sin` turn it to its start."""
    first, second = np.empty(BLOCK), np.empty(BLOCK)
    bits, flags = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.bool_)
    tests = _tests()
    for c, s in zip(cos.tolist(), sin.tolist(), strict=True):
        found = []
        for one, two in ((c, -s), (s, c)):
            np.multiply(ahead, one, out=first)
            np.multiply(across, two, out=second)
            np.add(first, second, out=first)
            for mask, width in tests:
                np.add(first.view(np.int64), width, out=bits)
                np.bitwise_and(bits, mask, out=bits)
                np.less_equal(bits, 2 * width, out=flags)
                if flags.any():
                    found.append(np.flatnonzero(flags))
        yield found or [np.zeros(0, np.int64)]


def _width(dtype: str) -> int:
    """Return `NEAR` and `ERROR` together, in units of the last place of float64 at `LEAST`."""
    return int(np.ceil(NEAR[dtype] * 2.0 ** FRACTION[dtype] + ERROR / (LEAST * 2.0**-52)))


def _tests() -> list[tuple[int, int]]:
    """Return a mask and a width for two tests on bits.

    One is for float32, the other for both shorter dtypes: their boundaries are multiples of half a spacing
    of float16.
    """
    return [
        (2 ** (FRACTION["float32"] - 1) - 1, _width("float32")),
        (2 ** (FRACTION["float16"] - 1) - 1, max(_width("bfloat16"), _width("float16"))),
    ]


def _decided(index: int, frequency: Decimal, positions: Array) -> Iterator[Near]:
    """Yield what is near by values that are right to one ulp."""
    if not positions.size:
        return
    for part, column in zip(("cos", "sin"), tables(HOST, positions, (frequency,)), strict=True):
        values = column[:, 0]
        bits = values.view(np.int64)
        for dtype, places in FRACTION.items():
            away = np.abs((bits & (2**places - 1)) - 2 ** (places - 1))
            hit = (away <= NEAR[dtype] * 2.0**places + 1) & (np.abs(values) >= LEAST)
            for position, value in zip(positions[hit].tolist(), values[hit].tolist(), strict=True):
                yield Near(dtype, index, part, position, value)
