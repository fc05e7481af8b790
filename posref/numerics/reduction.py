"""Angles reduced to an eighth of a turn on either side of a quarter, without rounding on the way.

The product of a position and a frequency is reduced exactly before anything is rounded. A position
is a few digits in base 2**32 (two for an integer, more for a fraction); the fraction of a turn that
a frequency makes at each power of 2**32 is a row of limbs (`wide.limbs`). Multiplying a digit by a row
and dropping what overflows is multiplication modulo one turn. An angle that needs no reduction is a
double-double product instead, right in relative terms however small it is.

Nearly every angle is decided by less (`wrapping`); what that is not sure of is reduced here.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from posref.numerics.angles import TURN, Angles
from posref.numerics.doubled import Doubled, fast_sum, product, times
from posref.numerics.namespace import Space
from posref.numerics.wide import LIMB_BITS, LIMBS, Frequencies, limbs, split
from posref.numerics.wrapping import LEAST, Weight, weight, wrapped

MASK: Final = 2**LIMB_BITS - 1
EIGHTH: Final = 2 ** (LIMB_BITS - 3)
"""An eighth of a turn in units of the first limb."""

UNREDUCED: Final = 0.75
"""Angles below this many radians (less than pi/4) are products that are not reduced."""

HEADROOM: Final = 900
"""Positions are multiplied by 2**900 while a product is formed, out of reach of underflow."""


@dataclass(frozen=True)
class Digit:
    """One digit of every position, and the limbs of a turn that its weight makes at every frequency."""

    shift: int
    number: Any
    rows: Any
    weight: Weight


@dataclass(frozen=True)
class Reduction:
    """Positions and frequencies in the forms from which a block of angles is made.

    `least` is what the quick way must reach to be sure of a position, `scaled` are the positions times
    2**900; `significands` and the two `powers` of two whose product is ``2**(exponent - 900)`` are the
    frequencies. Signs are left out.
    """

    xp: Any
    digits: list[Digit]
    least: Any
    scaled: Any
    significands: Doubled
    powers: tuple[Any, Any]

    def block(self, start: int, stop: int) -> Angles:
        """Return the angles of positions `start` to `stop` at every frequency."""
        xp = self.xp
        digits = [(digit.number[start:stop, None], digit.weight) for digit in self.digits if digit.shift >= 0]
        angles, size = wrapped(xp, digits)
        unsure = size < self.least[start:stop, None]
        if not bool(xp.any(unsure)):
            return angles
        if xp is not np:
            return _chosen(xp, unsure, self._full(slice(start, stop)), angles)
        rows = np.flatnonzero(unsure.any(axis=1))
        mended = _chosen(xp, unsure[rows], self._full(start + rows), _taken(angles, rows))
        for whole, part in zip(_parts(angles), _parts(mended), strict=True):
            whole[rows] = part
        return angles

    def _full(self, rows: Any) -> Angles:
        """Return the angles of some positions, whatever they are."""
        xp = self.xp
        quarters, reduced = self._reduced(rows)
        plain = self._product(rows)
        small = plain.high < UNREDUCED
        high, low = (xp.where(small, one, other) for one, other in zip(plain, reduced, strict=True))
        return Angles.after(xp, xp.where(small, xp.zeros_like(quarters), quarters), Doubled(high, low))

    def _product(self, rows: Any) -> Doubled:
        position = self.scaled[rows][:, None]
        high, low = product(position, self.significands.high)
        high, low = fast_sum(high, low + position * self.significands.low)
        first, second = self.powers
        return Doubled(high * first * second, low * first * second)

    def _reduced(self, rows: Any) -> tuple[Any, Doubled]:
        """Return the quarters, from -1 to 2, and the rest."""
        xp = self.xp
        fraction = _modulo_turn([(digit.number[rows][:, None], digit.rows) for digit in self.digits])
        shifted = (fraction[0] + EIGHTH) & MASK
        inner = shifted & (2 * EIGHTH - 1)  # the rest plus an eighth of a turn
        flip = (1 - (inner >> (LIMB_BITS - 3))) * MASK  # all ones where the rest is negative
        size = [(inner ^ flip) & (EIGHTH - 1), *(limb ^ flip for limb in fraction[1:])]
        sign = xp.astype(xp.astype(flip & 1, xp.int64) * -2 + 1, xp.float64)
        high, low = times(_doubled(xp, size), TURN)
        quarters = xp.astype(((shifted >> (LIMB_BITS - 2)) + 1) & 3, xp.float64) - 1.0
        return quarters, Doubled(sign * high, sign * low)


def _parts(angles: Angles) -> tuple[Any, ...]:
    return (*angles.rest, angles.upright, angles.across)


def _taken(angles: Angles, rows: Any) -> Angles:
    high, low, upright, across = (part[rows] for part in _parts(angles))
    return Angles(Doubled(high, low), upright, across)


def _chosen(xp: Any, where: Any, ones: Angles, others: Angles) -> Angles:
    """Return the angles of the first where `where` says so, and of the second elsewhere."""
    pairs = zip(_parts(ones), _parts(others), strict=True)
    high, low, upright, across = (xp.where(where, one, other) for one, other in pairs)
    return Angles(Doubled(high, low), upright, across)


def _modulo_turn(digits: list[tuple[Any, Any]]) -> list[Any]:
    """Return the limbs of the sum of digits times rows; every intermediate sum fits 64 bits."""
    total: list[Any] = [0] * LIMBS
    for digit, rows in digits:
        carry: Any = 0
        for place in reversed(range(LIMBS)):
            here = digit * rows[place, ...] + total[place] + carry
            total[place] = here & MASK
            carry = here >> LIMB_BITS
    return total


def _doubled(xp: Any, size: list[Any]) -> Doubled:
    """Return the fraction that limbs hold, most significant first, as a double-double."""
    high, low = 0.0, 0.0
    for place in reversed(range(LIMBS)):
        part = xp.astype(size[place], xp.float64) * 2.0 ** (-LIMB_BITS * (place + 1))
        high, error = fast_sum(part, high)
        low = error + low
    return fast_sum(high, low)


def prepare(space: Space, positions: Any, frequencies: Frequencies) -> Reduction:
    """Return the reduction of `positions` (float64, rank 1) by `frequencies`, signs ignored."""
    xp = space.xp
    sizes = xp.abs(positions)
    digits = []
    for shift, digit in _digits(xp, sizes):
        rows = _limbs(frequencies, shift)
        digits.append(
            Digit(shift, xp.astype(digit, xp.uint64), space.constant(rows, "uint64"), weight(space, rows))
        )
    never = space.constant(float("inf"))
    least = xp.where(sizes == xp.floor(sizes), space.constant(LEAST), never)
    significands, powers = _significands(frequencies)
    return Reduction(
        xp,
        digits,
        xp.where(sizes == 0, space.constant(0.0), least),
        sizes * 2.0**HEADROOM,
        Doubled(*map(space.constant, significands)),
        (space.constant(powers[0]), space.constant(powers[1])),
    )


@lru_cache(maxsize=64)
def _limbs(frequencies: Frequencies, shift: int) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, limbs(frequencies, shift)))


@lru_cache(maxsize=32)
def _significands(frequencies: Frequencies) -> tuple[list[list[float]], list[list[float]]]:
    """Return high and low significands, and two powers of two each."""
    highs, lows, exponents = zip(*(split(entry.copy_abs()) for entry in frequencies), strict=True)
    halves = [(exponent - HEADROOM) // 2 for exponent in exponents]
    rests = [exponent - HEADROOM - half for exponent, half in zip(exponents, halves, strict=True)]
    return [list(highs), list(lows)], [[2.0**half for half in part] for part in (halves, rests)]


def _digits(xp: Any, sizes: Any) -> list[tuple[int, Any]]:
    """Return the digits of `sizes` in base 2**32 with the exponents of their weights."""
    top = xp.floor(sizes * 2.0**-LIMB_BITS)
    whole = xp.floor(sizes)
    found = [(0, whole - top * 2.0**LIMB_BITS)]
    if bool(xp.any(top > 0)):
        found.append((LIMB_BITS, top))
    rest, shift = sizes - whole, 0
    while bool(xp.any(rest > 0)):
        rest, shift = rest * 2.0**LIMB_BITS, shift - LIMB_BITS
        digit = xp.floor(rest)
        found.append((shift, digit))
        rest = rest - digit
    return found
