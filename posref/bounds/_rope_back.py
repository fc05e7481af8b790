"""Bounds of keys that are shifted and of the cotangents of a rotation: precision.C24 and C25."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from posref.bounds._rotation import pairs_of, rotate, turned, written
from posref.bounds._scaled import scaled
from posref.bounds._size import tiny
from posref.bounds.model import Model, Parts


def rerotate(
    model: Model,
    k: np.ndarray,
    delta: np.ndarray,
    *,
    rotary_dim: int,
    base: float,
    pairing: str,
    rotary_start: int = 0,
    scaling: Any = None,
    seq_len: int | None = None,
) -> Parts:
    """Bound of a rotation by the shift, with magnitude factor 1."""
    ladder = scaled(model, scaling, rotary_dim, base, seq_len)._replace(factor=1.0, off=0.0)
    places = pairs_of(pairing, rotary_dim, rotary_start)
    return written(k.shape, turned(model, k, delta, places, ladder), places)


def rotate_vjp(
    model: Model,
    grad_y: np.ndarray,
    x: np.ndarray,
    cos: np.ndarray,
    sin: np.ndarray,
    *,
    pairing_in: str,
    pairing_out: str,
    rotary_start: int = 0,
) -> tuple[Parts, Parts, Parts]:
    """Bound of the three cotangents: a rotation back, and sums over the axes that tables broadcast over."""
    width = 2 * cos.shape[-1]
    a, b = (grad_y[..., place] for place in pairs_of(pairing_out, width, rotary_start))
    u, w = (x[..., place] for place in pairs_of(pairing_in, width, rotary_start))
    return (
        rotate(
            model,
            grad_y,
            cos,
            sin,
            pairing_in=pairing_out,
            pairing_out=pairing_in,
            rotary_start=rotary_start,
        ),
        _summed(model, cos.shape, (a * u, b * w)),
        _summed(model, cos.shape, (b * u, -a * w)),
    )


def _summed(model: Model, shape: Sequence[int], products: tuple[np.ndarray, np.ndarray]) -> Parts:
    """Return the bound of two products a copy of the table, summed over all copies."""
    full = (1,) * (products[0].ndim - len(shape)) + tuple(shape)
    axes = [axis for axis, size in enumerate(full) if size != products[0].shape[axis]]
    copies = float(math.prod(products[0].shape[axis] for axis in axes))
    value = _total(products[0] + products[1], axes).reshape(shape)
    size = _total(np.abs(products[0]) + np.abs(products[1]), axes).reshape(shape)
    stored = 1.0 + len(axes) if axes else 1.0
    added = 2 * copies * model.u_sum / model.u_m if axes else 0.0
    lost = size * (stored + added) + model.last * np.abs(value) + 2 * copies * tiny(model.arithmetic)
    zero = np.zeros(size.shape)
    return Parts(zero, zero, np.where(size == 0, 0.0, lost), 2 * size)


def _total(values: np.ndarray, axes: Sequence[int]) -> np.ndarray:
    """Return the sums over some axes, added in order."""
    for axis in axes:
        total = np.zeros(np.take(values, 0, axis=axis).shape)
        for index in range(values.shape[axis]):
            total = total + np.take(values, index, axis=axis)
        values = np.expand_dims(total, axis)
    return values
