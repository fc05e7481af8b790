"""Cosines and sines of position times frequency, right to the last bit or its neighbour."""

from decimal import Decimal
from typing import Any, Final

import numpy as np

from posref.numerics.circle import cosine, sine
from posref.numerics.doubled import Doubled, product
from posref.numerics.namespace import Space
from posref.numerics.reduction import Angles, prepare
from posref.numerics.wide import Frequencies, split

Scale = tuple[float, float, int]
"""A factor as `split` gives it: significand, the rest of it, exponent."""

ONE: Final[Scale] = (1.0, 0.0, 0)

BLOCK: Final = 2**15
"""Entries worked on at a time: the temporary arrays then stay in a processor's cache."""


@np.errstate(all="ignore")
def tables(
    space: Space, positions: Any, frequencies: Frequencies, factor: float | Decimal = 1.0
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

    Returns
    -------
    cos, sin : arrays of float64, shape (..., T, h)
        Within one ulp of the real value times `factor`. An exact zero is +0.
    """
    xp = space.xp
    shape = (*positions.shape, len(frequencies))
    flat = xp.astype(xp.reshape(positions, (-1,)), xp.float64)
    if flat.shape[0] == 0:
        return space.zeros(shape), space.zeros(shape)
    reduction = prepare(space, flat, frequencies)
    scale = split(Decimal(factor))
    signs = space.constant([float((entry > 0) - (entry < 0)) for entry in frequencies])
    rows = max(1, BLOCK // len(frequencies))
    cos, sin = [], []
    for start in range(0, flat.shape[0], rows):
        stop = min(start + rows, flat.shape[0])
        sign = xp.sign(flat[start:stop, None]) * signs + 0.0
        upright, across = points(xp, reduction.block(start, stop), scale)
        cos.append(upright)
        sin.append(across * sign)
    return xp.reshape(xp.concat(cos, axis=0), shape), xp.reshape(xp.concat(sin, axis=0), shape)


def points(xp: Any, angles: Angles, scale: Scale) -> tuple[Any, Any]:
    """Return cosine and sine of reduced angles: each quadrant swaps them and changes a sign."""
    near = _scaled(cosine(angles.rest), scale)
    far = _scaled(sine(angles.rest), scale)
    far = xp.where(angles.negative, -far, far)
    odd = (angles.quadrant & 1) == 1
    cos, sin = xp.where(odd, far, near), xp.where(odd, near, far)
    cos = xp.where((angles.quadrant == 1) | (angles.quadrant == 2), -cos, cos)
    return cos, xp.where(angles.quadrant >= 2, -sin, sin)


def _scaled(number: Doubled, scale: Scale) -> Any:
    """Return ``number * scale``, rounded once."""
    if scale == ONE:
        return number.high
    significand, rest, exponent = scale
    high, low = product(number.high, significand)
    return (high + (low + significand * number.low + number.high * rest)) * 2.0**exponent
