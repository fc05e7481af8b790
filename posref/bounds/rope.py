"""Bounds of `rope`: precision.C4 to C7 and C9."""

from fractions import Fraction
from typing import Any

import numpy as np

from posref.bounds import _score
from posref.bounds._ladder import condition, ladder, turn
from posref.bounds._size import hypot, inexact, power_of_two, tiny, unit
from posref.bounds._table import blocks, entries, phase, sine_size
from posref.bounds.model import Model, Parts


def inv_freq(model: Model, *, rotary_dim: int, base: float) -> Parts:
    """Bound of the ladder."""
    size, error = _ladder(model, rotary_dim, base)
    zero = np.zeros(size.shape)
    return Parts(size * error, zero, zero, size)


def _ladder(model: Model, rotary_dim: int, base: float) -> tuple[np.ndarray, np.ndarray]:
    step, count = Fraction(2, rotary_dim), rotary_dim // 2
    return ladder(base, step, count), condition(model, base, step, count)


def cos_sin(
    model: Model, positions: np.ndarray, inv_freq: np.ndarray, *, attention_factor: float = 1.0
) -> tuple[Parts, Parts]:
    """Bound of the table of given frequencies: the product rounds, and each factor that does not fit."""
    where = np.asarray(positions, dtype=np.float64)[..., None]
    product = np.where(power_of_two(where) | power_of_two(inv_freq), 0.0, 1.0)
    error = product + inexact(where, model.angle) + inexact(inv_freq, model.angle)
    return entries(model, phase(positions, np.abs(inv_freq)), error, attention_factor)


def matrix(model: Model, positions: np.ndarray, *, rotary_dim: int, base: float, pairing: str) -> Parts:
    """Bound of the rotation matrices; entries outside the blocks are exact."""
    frequency, error = _ladder(model, rotary_dim, base)
    cos, sin = entries(model, phase(positions, frequency), turn(model, positions, error))
    return blocks(cos, sin, *_pairs(pairing, rotary_dim), rotary_dim)


def _pairs(pairing: str, width: int, start: int = 0) -> tuple[np.ndarray, np.ndarray]:
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
    first, second = _pairs(pairing_in, width, rotary_start)
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
    return _written(x.shape, found, _pairs(pairing_out, width, rotary_start))


def _refitted(model: Model, table: np.ndarray) -> np.ndarray:
    """Return, in its unit roundoff, what a table entry loses when it is made an operand."""
    small = tiny(model.operand)
    lost = (inexact(table, model.operand) > 0) | ((table < small) & (table > 0))
    return np.where(lost, np.maximum(table, small), 0.0)


def _written(shape: tuple[int, ...], found: list[Parts], places: tuple[np.ndarray, np.ndarray]) -> Parts:
    """Return the parts of all coordinates; those that are not rotated are exact."""
    fields = []
    for one, two, rest in zip(*found, (0.0, 0.0, 0.0, np.inf), strict=True):
        whole = np.full(shape, rest)
        whole[..., places[0]], whole[..., places[1]] = one, two
        fields.append(whole)
    return Parts(*fields)


def apply(
    model: Model,
    x: np.ndarray,
    positions: np.ndarray,
    *,
    rotary_dim: int,
    base: float,
    pairing: str,
    rotary_start: int = 0,
    scaling: Any = None,
    seq_len: int | None = None,
) -> Parts:
    """Bound of a rotation whose tables are made from positions and base."""
    frequency, error = _ladder(model, rotary_dim, base)
    t, error = phase(positions, frequency), turn(model, positions, error)
    places = _pairs(pairing, rotary_dim, rotary_start)
    u, w = np.abs(x[..., places[0]]), np.abs(x[..., places[1]])
    norm = hypot(u, w)
    low, sine = np.minimum(1.0, t), sine_size(model, t)
    found = []
    for own, other in ((u, w), (w, u)):
        size = np.minimum(norm, own + other * low)
        arithmetic = np.where(norm == 0, 0.0, size * (1 + model.last) + 3 * tiny(model.arithmetic))
        found.append(Parts(norm * t * error, own + other * sine, arithmetic, 2 * norm))
    return _written(x.shape, found, places)


def apply_qk(
    model: Model, q: np.ndarray, k: np.ndarray, positions: np.ndarray, **params: Any
) -> tuple[Parts, Parts]:
    """Bound of `apply` on each of the two tensors."""
    return apply(model, q, positions, **params), apply(model, k, positions, **params)


def score(
    model: Model,
    q: np.ndarray,
    k: np.ndarray,
    q_positions: np.ndarray,
    k_positions: np.ndarray,
    *,
    rotary_dim: int,
    base: float,
    pairing: str,
    rotary_start: int = 0,
    scaling: Any = None,
    seq_len: int | None = None,
) -> Parts:
    """Bound of the dot products of rotated vectors."""
    frequency, error = _ladder(model, rotary_dim, base)
    common: dict[str, Any] = {
        "pairs": _pairs(pairing, rotary_dim, rotary_start),
        "frequency": frequency,
        "error": error,
    }
    queries = _score.side(model, q, q_positions, **common)
    keys = _score.side(model, k, k_positions, **common)
    return _score.parts(model, queries, keys, frequency * error)
