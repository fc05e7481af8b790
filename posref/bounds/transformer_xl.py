"""Bounds of `transformer_xl`: precision.C21."""

import numpy as np

from posref.bounds._terms import scaled_sum, term
from posref.bounds.model import Model, Parts


def scores(
    model: Model,
    q: np.ndarray,
    k: np.ndarray,
    r: np.ndarray,
    distances: np.ndarray,
    u: np.ndarray,
    v: np.ndarray,
    q_positions: np.ndarray,
    k_positions: np.ndarray,
    *,
    scale: float,
) -> Parts:
    """Bound of four dot products, scaled: global queries may be added before or after them."""
    place = {int(distance): row for row, distance in enumerate(distances)}
    wanted = q_positions[:, None] - k_positions[None, :]
    rows = np.array([[place[int(one)] for one in line] for line in wanted], np.int64).reshape(wanted.shape)
    query, key, row = q[:, :, None, :], k[:, None, :, :], r[:, rows]
    shared, position = u[:, None, None, :], v[:, None, None, :]
    pairs = ((query, key), (shared, key), (query, row), (position, row))
    return scaled_sum(model, scale, [term(*pair) for pair in pairs], 2 * q.shape[-1])
