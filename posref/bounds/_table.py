"""Bounds of sines and cosines of position times frequency: precision.C6."""

import numpy as np

from posref.bounds._size import tiny
from posref.bounds.model import Model, Parts


def phase(positions: np.ndarray, frequency: np.ndarray) -> np.ndarray:
    """Return |position * frequency|, shape (..., T, h)."""
    return np.asarray(np.abs(np.asarray(positions, dtype=np.float64))[..., None] * frequency)


def sine_size(model: Model, t: np.ndarray) -> np.ndarray:
    """Return what multiplies the loss of a sine: an ulp of sin(t) is at most that of min(1, 2t)."""
    floor = 2 * tiny(model.stored or model.trig)
    return np.where(t == 0, 0.0, np.minimum(1.0, 2 * t + floor))


def entries(model: Model, t: np.ndarray, error: np.ndarray, factor: float = 1.0) -> tuple[Parts, Parts]:
    """Return the parts of ``factor * cos`` and ``factor * sin`` of angles of size `t`.

    `error` is the relative error of the angle in units of u_a.
    """
    writer = model if factor != 1 else model.stored_once()
    weight = factor * writer.table_unit() / model.table_unit()
    low = np.minimum(1.0, t)
    sine = sine_size(model, t)
    scaling = 0.0 if factor == 1 else 1.0 + model.last
    floor = 0.0 if factor == 1 else 2 * tiny(model.arithmetic)
    limit = np.full(t.shape, 2 * factor)
    moved = factor * t * error
    return (
        Parts(moved * low, np.full(t.shape, weight), np.full(t.shape, scaling * factor + floor), limit),
        Parts(moved, weight * sine, np.where(t == 0, 0.0, scaling * factor * low + floor), limit),
    )


def blocks(cos: Parts, sin: Parts, first: np.ndarray, second: np.ndarray, width: int) -> Parts:
    """Return matrices with a cosine at both diagonal places of a pair and a sine at the other two."""

    def place(on: np.ndarray, off: np.ndarray, rest: float) -> np.ndarray:
        matrix = np.full((*on.shape[:-1], width, width), rest)
        matrix[..., first, first] = matrix[..., second, second] = on
        matrix[..., first, second] = matrix[..., second, first] = off
        return matrix

    fields = zip(cos, sin, (0.0, 0.0, 0.0, np.inf), strict=True)
    return Parts(*(place(on, off, rest) for on, off, rest in fields))


def side_by_side(*blocks: Parts) -> Parts:
    """Return parts of blocks of columns, one after the other."""
    width = sum(block.angle.shape[-1] for block in blocks)
    found = Parts(*(np.zeros((*blocks[0].angle.shape[:-1], width)) for _ in Parts._fields))
    start = 0
    for block in blocks:
        stop = start + block.angle.shape[-1]
        for whole, part in zip(found, block, strict=True):
            whole[..., start:stop] = part
        start = stop
    return found


def untouched(leading: tuple[int, ...], width: int) -> Parts:
    """Return parts of columns that are moved, or are exact zeros."""
    nothing = np.zeros((*leading, width))
    return Parts(nothing, nothing, nothing, nothing + np.inf)
