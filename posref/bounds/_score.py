"""Bounds of dot products of two rotated vectors: precision.C9 and C20."""

from typing import NamedTuple

import numpy as np

from posref.bounds._scaled import Ladder
from posref.bounds._size import dot, hypot, inexact, tiny
from posref.bounds._table import phase, sine_size
from posref.bounds.model import Model, Parts


class Side(NamedTuple):
    """What one of the two vectors brings: sizes of its pairs, of the rest, and its own angle errors."""

    positions: np.ndarray
    norm: np.ndarray
    rest: np.ndarray
    own_angle: np.ndarray
    table: np.ndarray


def side(
    model: Model,
    x: np.ndarray,
    positions: np.ndarray,
    *,
    pairs: tuple[np.ndarray, np.ndarray],
    ladder: Ladder,
) -> Side:
    """Return one side; `own_angle` is what products and positions lose, without the frequency's error."""
    norm = ladder.factor * hypot(x[..., pairs[0]], x[..., pairs[1]])
    rest = np.ones(x.shape[-1], dtype=bool)
    rest[pairs[0]] = rest[pairs[1]] = False
    t = phase(positions, ladder.frequency)
    place = np.asarray(positions, dtype=np.float64)
    product = np.where(ladder.error == 0, 0.0, 1.0) + inexact(place, model.angle)[..., None]
    sine = sine_size(model, t)
    table = norm * np.sqrt(1.0 + sine * sine)
    return Side(place, norm, np.abs(x[..., rest]), norm * t * product, table)


def parts(model: Model, q: Side, k: Side, ladder: Ladder) -> Parts:
    """Return the bound; both sides have the same ladder, and the same error of each frequency."""
    drift = ladder.frequency * ladder.error
    scales = 0.0 if ladder.factor == 1 else 6.0
    apart = np.abs(q.positions[..., :, None] - k.positions[..., None, :])
    pairs = dot(q.norm, k.norm)
    size = pairs + dot(q.rest, k.rest)
    width = 2 * q.norm.shape[-1] + q.rest.shape[-1]
    angle = apart * dot(q.norm * drift, k.norm) + dot(q.own_angle, k.norm) + dot(q.norm, k.own_angle)
    angle = angle + 2 * ladder.off * pairs
    table = dot(q.table, k.norm) + dot(q.norm, k.table)
    floor = width + (4.5 + scales / 2) * (
        dot(q.norm, np.ones_like(k.norm)) + dot(np.ones_like(q.norm), k.norm)
    )
    arithmetic = (
        (5 + scales) * pairs + size * (1 + width * model.u_sum / model.u_m) + floor * tiny(model.arithmetic)
    )
    exact = size == 0
    angle, table, arithmetic = (np.where(exact, 0.0, part) for part in (angle, table, arithmetic))
    return Parts(angle, table, arithmetic, 2 * size)
