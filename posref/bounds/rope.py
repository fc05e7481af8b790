"""Bounds of `rope`: precision.C4 to C7, C9, C20, C24 and C25."""

from fractions import Fraction
from typing import Any

import numpy as np

from posref.bounds import _score
from posref.bounds._ladder import condition, ladder, turn
from posref.bounds._rope_back import rerotate, rotate_vjp
from posref.bounds._rope_moves import permute, permute_weight, table_slice
from posref.bounds._rotation import pairs_of, rotate, turned, written
from posref.bounds._scaled import scaled
from posref.bounds._size import inexact, power_of_two
from posref.bounds._table import blocks, entries, phase
from posref.bounds.model import Model, Parts

__all__ = [
    "apply",
    "apply_qk",
    "apply_vjp",
    "cos_sin",
    "inv_freq",
    "matrix",
    "permute",
    "permute_weight",
    "rerotate",
    "rotate",
    "rotate_vjp",
    "score",
    "table_slice",
]


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
    return blocks(cos, sin, *pairs_of(pairing, rotary_dim), rotary_dim)


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
    ladder = scaled(model, scaling, rotary_dim, base, seq_len)
    places = pairs_of(pairing, rotary_dim, rotary_start)
    return written(x.shape, turned(model, x, positions, places, ladder), places)


def apply_qk(
    model: Model, q: np.ndarray, k: np.ndarray, positions: np.ndarray, **params: Any
) -> tuple[Parts, Parts]:
    """Bound of `apply` on each of the two tensors."""
    return apply(model, q, positions, **params), apply(model, k, positions, **params)


def apply_vjp(model: Model, grad_y: np.ndarray, x: np.ndarray, positions: np.ndarray, **params: Any) -> Parts:
    """Bound of a cotangent that turns back: that of a rotation the other way."""
    return apply(model, grad_y, positions, **params)


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
    ladder = scaled(model, scaling, rotary_dim, base, seq_len)
    pairs = pairs_of(pairing, rotary_dim, rotary_start)
    queries = _score.side(model, q, q_positions, pairs=pairs, ladder=ladder)
    keys = _score.side(model, k, k_positions, pairs=pairs, ladder=ladder)
    return _score.parts(model, queries, keys, ladder)
