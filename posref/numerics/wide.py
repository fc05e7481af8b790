"""Numbers with 120 decimal digits: frequencies before they meet a position.

A frequency rounded to float64 gives an exact phase of the wrong frequency, so every frequency and
whatever scales it stays a `decimal.Decimal` until it is turned into limbs of a turn (`limbs`) or, for
a table of frequencies, rounded at the very end.
"""

from collections.abc import Iterable, Sequence
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from fractions import Fraction
from functools import lru_cache
from typing import Final

WIDE: Final = Context(
    prec=120,
    rounding=ROUND_HALF_EVEN,
    Emin=MIN_EMIN,
    Emax=MAX_EMAX,
    clamp=0,
    traps=[DivisionByZero, InvalidOperation, Overflow],
)
"""The arithmetic of all wide numbers, whatever the caller's own context is."""

KEPT: Final = 512
"""Ladders of up to so many powers are kept: the layers of a model ask for one again and again."""

Frequencies = tuple[Decimal, ...]
"""Radians per token, one a pair, exact or right to 118 digits."""

LIMB_BITS: Final = 32
LIMBS: Final = 7
"""Limbs of the fraction of a turn. The product of a position and a float64 frequency has 106 bits
and an exponent among 2^11, so it comes no nearer to a multiple of a quarter turn than about 2^-118;
224 bits, less the 32 of a digit, leave 74 bits below that."""


def wider(digits: int) -> Context:
    """Return the arithmetic of numbers with so many digits."""
    here = WIDE.copy()
    here.prec = digits
    return here


def ladder(base: float | Fraction, exponents: Iterable[Fraction]) -> Frequencies:
    """Return ``base**-e`` for each exponent `e`.

    Parameters
    ----------
    base : float or Fraction
        Above 0.
    exponents : iterable of Fraction
        Exact exponents, dimensionless.

    Returns
    -------
    tuple of Decimal
        One power an exponent, to 118 digits.

    Examples
    --------
    >>> [float(power) for power in ladder(100.0, [Fraction(0), Fraction(1, 2)])]
    [1.0, 0.1]
    """
    return powers(WIDE.ln(wide(base)), exponents)


def powers(logarithm: Decimal, exponents: Iterable[Fraction]) -> Frequencies:
    """Return ``exp(-e * logarithm)`` for each exponent `e`: the ladder of a base known by its logarithm."""
    wanted = tuple(exponents)
    return (_kept if len(wanted) <= KEPT else _powers)(logarithm, wanted)


def _powers(logarithm: Decimal, exponents: tuple[Fraction, ...]) -> Frequencies:
    return tuple(WIDE.exp(WIDE.multiply(wide(-exponent), logarithm)) for exponent in exponents)


_kept = lru_cache(maxsize=256)(_powers)


def wide(number: float | Fraction) -> Decimal:
    """Return `number` as a wide number; a float or an integer stays exact up to 120 digits."""
    numerator, denominator = number.as_integer_ratio()
    return WIDE.divide(Decimal(numerator), Decimal(denominator))


@lru_cache(maxsize=8)
def pi_times_two_to(bits: int) -> int:
    """Return pi * 2**bits rounded down, by Machin's formula in integers."""
    guard = 32
    one = 1 << (bits + guard)
    return (16 * _arctangent_of_inverse(5, one) - 4 * _arctangent_of_inverse(239, one)) >> guard


def _arctangent_of_inverse(divisor: int, one: int) -> int:
    """Return arctan(1 / divisor) * one from its power series."""
    power = total = one // divisor
    square, odd = divisor * divisor, 1
    while power:
        power //= -square
        odd += 2
        total += power // odd
    return total


PI: Final = wide(Fraction(pi_times_two_to(512), 2**512))
"""Half a turn, in radians."""


def limbs(frequencies: Sequence[Decimal], shift: int) -> list[list[int]]:
    """Return the fractions of a turn that the frequencies give at position ``2**shift``.

    Parameters
    ----------
    frequencies : sequence of Decimal
        Radians per token; their signs are ignored.
    shift : int
        Exponent of the position.

    Returns
    -------
    list of LIMBS lists of int
        Limb `l` of every frequency: digits in base 2**32, the most significant first.
    """
    fractions = [_turns(frequency.copy_abs(), shift + LIMBS * LIMB_BITS) for frequency in frequencies]
    mask = (1 << LIMB_BITS) - 1
    return [[fraction >> LIMB_BITS * place & mask for fraction in fractions] for place in range(LIMBS)][::-1]


def _turns(radians: Decimal, shift: int) -> int:
    """Return ``radians / (2 pi) * 2**shift`` rounded down."""
    numerator, denominator = radians.as_integer_ratio()
    bits = max(0, numerator.bit_length() - denominator.bit_length() + shift)
    pi_bits = -(-(bits + 64) // 512) * 512  # few sizes, so that few values of pi are made
    scaled, divisor = numerator << pi_bits, 2 * denominator * pi_times_two_to(pi_bits)
    return (scaled << shift) // divisor if shift >= 0 else scaled // (divisor << -shift)


def split(number: Decimal) -> tuple[float, float, int]:
    """Return `high`, `low` and `exponent` with ``number = (high + low) * 2**exponent``.

    Parameters
    ----------
    number : Decimal
        Any wide number.

    Returns
    -------
    high : float
        Between 1 and 2 in size, or 0.
    low : float
        At most half an ulp of `high`; together they hold 106 bits.
    exponent : int
        Power of two.
    """
    if not number:
        return 0.0, 0.0, 0
    numerator, denominator = number.copy_abs().as_integer_ratio()
    exponent = numerator.bit_length() - denominator.bit_length()
    if numerator << max(0, -exponent) < denominator << max(0, exponent):
        exponent -= 1
    shift = 120 - exponent
    fixed = (numerator << max(0, shift)) // (denominator << max(0, -shift))
    high = float(fixed)
    low = float(fixed - int(high))
    sign = -1 if number < 0 else 1
    return sign * high * 2.0**-120, sign * low * 2.0**-120, exponent
