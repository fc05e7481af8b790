"""Bounds of `swin`: precision.C23."""

import numpy as np

from posref.bounds._ladder import log
from posref.bounds.model import Model, Parts


def log_coords(model: Model, *, window: list[int], pretrained_window: list[int] | None) -> Parts:
    """Bound of log-spaced coordinates."""
    before = window if pretrained_window is None else pretrained_window
    height, width = window
    angle, value = np.zeros((2, 2 * height - 1, 2 * width - 1, 2))
    for axis, (size, reference) in enumerate(zip(window, before, strict=True)):
        shape = (-1, 1) if axis == 0 else (1, -1)
        lost, real = _axis(model, size, reference)
        angle[..., axis] += lost.reshape(shape)
        value[..., axis] += real.reshape(shape)
    return Parts(angle, np.zeros(angle.shape), np.zeros(angle.shape), value)


def _axis(model: Model, size: int, before: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the loss in units of u_a and the size of the coordinate of each offset."""
    offset = np.abs(np.arange(1 - size, size)).astype(np.float64)
    c = 8 * offset / max(before - 1, 1)
    real = np.array([log(1 + float(one)) for one in c]) / (3 * log(2.0))
    inner = (1 + 2 * c / (1 + c)) / (3 * log(2.0))
    return np.where(offset == 0, 0.0, real * (2 * model.k_p + 2) + inner), real
