"""A filter that decides nearly every entry of a table of sines and cosines without the reference.

It shares nothing with `posref.numerics`: frequencies and points come from mpmath, and runs of positions are
made by turning, ``exp(i w (s + k)) = exp(i w s) exp(i w k)``, one complex product of NumPy an entry.

Both points are rounded to float64, so either is off by at most sqrt(2) 2^-54 in the plane; the product adds
sqrt(5) 2^-53 for its roundings, fused or not (Brent, Percival, Zimmermann 2007). Together that is below
3.7 * 2^-53; the filter allows for `ERROR`, 2^-50. Where both ends of that interval round to the same stored
value, so does the real number: rounding is monotonic.
"""

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

ERROR: Final = 2.0**-50
"""What an entry of the filter may be off."""

BLOCK: Final = 1024
"""Positions turned at a time."""

DIGITS: Final = {"float32": 24, "bfloat16": 8, "float16": 11}
"""Significant bits of a dtype."""

LEAST: Final = {"float32": -149, "bfloat16": -133, "float16": -24}
"""The exponent of its smallest spacing."""

_PRECISION: Final = 128
"""Bits with which mpmath computes; positions have at most 40."""

Array = NDArray[Any]


@lru_cache(maxsize=8)
def points(base: float, width: int, start: int, step: int) -> Array:
    """Return the points of `BLOCK` positions `step` apart at the frequencies ``base**(-2i/width)``.

    Parameters
    ----------
    base : float
        Base of the ladder.
    width : int
        Twice the number of frequencies.
    start, step : int
        The first position, and what each is more than the one before.

    Returns
    -------
    array of complex128, shape (BLOCK, width / 2)
        Each part is correctly rounded but for 2^-100.
    """
    import mpmath

    with mpmath.workprec(_PRECISION):
        ladder = [mpmath.power(base, mpmath.mpf(-2 * i) / width) for i in range(width // 2)]
        rows = [
            [complex(*map(float, mpmath.cos_sin((start + step * row) * entry))) for entry in ladder]
            for row in range(BLOCK)
        ]
    return np.array(rows)


def turned(base: float, width: int, block: int) -> tuple[Array, Array]:
    """Return the cosines and sines of a block, each of shape (BLOCK, width / 2), off by `ERROR` at most."""
    heads = points(base, width, block // BLOCK * BLOCK * BLOCK, BLOCK)
    table = points(base, width, 0, 1) * heads[block % BLOCK]
    return table.real, table.imag


def rounded(values: Array, dtype: str) -> Array:
    """Return the bits of float64 values rounded to the nearest of `dtype`, ties to even.

    Values that are not 0 must be normal numbers of bfloat16 for that dtype.
    """
    if dtype != "bfloat16":
        narrow: Array = values.astype(dtype).view("uint32" if dtype == "float32" else "uint16")
        return narrow
    bits = np.ascontiguousarray(values).view(np.uint64)
    even = bits >> np.uint64(45) & np.uint64(1)
    kept = bits + even + np.uint64(2**44 - 1) >> np.uint64(45)
    size = (kept & np.uint64(2**18 - 1)) - np.uint64(896 << 7)  # the exponent has 8 bits instead of 11
    return (size & np.uint64(2**15 - 1) | bits >> np.uint64(63) << np.uint64(15)).astype(np.uint16)


def values(bits: Array, dtype: str) -> Array:
    """Return the float64 values of stored bits."""
    if dtype == "bfloat16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    wide: Array = bits.view(dtype).astype(np.float64)
    return wide


def spacing(numbers: Array, dtype: str) -> Array:
    """Return the distance of neighbouring values of `dtype` in the binade of each number."""
    exponent = np.where(numbers == 0, LEAST[dtype], np.frexp(numbers)[1] - DIGITS[dtype])
    distance: Array = np.ldexp(1.0, np.maximum(exponent, LEAST[dtype]))
    return distance
