"""Bounds of `deberta`: precision.C21."""

import numpy as np

from posref.bounds._terms import scaled_sum, term
from posref.bounds.model import Model, Parts


def scores(
    model: Model,
    q: np.ndarray,
    k: np.ndarray,
    pos_q: np.ndarray,
    pos_k: np.ndarray,
    index: np.ndarray,
    *,
    terms: list[str],
    scale: float,
) -> Parts:
    """Bound of up to three dot products, scaled."""
    query, key = q[:, :, None, :], k[:, None, :, :]
    chosen = {
        "c2c": lambda: term(query, key),
        "c2p": lambda: term(query, pos_k[:, index]),
        "p2c": lambda: term(key, pos_q[:, index]),
    }
    return scaled_sum(model, scale, [chosen[name]() for name in terms], len(terms) * q.shape[-1])
