"""Ladders of frequencies and how far an honest implementation may be from them (precision.C4).

A ladder is ``base ** -(step * i)`` for i = 0, 1, ... with a rational step.
"""

from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from posref.bounds._size import DIGITS, inexact
from posref.bounds.model import Model

_EXACT = Context(prec=40, Emin=-999999, Emax=999999)


@lru_cache(maxsize=256)
def log(base: float) -> float:
    """Return the natural logarithm of `base`, the same on every machine."""
    return float(_EXACT.ln(Decimal(base)))


@lru_cache(maxsize=256)
def _values(base: float, step: Fraction, count: int) -> tuple[float, ...]:
    ratio = _EXACT.exp(_EXACT.divide(-_EXACT.ln(Decimal(base)) * step.numerator, Decimal(step.denominator)))
    found, value = [], Decimal(1)
    for _ in range(count):
        found.append(float(value))
        value = _EXACT.multiply(value, ratio)
    return tuple(found)


def ladder(base: float, step: Fraction, count: int) -> np.ndarray:
    """Return the frequencies as float64, to half a unit in the last place."""
    return np.array(_values(base, step, count))


def condition(model: Model, base: float, step: Fraction, count: int, off: float | None = None) -> np.ndarray:
    """Return, per frequency, its relative error in units of u_a; zero for the first, which is exact.

    `off` is the relative error of the base, in the same units; by default it has to be rounded once
    where it does not fit.
    """
    index = np.arange(count, dtype=np.float64)
    exponent = index * step.numerator / step.denominator
    if model.frequency == "float64":
        return np.where(index == 0, 0.0, 1.0)
    stretch = exponent * log(base)
    rounded = np.array([_rounds(step * i, DIGITS[model.angle]) for i in range(count)])
    power = 2 * model.k_p + 1 + rounded * stretch
    through_log = (2 * model.k_p + 2) * stretch + 2 * model.k_p
    iterated = (2 * model.k_p + 2) * index + stretch
    error = {
        "widest": np.maximum(power, through_log),
        "power": power,
        "expln": through_log,
        "iterated": iterated,
    }[model.frequency]
    error = error + exponent * (float(inexact(np.array(base), model.angle)) if off is None else off)
    return np.where(index == 0, 0.0, error)


def _rounds(exponent: Fraction, digits: int) -> float:
    """Return 1.0 where a binary format of so many digits cannot hold the exponent."""
    bottom = exponent.denominator
    return 0.0 if bottom & (bottom - 1) == 0 and exponent.numerator < 2**digits else 1.0


def turn(model: Model, positions: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Return the relative error of position times frequency, in units of u_a (precision.C5).

    `positions` (..., T), `error` (h) that of the frequencies; the result is (..., T, h). A frequency
    without error is 1, by which the product is exact.
    """
    place = np.asarray(positions, dtype=np.float64)
    return np.asarray(np.where(error == 0, 0.0, error + 1.0) + inexact(place, model.angle)[..., None])
