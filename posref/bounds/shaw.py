"""Bounds of `shaw`: precision.C21 and precision.C22."""

import numpy as np

from posref.bounds._size import tiny
from posref.bounds._terms import scaled_sum, term
from posref.bounds.model import Model, Parts


def scores(
    model: Model, q: np.ndarray, k: np.ndarray, table_k: np.ndarray, index: np.ndarray, *, scale: float
) -> Parts:
    """Bound of two dot products, scaled."""
    query = q[..., :, None, :]
    terms = [term(query, k[..., None, :, :]), term(query, table_k[index])]
    return scaled_sum(model, scale, terms, 2 * q.shape[-1])


def output(model: Model, weights: np.ndarray, v: np.ndarray, table_v: np.ndarray, index: np.ndarray) -> Parts:
    """Bound of two weighted sums."""
    columns, rows = np.swapaxes(v, -1, -2), np.swapaxes(table_v[index], -1, -2)
    weight = weights[..., :, None, :]
    content, position = term(weight, columns[..., None, :, :]), term(weight, rows)
    keys = weights.shape[-1]
    size = content.size + position.size
    stored = np.abs(content.value) + np.abs(position.value)
    written = model.last * np.abs(content.value + position.value)
    floor = 2 * (keys + 1) * tiny(model.arithmetic)
    lost = size * (2 + 2 * keys * model.u_sum / model.u_m) + stored + written + floor
    zero = np.zeros(size.shape)
    return Parts(zero, zero, np.where(size == 0, 0.0, lost), 2 * size)
