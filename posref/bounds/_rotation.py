"""Bounds of a rotation, by given tables or by those of positions: precision.C7 and C20."""

import numpy as np

from posref.bounds._ladder import turn
from posref.bounds._scaled import Ladder
from posref.bounds._size import hypot, inexact, tiny, unit
from posref.bounds._table import phase, sine_size
from posref.bounds.model import Model, Parts


def pairs_of(pairing: str, width: int, start: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return the coordinates of the first and the second member of each pair."""
    i = np.arange(width // 2)
    if pairing == "adjacent":
        return start + 2 * i, start + 2 * i + 1
    return start + i, start + i + width // 2


def rotate(
    model: Model,
    x: np.ndarray,
    cos: np.ndarray,
    sin: np.ndarray,
    *,
    pairing_in: str,
    pairing_out: str,
    rotary_start: int = 0,
) -> Parts:
    """Bound of a rotation by given tables, which may be rounded to the precision they are used in."""
    width = 2 * cos.shape[-1]
    first, second = pairs_of(pairing_in, width, rotary_start)
    u, w = np.abs(x[..., first]), np.abs(x[..., second])
    c, s = np.abs(cos), np.abs(sin)
    rounded_c, rounded_s = _refitted(model, c), _refitted(model, s)
    weight = unit(model.operand) / model.table_unit()
    spread = 2 * hypot(c, s) * hypot(u, w)
    found = []
    for own, other in ((u, w), (w, u)):
        size = own * c + other * s
        table = weight * (own * rounded_c + other * rounded_s)
        arithmetic = np.where(size == 0, 0.0, size * (1 + model.last) + 3 * tiny(model.arithmetic))
        found.append(Parts(np.zeros(size.shape), np.where(size == 0, 0.0, table), arithmetic, spread))
    return written(x.shape, found, pairs_of(pairing_out, width, rotary_start))


def _refitted(model: Model, table: np.ndarray) -> np.ndarray:
    """Return, in its unit roundoff, what a table entry loses when it is made an operand."""
    small = tiny(model.operand)
    lost = (inexact(table, model.operand) > 0) | ((table < small) & (table > 0))
    return np.where(lost, np.maximum(table, small), 0.0)


def written(shape: tuple[int, ...], found: list[Parts], places: tuple[np.ndarray, np.ndarray]) -> Parts:
    """Return the parts of all coordinates; those that are not rotated are exact."""
    fields = []
    for one, two, rest in zip(*found, (0.0, 0.0, 0.0, np.inf), strict=True):
        whole = np.full(shape, rest)
        whole[..., places[0]], whole[..., places[1]] = one, two
        fields.append(whole)
    return Parts(*fields)


def turned(
    model: Model,
    x: np.ndarray,
    positions: np.ndarray,
    places: tuple[np.ndarray, np.ndarray],
    ladder: Ladder,
    factor: float | np.ndarray | None = None,
    off: float | np.ndarray = 0.0,
) -> list[Parts]:
    """Return the bound of both members of each pair (precision.C7, C20).

    They are multiplied by `factor`, relative error `off` in units of u_a; by default by the ladder's own.
    """
    if factor is None:
        factor, off = ladder.factor, ladder.off
    t, error = phase(positions, ladder.frequency), turn(model, positions, ladder.error)
    scales = np.where(np.asarray(factor) == 1, 0.0, 1.0)
    u, w = factor * np.abs(x[..., places[0]]), factor * np.abs(x[..., places[1]])
    norm = hypot(u, w)
    low, sine = np.minimum(1.0, t), sine_size(model, t)
    floor = (3 + 2 * scales) * tiny(model.arithmetic)
    found = []
    for own, other in ((u, w), (w, u)):
        size = np.minimum(norm, own + other * low)
        arithmetic = np.where(norm == 0, 0.0, size * (1 + 2 * scales + model.last) + floor)
        angle = norm * t * error + size * off
        found.append(Parts(angle, own + other * sine, arithmetic, 2 * norm))
    return found
