"""Cosines and sines of position times frequency, right to the last bit or its neighbour."""

import math
from typing import Any, Final

import numpy as np

from posref.numerics.circle import cosine, sine
from posref.numerics.doubled import Doubled, product
from posref.numerics.namespace import Space
from posref.numerics.reduction import Angles, prepare
from posref.numerics.wide import Frequencies

BLOCK: Final = 2**15
"""Entries worked on at a time: the temporary arrays then stay in a processor's cache."""


@np.errstate(all="ignore")
def tables(space: Space, positions: Any, frequencies: Frequencies, factor: float = 1.0) -> tuple[Any, Any]:
    """Return the cosine and the sine of every position times every frequency.

    Parameters
    ----------
    space : Space
        Where `positions` live.
    positions : array of int64 or float64, shape (..., T)
        Tokens, at most 2**53 in size; fractions are exact.
    frequencies : tuple of Decimal, length h
        Radians per token, at least one.
    factor : float, default 1.0
        Magnitude factor, above 0.

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
    signs = space.constant([float((entry > 0) - (entry < 0)) for entry in frequencies])
    rows = max(1, BLOCK // len(frequencies))
    cos, sin = [], []
    for start in range(0, flat.shape[0], rows):
        stop = min(start + rows, flat.shape[0])
        sign = xp.sign(flat[start:stop, None]) * signs + 0.0
        upright, across = _points(xp, reduction.block(start, stop), factor)
        cos.append(upright)
        sin.append(across * sign)
    return xp.reshape(xp.concat(cos, axis=0), shape), xp.reshape(xp.concat(sin, axis=0), shape)


def _points(xp: Any, angles: Angles, factor: float) -> tuple[Any, Any]:
    """Return cosine and sine of reduced angles: each quadrant swaps them and changes a sign."""
    near = _scaled(cosine(angles.rest), factor)
    far = _scaled(sine(angles.rest), factor)
    far = xp.where(angles.negative, -far, far)
    odd = (angles.quadrant & 1) == 1
    cos, sin = xp.where(odd, far, near), xp.where(odd, near, far)
    cos = xp.where((angles.quadrant == 1) | (angles.quadrant == 2), -cos, cos)
    return cos, xp.where(angles.quadrant >= 2, -sin, sin)


def _scaled(number: Doubled, factor: float) -> Any:
    """Return ``number * factor``, rounded once."""
    if factor == 1.0:
        return number.high
    significand, exponent = math.frexp(factor)
    high, low = product(number.high, 2.0 * significand)
    return (high + (low + 2.0 * significand * number.low)) * 2.0 ** (exponent - 1)
