"""Bounds of `t5`: a bias is a table's entry, moved (precision.C2)."""

import numpy as np

from posref.bounds.model import Model, Parts


def bias(
    model: Model,
    table: np.ndarray,
    q_positions: np.ndarray,
    k_positions: np.ndarray,
    *,
    num_buckets: int,
    max_distance: int,
    bidirectional: bool,
) -> Parts:
    """Bound of moved values: none of them changes."""
    zero = np.zeros(
        np.broadcast_shapes(q_positions[..., None, :, None].shape, k_positions[..., None, None, :].shape)
    )
    zero = zero + np.zeros((table.shape[-1], 1, 1))
    return Parts(zero, zero, zero, zero + np.inf)
