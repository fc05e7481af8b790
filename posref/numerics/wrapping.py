"""Angles of whole positions by a multiplication that wraps: quick, and sure of nearly every entry.

The fraction of a turn at each power of 2**32 is a whole number `turn` of units of 2^-64 and a float64
`part` of a unit. ``digit * turn`` modulo 2**64 is exact modulo one turn; ``digit * part`` is below 2**32
units. The upper 32 bits, less the nearest quarter, are at most 2**29 in size and times the first 24 bits
of ``2 pi * 2**-32`` exact.

With u = 2^-53, what is summed in plain float64 is off by: ``digit * part``, 2^-21 units (its rounding and
that of `part`), for two digits at most; the lower bits and both, below 2**33.6, by 2 roundings of 2^-19.4.
Together that is below 2^-18 units. An entry counts as sure if its upper bits are at least `LEAST` in
size: it is then 2**41.9 units or more, and the sum is right to 2^-59.9 of it, its products with pi, which
round 2^-9 of the angle and less, to 2^-60. So sure angles are right to 2^-58.9 of their size. Others, one in
2**20 of all where positions are at random, are reduced in full (`reduction`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from posref.numerics.angles import TURN, Angles
from posref.numerics.doubled import fast_sum
from posref.numerics.namespace import Space
from posref.numerics.wide import LIMB_BITS

QUARTER: Final = 2.0 ** (LIMB_BITS - 2)
"""A quarter of a turn in units of the upper bits."""

LEAST: Final = 2.0**10
"""Upper bits below this are not sure."""

FRONT: Final = round(TURN.high * 2.0**21) * 2.0**-21 * 2.0**-LIMB_BITS
"""The first 24 bits of a unit of the upper bits, in radians."""

BACK: Final = (TURN.high - FRONT * 2.0**LIMB_BITS + TURN.low) * 2.0**-LIMB_BITS
"""The rest of it."""

BELOW: Final = TURN.high * 2.0**-64
"""A unit of the lower bits, in radians."""


@dataclass(frozen=True)
class Weight:
    """What a digit of a position counts for at every frequency: whole units of 2^-64 turn, and the rest."""

    turn: Any
    part: Any


def weight(space: Space, limbs: Sequence[Sequence[int]]) -> Weight:
    """Return the weight that `wide.limbs` gives."""
    first, second, third, fourth, *_ = limbs
    turn = [high << LIMB_BITS | low for high, low in zip(first, second, strict=True)]
    part = [(high << LIMB_BITS | low) * 2.0**-64 for high, low in zip(third, fourth, strict=True)]
    return Weight(space.constant(turn, "uint64"), space.constant(part))


def wrapped(xp: Any, digits: Sequence[tuple[Any, Weight]]) -> tuple[Angles, Any]:
    """Return the angles of positions given by their digits, and what tells sure ones.

    Parameters
    ----------
    xp : module
        Array library.
    digits : sequence of (array of uint64, Weight)
        One or two digits of 32 bits, shaped to broadcast with their weights.

    Returns
    -------
    angles : Angles
        Right where the entry is sure.
    size : array of float64
        At least `LEAST` where the entry is sure.
    """
    turns: Any = 0
    below: Any = 0.0
    for digit, counted in digits:
        turns = digit * counted.turn + turns
        below = xp.astype(digit, xp.float64) * counted.part + below
    upper = xp.astype(turns >> LIMB_BITS, xp.float64)
    below = xp.astype(turns & (2**LIMB_BITS - 1), xp.float64) + below
    quarters = xp.round(upper * (1.0 / QUARTER))  # 0 to 4
    upper = upper - quarters * QUARTER
    rest = fast_sum(upper * FRONT, upper * BACK + below * BELOW)
    opposite = quarters - 2.0
    upright = xp.abs(opposite) - 1.0
    return Angles(rest, upright, opposite * (upright - 1.0)), xp.abs(upper)
