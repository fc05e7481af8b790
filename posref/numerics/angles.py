"""Angles on their way to a cosine and a sine: so many quarter turns, and what is left."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from posref.numerics.doubled import Doubled
from posref.numerics.wide import pi_times_two_to, split, wide

_HIGH, _LOW, _EXPONENT = split(wide(Fraction(pi_times_two_to(256), 2**255)))
TURN: Final = Doubled(_HIGH * 2.0**_EXPONENT, _LOW * 2.0**_EXPONENT)
"""2 pi."""


@dataclass(frozen=True)
class Angles:
    """Angles in radians: a number of quarter turns, and what is left, at most pi/4 in size.

    `upright` and `across` are the cosine and the sine of the quarters: 0, 1 or -1, in float64.
    """

    rest: Doubled
    upright: Any
    across: Any

    @classmethod
    def after(cls, xp: Any, quarters: Any, rest: Doubled) -> "Angles":
        """Return the angles `rest` after `quarters` (float64, whole, at most 2 in size)."""
        upright = 1.0 - xp.abs(quarters)
        return cls(rest, upright, quarters * (1.0 + upright))
