"""Bounds of `sincos2d`: precision.C14."""

from fractions import Fraction

import numpy as np

from posref.bounds._ladder import condition, ladder, turn
from posref.bounds._table import entries, phase, side_by_side
from posref.bounds.model import Model, Parts


def encode(
    model: Model,
    rows: np.ndarray,
    cols: np.ndarray,
    *,
    dim: int,
    base: float,
    denominator: str,
    axis_order: str,
    layout: str,
) -> Parts:
    """Bound of the table: each column as its sine or cosine of one coordinate."""
    count = dim // 4
    step = Fraction(1, count if denominator == "dim" else count - 1)
    known = condition(model, base, step, count)
    axes = (cols, rows) if axis_order == "x_first" else (rows, cols)
    blocks = {}
    for place, axis in enumerate(axes):
        t = phase(axis, ladder(base, step, count))
        blocks["cos", place], blocks["sin", place] = entries(model, t, turn(model, axis, known))
    order = [("sin", 0), ("cos", 0), ("sin", 1), ("cos", 1)]
    if layout == "component_major":
        order = [("sin", 0), ("sin", 1), ("cos", 0), ("cos", 1)]
    return side_by_side(*(blocks[name] for name in order))
