"""Angles reduced to an eighth of a turn, without rounding on the way.

The product of a position and a frequency is reduced exactly before anything is rounded. A position
is a few digits in base 2**32 (two for an integer, more for a fraction); the fraction of a turn that
a frequency makes at each power of 2**32 is a row of limbs (`wide.limbs`). Multiplying a digit by a row
and dropping what overflows is multiplication modulo one turn. An angle that needs no reduction is a
double-double product instead, right in relative terms however small it is.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from posref.numerics.doubled import Doubled, fast_sum, product, times
from posref.numerics.namespace import Space
from posref.numerics.wide import LIMB_BITS, LIMBS, Frequencies, limbs, pi_times_two_to, split, wide

MASK: Final = 2**LIMB_BITS - 1
EIGHTH: Final = 2 ** (LIMB_BITS - 3)
"""An eighth of a turn in units of the first limb."""

UNREDUCED: Final = 0.75
"""Angles below this many radians (less than pi/4) are products that are not reduced."""

HEADROOM: Final = 900
"""Positions are multiplied by 2**900 while a product is formed, out of reach of underflow."""

_HIGH, _LOW, _EXPONENT = split(wide(Fraction(pi_times_two_to(256), 2**255)))
TURN: Final = Doubled(_HIGH * 2.0**_EXPONENT, _LOW * 2.0**_EXPONENT)
"""2 pi."""


@dataclass(frozen=True)
class Angles:
    """Angles in radians: ``(quadrant * pi/2 + sign * rest)`` with `rest` between 0 and pi/4."""

    rest: Doubled
    negative: Any
    quadrant: Any


@dataclass(frozen=True)
class Reduction:
    """Positions and frequencies in the forms from which a block of angles is made.

    `digits` are pairs of a column of position digits and the rows of limbs for their weight;
    `scaled` are the positions times 2**900; `significands` and the two `powers` of two whose product
    is ``2**(exponent - 900)`` are the frequencies. Signs are left out.
    """

    xp: Any
    digits: list[tuple[Any, Any]]
    scaled: Any
    significands: Doubled
    powers: tuple[Any, Any]

    def block(self, start: int, stop: int) -> Angles:
        """Return the angles of positions `start` to `stop` at every frequency."""
        xp = self.xp
        reduced = self._reduced(start, stop)
        plain = self._product(start, stop)
        small = plain.high < UNREDUCED
        return Angles(
            Doubled(
                xp.where(small, plain.high, reduced.rest.high), xp.where(small, plain.low, reduced.rest.low)
            ),
            ~small & reduced.negative,
            xp.where(small, xp.zeros_like(reduced.quadrant), reduced.quadrant),
        )

    def _product(self, start: int, stop: int) -> Doubled:
        position = self.scaled[start:stop, None]
        high, low = product(position, self.significands.high)
        high, low = fast_sum(high, low + position * self.significands.low)
        first, second = self.powers
        return Doubled(high * first * second, low * first * second)

    def _reduced(self, start: int, stop: int) -> Angles:
        xp = self.xp
        fraction = _modulo_turn([(digit[start:stop, None], rows) for digit, rows in self.digits])
        shifted = (fraction[0] + EIGHTH) & MASK
        inner = shifted & (2 * EIGHTH - 1)  # the rest plus an eighth of a turn
        flip = (1 - (inner >> (LIMB_BITS - 3))) * MASK  # all ones where the rest is negative
        size = [(inner ^ flip) & (EIGHTH - 1), *(limb ^ flip for limb in fraction[1:])]
        return Angles(times(_doubled(xp, size), TURN), inner < EIGHTH, shifted >> (LIMB_BITS - 2))


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
    digits = [
        (xp.astype(digit, xp.uint64), space.constant(limbs(frequencies, shift), "uint64"))
        for shift, digit in _digits(xp, sizes)
    ]
    highs, lows, exponents = zip(*(split(entry.copy_abs()) for entry in frequencies), strict=True)
    halves = [(exponent - HEADROOM) // 2 for exponent in exponents]
    rests = [exponent - HEADROOM - half for exponent, half in zip(exponents, halves, strict=True)]
    return Reduction(
        xp,
        digits,
        sizes * 2.0**HEADROOM,
        Doubled(space.constant(highs), space.constant(lows)),
        (space.constant([2.0**half for half in halves]), space.constant([2.0**rest for rest in rests])),
    )


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
