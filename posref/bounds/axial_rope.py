"""Bounds of `axial_rope`: precision.C27."""

from fractions import Fraction

import numpy as np

from posref.bounds._ladder import condition, ladder, turn
from posref.bounds._table import entries, phase, side_by_side
from posref.bounds.model import Model, Parts


def cos_sin(
    model: Model, positions: np.ndarray, *, axis_dims: list[int], base: float, frequencies: str
) -> tuple[Parts, Parts]:
    """Bound of the table: each channel as the sine or cosine of one coordinate."""
    cosines, sines = [], []
    for axis, width in enumerate(axis_dims):
        size, error = _ladder(model, axis, width, base, frequencies)
        where = positions[:, axis]
        cos, sin = entries(model, phase(where, size), turn(model, where, error))
        cosines.append(cos)
        sines.append(sin)
    return side_by_side(*cosines), side_by_side(*sines)


def _ladder(
    model: Model, axis: int, width: int, base: float, frequencies: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the frequencies of an axis and the relative error of each."""
    if frequencies == "reset":
        step, count = Fraction(2, width), width // 2
        return ladder(base, step, count), condition(model, base, step, count)
    step = Fraction(1, width)
    return ladder(base, step, width)[axis::2], condition(model, base, step, width)[axis::2]
