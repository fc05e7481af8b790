"""Logarithmic buckets, decided without error.

On a logarithmic scale from `low` to `top` in `count` steps, a distance n has climbed
``count * ln(n / low) / ln(top / low)`` of them. A floating logarithm puts distances on the wrong side exactly
where that is a whole number, so whatever comes near one is decided by more digits, or in integers.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cached_property
from itertools import count
from typing import Any, Final

from posref.numerics.given import Given
from posref.numerics.namespace import Space
from posref.numerics.wide import WIDE, wider

SURE: Final = 2.0**-48
"""Relative error of a height in binary64, at most: six roundings and two logarithms make 2**-49."""

MANY: Final = 2**12
"""With more levels than this, distances are asked one by one, not the levels where they begin."""


@dataclass(frozen=True)
class Scale:
    """A logarithmic scale of `steps` steps, at least one, from `low` up to `top`."""

    low: int
    top: int
    steps: int

    def height(self, distance: int) -> tuple[int, bool]:
        """Return the whole steps up to a distance, `low` or more, and whether it is exactly there.

        Examples
        --------
        >>> [Scale(8, 128, 4).height(distance) for distance in (8, 15, 16, 100)]
        [(0, True), (0, False), (1, True), (3, False)]
        """
        height = self.steps * math.log1p((distance - self.low) / self.low) / self._rise
        if abs(height - round(height)) > height * SURE:
            return math.floor(height), False
        return self._decided(distance)

    @cached_property
    def _rise(self) -> float:
        return float(_logarithm(WIDE, self.top, self.low))

    def _decided(self, distance: int) -> tuple[int, bool]:
        """Return what `height` does, with as many digits as it takes.

        Where a quotient is near 1 its denominator is below 2**54, so that its logarithm has lost 17 digits
        at most.
        """
        for digits in (60 * 2**n for n in count()):
            here = wider(digits)
            climbed, rise = (_logarithm(here, number, self.low) for number in (distance, self.top))
            height = here.divide(here.multiply(Decimal(self.steps), climbed), rise)
            nearest = round(height)
            if self._is(distance, nearest):
                return nearest, True
            if here.subtract(height, Decimal(nearest)).copy_abs() > here.scaleb(height, 20 - digits):
                break
        return math.floor(height), False

    def _is(self, distance: int, height: int) -> bool:
        """Return whether ``(distance / low)**steps == (top / low)**height``.

        In lowest terms with exponents p and q that share no factor, ``a**p == c**q`` makes `a` a q-th and `c`
        a p-th power: of numbers above 1, so that neither exponent is long.
        """
        if distance == self.low or height == 0:
            return distance == self.low and height == 0
        shared = math.gcd(self.steps, height)
        p, q = self.steps // shared, height // shared
        (a, b), (c, d) = _lowest(distance, self.low), _lowest(self.top, self.low)
        return p < c.bit_length() and q < a.bit_length() and a**p == c**q and b**p == d**q


def _lowest(numerator: int, denominator: int) -> tuple[int, int]:
    shared = math.gcd(numerator, denominator)
    return numerator // shared, denominator // shared


def _logarithm(here: Context, numerator: int, denominator: int) -> Decimal:
    return here.ln(here.divide(Decimal(numerator), Decimal(denominator)))


@dataclass(frozen=True)
class Levels:
    """Levels that distances from `least` to `farthest` have reached, as `reached` counts them.

    `reached` never falls.
    """

    reached: Callable[[int], int]
    least: int
    farthest: int

    @cached_property
    def edges(self) -> list[int]:
        """The least distance of each level."""
        distances, place = range(self.least, self.farthest + 1), 0
        found: list[int] = []
        for level in range(1, self.highest + 1):
            place = bisect_left(distances, level, place, key=self.reached)
            found.append(distances[place])
        return found

    @cached_property
    def highest(self) -> int:
        """How many levels there are."""
        return self.reached(self.farthest) if self.farthest >= self.least else 0

    def passed(self, space: Space, distances: Any) -> Any:
        """Return how many levels each of some integers has reached, as int64 of the same shape."""
        xp = space.xp
        if not self.highest or 0 in distances.shape:
            return xp.zeros_like(distances)
        flat = xp.reshape(distances, (-1,))
        if self.highest <= MANY:
            levels = xp.searchsorted(space.constant(self.edges, "int64"), flat, side="right")
        else:
            own, where = xp.unique_inverse(flat)
            each = [self.reached(n) if n >= self.least else 0 for n in space.host(own)]
            levels = xp.take(space.constant(each, "int64"), where)
        return xp.reshape(xp.astype(levels, xp.int64), distances.shape)


def span(given: Given, ones: Any, others: Any) -> int:
    """Return how far any of some integers can be from zero, or from any of some others, at most."""
    if 0 in ones.shape or 0 in others.shape:
        return 0
    least, most = map(int, given.space.extremes(ones))
    if ones is others:
        return max(abs(least), abs(most))
    other_least, other_most = map(int, given.space.extremes(others))
    return max(other_most - least, most - other_least)
