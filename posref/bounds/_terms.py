"""Bounds of a scaled sum of several dot products: precision.C21."""

from typing import NamedTuple

import numpy as np

from posref.bounds._size import tiny
from posref.bounds.model import Model, Parts


class Term(NamedTuple):
    """One dot product per element: the sum of the sizes of its products, its value, its operands."""

    size: np.ndarray
    value: np.ndarray
    operands: np.ndarray


def term(left: np.ndarray, right: np.ndarray) -> Term:
    """Return the dot product over the last axis, added in order; the other axes broadcast."""
    shape = np.broadcast_shapes(left.shape, right.shape)
    size, value, operands = (np.zeros(shape[:-1]) for _ in range(3))
    for i in range(shape[-1]):
        product = left[..., i] * right[..., i]
        value += product
        size += np.abs(product)
        operands += np.abs(left[..., i]) + np.abs(right[..., i])
    return Term(size, value, operands)


def scaled_sum(model: Model, scale: float, terms: list[Term], products: int) -> Parts:
    """Return the bound of ``scale * sum(terms)``, `products` being the products of the longest sum."""
    factor, count = abs(scale), len(terms)
    size = factor * sum(one.size for one in terms)
    stored = factor * sum(np.abs(one.value) for one in terms)
    value = factor * np.abs(sum(one.value for one in terms))
    floor = max(1.0, factor) * (products + 2 * count + sum(one.operands for one in terms))
    lost = size * (3 + products * model.u_sum / model.u_m) + (count + 1) * stored + value
    lost = lost + floor * tiny(model.arithmetic)
    zero = np.zeros(np.asarray(size).shape)
    return Parts(zero, zero, np.where(size == 0, 0.0, lost), np.asarray(2 * size))
