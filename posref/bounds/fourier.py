"""Bounds of `fourier`: precision.C15."""

import numpy as np

from posref.bounds._size import dot, inexact, power_of_two, tiny
from posref.bounds._table import entries, side_by_side, untouched
from posref.bounds.model import Model, Parts

TURN = 6.283185307179586
"""2 pi."""

FAR = 2.0**1000
"""Projections beyond this are as good as this one."""


def encode(model: Model, x: np.ndarray, weights: np.ndarray, *, two_pi: bool, include_input: bool) -> Parts:
    """Bound of the features: sines and cosines of a sum of products, the input moved."""
    axes = weights.shape[0]
    columns = np.swapaxes(weights, 0, 1)
    size = dot(np.abs(x), np.abs(columns)) * (TURN if two_pi else 1.0)
    size = np.minimum(size, FAR)
    error = _projection_error(model, x, columns) + 2.0 * two_pi
    cos, sin = entries(model, size, error)
    underflow = np.where((size > 0) & (error > 0), 2 * TURN * (axes + 1) * tiny(model.angle), 0.0)
    sin = sin._replace(angle=sin.angle + underflow)
    kept = untouched(x.shape[:-1], axes if include_input else 0)
    return side_by_side(kept, sin, cos)


def _projection_error(model: Model, x: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the error of the sum of products in units of u_a times the sum of their sizes."""
    axes = columns.shape[-1]
    rounded = np.max(np.maximum(inexact(columns, model.angle), 0.0), axis=-1)
    products = np.full((*x.shape[:-1], columns.shape[0]), float(axes))
    if axes == 1:
        products = np.where(power_of_two(x) | power_of_two(columns[:, 0]), 0.0, 1.0)
    return np.asarray(products + rounded)
