"""Bounds of `sinusoidal`: precision.C4 to C6."""

from fractions import Fraction

import numpy as np

from posref.bounds._ladder import condition, ladder, turn
from posref.bounds._table import blocks, entries, phase
from posref.bounds.model import Model, Parts


def _step(dim: int, denominator: str, odd: str) -> tuple[Fraction, int, int]:
    """Return the step of the exponent and how many sines and cosines a row has."""
    sines = (dim + 1) // 2 if odd == "extra_sine" else dim // 2
    if denominator == "count_minus_1":
        return Fraction(1, sines - 1), sines, dim // 2
    return Fraction(2, dim if odd == "extra_sine" else 2 * sines), sines, dim // 2


def _columns(layout: str, sines: int, cosines: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns of the sines and of the cosines."""
    s, c = np.arange(sines), np.arange(cosines)
    return {
        "interleaved": (2 * s, 2 * c + 1),
        "sin_cos": (s, sines + c),
        "cos_sin": (cosines + s, c),
    }[layout]


def inv_freq(model: Model, *, dim: int, base: float, denominator: str) -> Parts:
    """Bound of the ladder."""
    step, count, _ = _step(dim, denominator, "error")
    size = ladder(base, step, count)
    zero = np.zeros(count)
    return Parts(size * condition(model, base, step, count), zero, zero, size)


def encode(
    model: Model,
    positions: np.ndarray,
    *,
    dim: int,
    base: float,
    denominator: str,
    layout: str,
    odd: str,
) -> Parts:
    """Bound of the table: each column as its sine or cosine, a column of zeros exact."""
    step, sines, cosines = _step(dim, denominator, odd)
    error = turn(model, positions, condition(model, base, step, sines))
    cos, sin = entries(model, phase(positions, ladder(base, step, sines)), error)
    at_sine, at_cosine = _columns(layout, sines, cosines)
    fields = []
    for on, off, rest in zip(sin, cos, (0.0, 0.0, 0.0, np.inf), strict=True):
        table = np.full((*on.shape[:-1], dim), rest)
        table[..., at_sine], table[..., at_cosine] = on, off[..., :cosines]
        fields.append(table)
    return Parts(*fields)


def shift_matrix(model: Model, *, offset: int, dim: int, base: float, denominator: str, layout: str) -> Parts:
    """Bound of the shift: cosines and sines of offset times frequency, zeros elsewhere exact."""
    step, count, _ = _step(dim, denominator, "error")
    where = np.array(float(offset))
    error = turn(model, where, condition(model, base, step, count))
    cos, sin = entries(model, phase(where, ladder(base, step, count)), error)
    return blocks(cos, sin, *_columns(layout, count, count), dim)
