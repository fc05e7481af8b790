"""Bounds of `learned`: moved rows are exact; an interpolated row by precision.C16."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from posref.bounds._size import DIGITS, tiny, unit
from posref.bounds.model import Model, Parts


def lookup(model: Model, table: np.ndarray, positions: np.ndarray, *, offset: int = 0) -> Parts:
    """Bound of rows that are moved: there is none to give."""
    nothing = np.zeros(())
    return Parts(nothing, nothing, nothing, nothing + np.inf)


def resize(model: Model, table: np.ndarray, *, length: int, align_corners: bool) -> Parts:
    """Bound of interpolated rows: a coordinate that errs, then two weights."""
    shape = (length, table.shape[1])
    angle, arithmetic = np.zeros(shape), np.zeros(shape)
    for r in range(length):
        place = _coordinate(model, r, table.shape[0], length, align_corners)
        for low, high, part in _intervals(model, place, table.shape[0]):
            below, above = table[low], table[high]
            angle[r] = np.maximum(angle[r], place.error * np.abs(above - below))
            arithmetic[r] = np.maximum(arithmetic[r], _weighing(model, below, above, part))
    limit = np.broadcast_to(2 * np.max(np.abs(table), axis=0), shape)
    return Parts(angle, np.zeros(shape), arithmetic, limit)


class Coordinate(NamedTuple):
    """Where a row reads: before the clamp, after it, and its error in units of u_a."""

    plain: Fraction
    inside: Fraction
    error: float


def _coordinate(model: Model, r: int, rows: int, length: int, align_corners: bool) -> Coordinate:
    """Return the source coordinate of row `r`; the ratio, the product and the shift each round."""
    if align_corners:
        ratio = Fraction(rows - 1, max(length - 1, 1))
        centre, shift = r * ratio, Fraction(0)
    else:
        ratio = Fraction(rows, length)
        centre, shift = (r + Fraction(1, 2)) * ratio, Fraction(1, 2)
    plain = centre - shift
    inside = min(max(plain, Fraction(0)), Fraction(rows - 1))
    digits = DIGITS[model.angle]
    error = 0.0 if _fits(ratio, digits) and _fits(centre, digits) else 2 * float(centre)
    if shift and not (error == 0 and _fits(plain, digits)):
        error += abs(float(plain))
    return Coordinate(plain, inside, error)


def _fits(number: Fraction, digits: int) -> bool:
    """Whether a binary format of so many digits holds the number."""
    top, bottom = abs(number.numerator), number.denominator
    return bottom & (bottom - 1) == 0 and (top // (top & -top or 1)).bit_length() <= digits


def _intervals(model: Model, place: Coordinate, rows: int) -> list[tuple[int, int, float]]:
    """Return the pairs of rows that a program may weigh, with the weight of the second; none if exact.

    Beyond the centre of an edge row some programs clamp the coordinate, others the rows: those weigh
    the edge row with itself.
    """
    reach = Fraction(place.error * unit(model.angle))
    low, high = place.plain - reach, place.plain + reach
    floor = place.plain.__floor__()
    if reach == 0 and place.plain == floor:
        return []
    last = rows - 1
    inside = low >= 0 and high <= last
    edges = [] if inside else [(0 if low < 0 else last, float(place.plain - floor))]
    inner = range(max(low, Fraction(0)).__floor__(), min(high, Fraction(last)).__ceil__())
    found = [(n, n + 1, float(min(max(place.inside - n, Fraction(0)), Fraction(1)))) for n in inner]
    return [*found, *((n, n, part) for n, part in edges)]


def _weighing(model: Model, below: np.ndarray, above: np.ndarray, part: float) -> np.ndarray:
    """Return the loss of ``(1 - f) E + f E'`` and of ``E + f (E' - E)``, the larger, in units of u_m."""
    rest = 1.0 - part
    weights = np.abs(below) * (1 + rest) + 2 * part * np.abs(above)
    between = 3 * part * np.abs(above - below)
    value = np.abs(rest * below + part * above)
    return np.asarray(np.maximum(weights, between) + model.last * value + 4 * tiny(model.arithmetic))
