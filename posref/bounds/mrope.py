"""Bounds of `mrope`: precision.C27."""

import numpy as np

from posref.bounds._size import inexact, power_of_two
from posref.bounds._table import entries
from posref.bounds.model import Model, Parts


def cos_sin(
    model: Model,
    positions: np.ndarray,
    inv_freq: np.ndarray,
    axis_of_channel: np.ndarray,
    *,
    attention_factor: float = 1.0,
) -> tuple[Parts, Parts]:
    """Bound of the table of given frequencies, each at the position of its channel's axis."""
    where = np.swapaxes(np.asarray(positions, dtype=np.float64)[axis_of_channel], 0, 1)
    product = np.where(power_of_two(where) | power_of_two(inv_freq), 0.0, 1.0)
    error = product + inexact(where, model.angle) + inexact(inv_freq, model.angle)
    return entries(model, np.abs(where * inv_freq), error, attention_factor)
