"""Cosines and sines of position times frequency, right to the last bit or its neighbour."""

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import Any, Final

import numpy as np

from posref.numerics.angles import Angles
from posref.numerics.circle import cosine_and_sine
from posref.numerics.doubled import Doubled, fast_sum, product
from posref.numerics.given import Given
from posref.numerics.namespace import Space, dtype_name
from posref.numerics.pieces import spans
from posref.numerics.reduction import prepare
from posref.numerics.runs import LONG, fill
from posref.numerics.wide import Frequencies, split

Scale = tuple[float, float, int]
"""A factor as `split` gives it: significand, the rest of it, exponent."""

ONE: Final[Scale] = (1.0, 0.0, 0)

PART: Final = 2**19
"""Entries of a table that are in float64 at a time on their way to a narrower dtype."""

MODEST: Final = (2.0**-60, 2.0**60)
"""Magnitude factors with which no entry of a table overflows or vanishes in float32."""

BLOCK: Final = 2**15
"""Entries worked on at a time: the temporary arrays then stay in a processor's cache."""


def tables(
    space: Space,
    positions: Any,
    frequencies: Frequencies,
    factor: float | Decimal = 1.0,
    dtype: Any = "float64",
) -> tuple[Any, Any]:
    """Return the cosine and the sine of every position times every frequency.

    Parameters
    ----------
    space : Space
        Where `positions` live.
    positions : array of int64 or float64, shape (..., T)
        Tokens, at most 2**53 in size; fractions are exact.
    frequencies : tuple of Decimal, length h
        Radians per token, at least one.
    factor : float or Decimal, default 1.0
        Magnitude factor, above 0; wide where it is not a float64.
    dtype : str or dtype, default "float64"
        What the result will be rounded to.

    Returns
    -------
    cos, sin : arrays of float64, shape (..., T, h)
        Within one ulp of the real value times `factor`; for a narrower `dtype` within 2**-49 times
        `factor` and 2**-8 of its spacing (`runs`). An exact zero is +0.
    """
    whole = None if dtype_name(dtype) == "float64" else _turnable(space, positions, factor)
    if whole is None:
        return exact_tables(space, positions, frequencies, factor)
    shape = (*positions.shape, len(frequencies))
    cos, sin = np.empty((whole.size, shape[-1])), np.empty((whole.size, shape[-1]))
    _fill(space, cos, sin, whole, frequencies, factor)
    return cos.reshape(shape), sin.reshape(shape)


def rounded_tables(
    given: Given, positions: Any, frequencies: Frequencies, factor: float | Decimal
) -> tuple[Any, Any]:
    """Return what `tables` does, rounded once to the dtype of a call, in the library of its arguments.

    Where NumPy computes, no more than `PART` entries are ever there in float64.
    """
    space, dtype = given.space, given.dtype
    if not space.is_numpy:
        cos, sin = tables(space, positions, frequencies, factor, dtype)
        return given.round(cos), given.round(sin)
    flat, width = positions.reshape(-1), len(frequencies)
    made = given.empty((flat.size, width)), given.empty((flat.size, width))
    if dtype_name(dtype) == "float32" and (whole := _turnable(space, flat, factor)) is not None:
        _fill(space, *made, whole, frequencies, factor)
    else:
        for rows in spans(flat.size, max(1, PART // width)):
            for values, table in zip(
                tables(space, flat[rows], frequencies, factor, dtype), made, strict=True
            ):
                given.put(values, table[rows])
    cos, sin = (space.leave(table.reshape(*positions.shape, width), dtype) for table in made)
    return cos, sin


def _turnable(space: Space, positions: Any, factor: float | Decimal) -> Any:
    """Return positions as int64 of rank 1 if their table may be made by turning, or None."""
    if not space.is_numpy or positions.size < LONG or not MODEST[0] <= factor <= MODEST[1]:
        return None
    flat = positions.reshape(-1)
    whole = flat.astype(np.int64, copy=False)
    return whole if whole is flat or np.array_equal(whole, flat) else None


def _fill(
    space: Space, cos: Any, sin: Any, flat: Any, frequencies: Frequencies, factor: float | Decimal
) -> None:
    exact = partial(exact_tables, space, frequencies=frequencies, factor=factor)
    unit = partial(exact_tables, space, frequencies=frequencies)
    fill(cos, sin, flat, exact, float(factor), unit)


@np.errstate(all="ignore")
def exact_tables(
    space: Space, positions: Any, frequencies: Frequencies, factor: float | Decimal = 1.0
) -> tuple[Any, Any]:
    """Return what `tables` returns for float64: every entry from its own exact phase."""
    xp = space.xp
    shape = (*positions.shape, len(frequencies))
    flat = xp.astype(xp.reshape(positions, (-1,)), xp.float64)
    if flat.shape[0] == 0:
        return space.zeros(shape), space.zeros(shape)
    times = factor if isinstance(factor, Decimal) else Decimal.from_float(factor)
    blocks = _exact_blocks(space, flat, frequencies, split(times))
    if not space.is_numpy:
        cos, sin = (xp.concat(parts, axis=0) for parts in zip(*(part for _, *part in blocks), strict=True))
        return xp.reshape(cos, shape), xp.reshape(sin, shape)
    cos, sin = np.empty((flat.size, shape[-1])), np.empty((flat.size, shape[-1]))
    for rows, upright, across in blocks:
        cos[rows], sin[rows] = upright, across
    return cos.reshape(shape), sin.reshape(shape)


def _exact_blocks(
    space: Space, flat: Any, frequencies: Frequencies, scale: Scale
) -> Iterator[tuple[slice, Any, Any]]:
    reduction = prepare(space, flat, frequencies)
    for rows in spans(flat.shape[0], max(1, BLOCK // len(frequencies))):
        signs = _signs(space, flat[rows, None], frequencies)
        cos, sin = points(reduction.block(rows.start, rows.stop), scale)
        yield rows, cos, sin * signs


def _signs(space: Space, positions: Any, frequencies: Frequencies) -> Any:
    """Return the signs of the products, with +0, to broadcast with them."""
    signs = space.xp.sign(positions) + 0.0
    if all(entry > 0 for entry in frequencies):
        return signs
    return signs * space.constant([float((entry > 0) - (entry < 0)) for entry in frequencies]) + 0.0


def points(angles: Angles, scale: Scale) -> tuple[Any, Any]:
    """Return cosine and sine of reduced angles: the quarters turn those of the rest, without rounding."""
    near, far = (_scaled(number, scale) for number in cosine_and_sine(angles.rest))
    upright, across = angles.upright, angles.across
    return near * upright - far * across, near * across + far * upright


def _scaled(number: Doubled, scale: Scale) -> Any:
    """Return ``number * scale``, rounded once."""
    if scale == ONE:
        return number.high + number.low
    significand, rest, exponent = scale
    number = fast_sum(*number)
    high, low = product(number.high, significand)
    return (high + (low + significand * number.low + number.high * rest)) * 2.0**exponent
