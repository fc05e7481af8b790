"""Real powers of wide bases, one exponent a position: right to the last bit or its neighbour.

``base ** ((p - origin) / unit)`` is taken as a power of two. Its exponent is a double-double: the offset is
an exact sum, and what multiplies it, ``log2(base) / unit``, is rounded from a wide number.
"""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np

from posref.numerics.doubled import Doubled, exact_sum, times
from posref.numerics.namespace import Space
from posref.numerics.wide import WIDE, split, wider

STEPS: Final = 64
"""Fractions of an octave that a table holds; a short series does the rest."""

FAR: Final = 1100.0
"""Exponents are clipped here: beyond, every power has left the range of float64."""

_LN2: Final = WIDE.ln(Decimal(2))
_OCTAVE: Final = Doubled(*split(_LN2)[:2])  # its exponent is -1
_STEPS: Final = [
    split(WIDE.exp(WIDE.divide(WIDE.multiply(_LN2, k), STEPS))) for k in range(-STEPS // 2, STEPS // 2 + 1)
]
_BOUND: Final = int(FAR) + 1
_POWERS: Final = [
    2.0 ** min(e, 1023) for e in range(-_BOUND, _BOUND + 1)
]  # twice 2**1023 overflows, as it should
SERIES: Final = (1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2)


class Power(NamedTuple):
    """``significand * half * rest``: the significand near 1, the others powers of two of one sign."""

    significand: Any
    half: Any
    rest: Any

    @np.errstate(all="ignore")
    def value(self) -> Any:
        """Return the power as float64, rounded once where it is a normal number; else inf, or less exact."""
        return self.significand * self.half * self.rest


def rates(bases: Iterable[Fraction], unit: float) -> list[Decimal]:
    """Return ``log2(base) / unit`` for each base, to 118 digits.

    Parameters
    ----------
    bases : iterable of Fraction
        Above 0 and not 1; one that is near 1 brings as many digits more as it is near.
    unit : float
        Not 0.

    Returns
    -------
    list of Decimal
        One a base.

    Examples
    --------
    >>> [float(rate) for rate in rates([Fraction(1, 2), Fraction(1, 8)], 2.0)]
    [-0.5, -1.5]
    """
    return [_rate(base, Fraction(unit)) for base in bases]


def _rate(base: Fraction, unit: Fraction) -> Decimal:
    nearness = math.floor(1 / abs(1 - base)).bit_length()
    here = wider(WIDE.prec + math.ceil(0.302 * nearness))
    logarithm = here.ln(here.divide(Decimal(base.numerator), Decimal(base.denominator)))
    per_unit = here.divide(here.multiply(logarithm, Decimal(unit.denominator)), Decimal(unit.numerator))
    return here.divide(per_unit, here.ln(Decimal(2)))


@np.errstate(all="ignore")
def exponents(space: Space, positions: Any, origin: float, per_token: Sequence[Decimal]) -> Doubled:
    """Return ``(p - origin) * rate`` for every position and rate, clipped at `FAR`.

    Parameters
    ----------
    space : Space
        Where `positions` live.
    positions : array of int64, shape (..., T)
        Tokens, at most 2**53 in size.
    origin : float
        Subtracted exactly.
    per_token : sequence of Decimal, length h
        Rates, as `rates` gives them.

    Returns
    -------
    Doubled of arrays of float64, shape (..., T, h)
        Right to about 2**-100 of their size.
    """
    xp = space.xp
    offset = exact_sum(xp.astype(positions, xp.float64)[..., None], space.constant(-origin))
    high, low, shifts = zip(*(split(rate) for rate in per_token), strict=True)
    half = space.constant([2.0 ** (shift // 2) for shift in shifts])
    rest = space.constant([2.0 ** (shift - shift // 2) for shift in shifts])
    large, small = offset.high * half * rest, offset.low * half * rest
    far = xp.abs(large) >= FAR
    clipped = xp.where(large > 0, space.constant(FAR), space.constant(-FAR))
    moved = Doubled(xp.where(far, clipped, large), xp.where(far, space.constant(0.0), small))
    return times(moved, Doubled(space.constant(list(high)), space.constant(list(low))))


@np.errstate(all="ignore")
def power_of_two(space: Space, exponent: Doubled) -> Power:
    """Return two to a power, in pieces that neither overflow nor underflow.

    Parameters
    ----------
    space : Space
        Where the exponents live.
    exponent : Doubled of arrays of float64
        At most about twice `FAR` in size.

    Returns
    -------
    Power
        Its significand is off by half an ulp and 2**-58; an exponent of 0 gives exactly 1.
    """
    xp = space.xp
    whole = xp.round(exponent.high)
    part = exact_sum(exponent.high - whole, exponent.low)
    step = xp.round(part.high * STEPS)
    rest = times(Doubled(part.high - step / STEPS, part.low), Doubled(_OCTAVE.high / 2, _OCTAVE.low / 2))
    series = space.constant(SERIES[0])
    for coefficient in SERIES[1:]:
        series = series * rest.high + coefficient
    growth = rest.high + (rest.low + rest.high * rest.high * series)
    high = _look_up(space, [high * 2.0**shift for high, _, shift in _STEPS], step + STEPS // 2)
    low = _look_up(space, [low * 2.0**shift for _, low, shift in _STEPS], step + STEPS // 2)
    half = xp.floor(whole / 2)
    significand = high + (low + high * growth)
    return Power(significand, _two_to(space, half), _two_to(space, whole - half))


def _two_to(space: Space, exponent: Any) -> Any:
    return _look_up(space, _POWERS, exponent + _BOUND)


def _look_up(space: Space, table: list[float], index: Any) -> Any:
    xp = space.xp
    flat = xp.reshape(xp.astype(index, xp.int64), (math.prod(index.shape),))
    return xp.reshape(xp.take(space.constant(table), flat, axis=0), index.shape)
