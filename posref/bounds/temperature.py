"""Bounds of `temperature`: precision.C28."""

import numpy as np

from posref.bounds._ladder import log
from posref.bounds._size import inexact, tiny
from posref.bounds.model import Model, Parts

LARGEST = 2**54
"""A step longer than any position."""


def scale(model: Model, positions: np.ndarray, *, beta: float, floor_scale: int, plus_one: bool) -> Parts:
    """Bound of the query scale; it is exactly 1 in the first step, and where beta is 0."""
    argument = 1.0 + (positions + int(plus_one)) // min(floor_scale, LARGEST)
    logarithm = np.array([log(float(one)) for one in argument.reshape(-1)]).reshape(argument.shape)
    growth = beta * logarithm
    angle = beta * (2 * model.k_p * logarithm + inexact(argument, model.angle))
    operand = 1.0 if model.u_m > model.u_a else 0.0
    factor = 1.0 + operand + float(inexact(np.array(beta), model.arithmetic))
    underflow = tiny(model.arithmetic) * (1 + logarithm)
    arithmetic = np.where(growth > 0, factor * growth + model.last * (1 + growth) + underflow, 0.0)
    return Parts(angle, np.zeros(angle.shape), arithmetic, growth)
