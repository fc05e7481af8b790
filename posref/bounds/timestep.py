"""Bounds of `timestep`: precision.C14."""

from fractions import Fraction

import numpy as np

from posref.bounds._ladder import condition, ladder, log, turn
from posref.bounds._size import inexact, power_of_two, tiny
from posref.bounds._table import entries, side_by_side, untouched
from posref.bounds.model import Model, Parts

FAR = 2.0**1000
"""Angles beyond this are as good as this one."""


def encode(
    model: Model,
    timesteps: np.ndarray,
    *,
    dim: int,
    max_period: float,
    freq_shift: float,
    flip_sin_to_cos: bool,
    scale: float,
    odd: str,
) -> Parts:
    """Bound of the table: each column as its sine or cosine, a column of zeros exact."""
    count = dim // 2
    span = count - Fraction(freq_shift)
    known = condition(model, max_period, 1 / span, count)
    if model.frequency != "float64":
        stretch = np.arange(count) / float(span) * log(max_period)
        known = known + stretch * _span_error(model, freq_shift, float(span))
    error = turn(model, timesteps, known) + _factor_error(model, scale)
    t = np.minimum(np.abs(timesteps * scale), FAR)[..., None] * ladder(max_period, 1 / span, count)
    cos, sin = entries(model, t, error)
    underflow = np.where((t > 0) & (error > 0), 3 * tiny(model.angle), 0.0)
    sin = sin._replace(angle=sin.angle + underflow)
    order = (cos, sin) if flip_sin_to_cos else (sin, cos)
    return side_by_side(*order, untouched(timesteps.shape, dim - 2 * count))


def _span_error(model: Model, freq_shift: float, span: float) -> float:
    """Return the relative error of the exponent's divisor, in units of u_a."""
    shift, rest = (float(inexact(np.array(value), model.angle)) for value in (freq_shift, span))
    return (shift * abs(freq_shift) + rest * span) / span


def _factor_error(model: Model, scale: float) -> float:
    """Return what the factor on the angle costs, in units of u_a: nothing where it is a power of two."""
    factor = np.array(scale)
    return 0.0 if power_of_two(factor) else 1.0 + float(inexact(factor, model.angle))
