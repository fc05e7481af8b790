"""Bounds of `xpos`: precision.C26."""

from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from posref.bounds._rotation import pairs_of, turned, written
from posref.bounds._scaled import plain
from posref.bounds._size import exp, expm1_small, inexact, power_of_two, tiny
from posref.bounds.model import Model, Parts

_EXACT = Context(prec=700, Emin=-999999, Emax=999999)
"""Digits enough for a base that differs from 1 by the inverse of the largest `gamma`."""


class Decay(NamedTuple):
    """Scales, and their relative error in units of u_a; where that is 0 they are 1 and exact."""

    value: np.ndarray
    error: np.ndarray


def scale(
    model: Model,
    positions: np.ndarray,
    *,
    rotary_dim: int,
    gamma: float,
    scale_base: float,
    center: float,
) -> Parts:
    """Bound of the scales."""
    found = _decay(model, positions, rotary_dim, gamma, scale_base, center)
    moved = found.error > 0
    floor = np.where(moved, 2 * model.k_p * tiny(model.angle), 0.0)
    weight = 0.0 if model.stored == model.written else model.u_s / model.table_unit()
    stored = np.where(moved, found.value * weight, 0.0)
    return Parts(found.value * found.error + floor, stored, np.zeros(moved.shape), found.value)


def apply(
    model: Model,
    x: np.ndarray,
    positions: np.ndarray,
    *,
    role: str,
    rotary_dim: int,
    base: float,
    gamma: float,
    scale_base: float,
    center: float,
    pairing: str,
) -> Parts:
    """Bound of a rotation by a table that bears the scale, or of a scale before or after it."""
    decay = _decay(model, positions, rotary_dim, gamma, scale_base, center)
    factor, off = decay
    if role == "key":
        factor, off = 1 / factor, np.where(off > 0, off + 1, 0.0)
    ladder = plain(model, rotary_dim, base)
    places = pairs_of(pairing, rotary_dim)
    raw = np.abs(x[..., places[0]]) + np.abs(x[..., places[1]])
    floor = np.where(off > 0, 2 * raw * tiny(model.arithmetic), 0.0)
    short = np.where(off > 0, model.u_s / model.table_unit(), 0.0)
    found = []
    for angle, table, arithmetic, spread in turned(model, x, positions, places, ladder, factor, off):
        found.append(Parts(angle, table + short * spread / 2, arithmetic + floor, spread))
    return written(x.shape, found, places)


def _decay(
    model: Model, positions: np.ndarray, width: int, gamma: float, scale_base: float, center: float
) -> Decay:
    """Return the scales and what making them costs."""
    place = np.asarray(positions, dtype=np.float64)
    offset = place - center
    exponent = np.abs(offset) / scale_base
    rounds = 1.0 - power_of_two(np.array(scale_base)) + inexact(np.array(scale_base), model.angle)
    moved = exponent * (rounds + inexact(offset, model.angle))
    off = (np.abs(place) * inexact(place, model.angle)) + abs(center) * inexact(np.array(center), model.angle)
    moved = (moved + off / scale_base)[..., None]
    logarithm, exponent = _logarithms(width, gamma), exponent[..., None]
    ratio = 5.0 + 2.0 * inexact(np.array(gamma), model.angle)
    z = exponent * np.abs(logarithm)
    count = exponent * ratio + np.abs(logarithm) * moved + (2 * model.k_p + 1) * z + 2 * model.k_p
    error = np.where(exponent == 0, 0.0, _growth(count * model.u_a) / model.u_a)
    return Decay(exp(logarithm * (offset / scale_base)[..., None]), error)


def _growth(off: np.ndarray) -> np.ndarray:
    """Return ``e**off - 1``, the relative error of a power whose exponent is off by `off`."""
    return np.where(off < 0.5, expm1_small(np.minimum(off, 0.5)), exp(off) - 1)


@lru_cache(maxsize=64)
def _logarithms(width: int, gamma: float) -> np.ndarray:
    """Return ln zeta of each pair, the same on every machine."""
    share = Fraction(gamma)
    zeta = [(i + share * width) / ((1 + share) * width) for i in range(0, width, 2)]
    found = (_EXACT.divide(Decimal(one.numerator), Decimal(one.denominator)) for one in zeta)
    return np.array([float(_EXACT.ln(one)) for one in found])
