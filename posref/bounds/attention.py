"""Bounds of `attention`: precision.C10."""

from typing import NamedTuple

import numpy as np

from posref.bounds._size import dot, exp, expm1_small, tiny
from posref.bounds.model import Model, Parts


def scores(model: Model, q: np.ndarray, k: np.ndarray, *, scale: float) -> Parts:
    """Bound of scaled dot products."""
    lost, size, _ = _scores(model, q, k, scale)
    zero = np.zeros(size.shape)
    return Parts(zero, zero, lost, 2 * size)


def score_terms(
    model: Model,
    content_q: np.ndarray,
    position_q: np.ndarray,
    content_k: np.ndarray,
    position_k: np.ndarray,
    *,
    scale: float,
) -> tuple[Parts, ...]:
    """Bound of the four terms, each scaled dot products."""
    sides = [(q, k) for q in (content_q, position_q) for k in (content_k, position_k)]
    return tuple(scores(model, q, k, scale=scale) for q, k in sides)


def _scores(
    model: Model, q: np.ndarray, k: np.ndarray, scale: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the loss in units of u_m, the sum of sizes, and the scores."""
    factor, width = abs(scale), q.shape[-1]
    size, value = factor * dot(np.abs(q), np.abs(k)), scale * dot(q, k)
    floor = max(1.0, factor) * (width + 2 + dot(np.ones_like(q), np.abs(k)))
    lost = size * (2 + width * model.u_sum / model.u_m) + np.abs(value) + floor * tiny(model.arithmetic)
    return np.where(size == 0, 0.0, lost), size, value


def output(
    model: Model,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    bias: np.ndarray | None = None,
    mask: np.ndarray | None = None,
    *,
    scale: float,
) -> Parts:
    """Bound of softmax attention: weights that move by the error of their logits, then a sum."""
    lost, _, value = _scores(model, q, k, scale)
    logit = value if bias is None else value + bias
    open_ = np.isfinite(logit) if mask is None else np.isfinite(logit) & mask
    top = np.max(np.where(open_, logit, -np.inf), axis=-1, keepdims=True, initial=-np.inf)
    logit = np.where(open_, logit, top)
    gap = top - logit
    delta = model.u_m * (lost + np.abs(value) + np.abs(logit) + 3 * gap + 2) + 2 * model.k_p * model.u_t
    weights = _weights(gap, delta)
    return _averaged(model, v, open_, Weights(*(np.where(open_, part, 0.0) for part in weights)))


class Weights(NamedTuple):
    """Weights before they are divided by their sum: exact, largest growth, least value."""

    exact: np.ndarray
    growth: np.ndarray
    least: np.ndarray


def _weights(gap: np.ndarray, delta: np.ndarray) -> Weights:
    """Return the weight e**-gap and its range when the logit errs by up to delta."""
    weight = exp(-gap)
    small = np.minimum(delta, 0.5)
    growth = np.where(delta < 0.5, weight * expm1_small(small), exp(delta - gap) - weight)
    return Weights(weight, growth, exp(-gap - delta))


def _averaged(model: Model, v: np.ndarray, open_: np.ndarray, weights: Weights) -> Parts:
    """Return the bound of the weighted means of `v` (..., K, E), weights (..., Q, K)."""
    columns = np.swapaxes(v, -1, -2)
    weight, ones = weights.exact, np.ones((1, v.shape[-2]))
    total = dot(weight, ones)
    mean, size = dot(weight, columns) / total, dot(weight, np.abs(columns)) / total
    moved, far, plain = np.zeros(mean.shape), np.zeros(mean.shape), np.zeros(mean.shape)
    for j in range(v.shape[-2]):
        away = np.abs(v[..., None, j, :] - mean)
        moved += weights.growth[..., :, j, None] * away
        far = np.maximum(far, np.where(open_[..., :, j, None], away, 0.0))
        plain += np.where(open_[..., :, j, None], away + np.abs(v[..., None, j, :]) + 1, 0.0)
    moved = np.minimum(moved / dot(weights.least, ones), far)
    keys = v.shape[-2]
    sums = size * (4 + 2 * keys * model.u_sum / model.u_m) + plain * tiny(model.arithmetic)
    limit = 2 * np.max(np.abs(v), axis=-2, keepdims=True, initial=0.0)
    zero = np.zeros(mean.shape)
    arithmetic = np.where(size == 0, 0.0, moved / model.u_m + sums)
    return Parts(zero, zero, arithmetic, np.broadcast_to(limit, mean.shape))
