"""Midpoint-and-radius arithmetic on Python integers, rigorous by construction.

A ball stands for some real number ``x`` with ``|x - man * 2**exp| <= rad * 2**exp``. Exact numbers are
`int` and `fractions.Fraction`; they mix with balls and stay exact among themselves.
"""

from fractions import Fraction
from typing import Final, TypeAlias

from posref.corpus.certify import Uncertain

RADIUS_BITS: Final = 30


class Ball:
    """A real number enclosed by ``(man ± rad) * 2**exp``.

    Parameters
    ----------
    man, rad, exp : int
        Midpoint, radius (>= 0) and their common exponent.
    prec : int
        Bits the midpoint keeps; what is cut off goes into the radius.

    Examples
    --------
    >>> third = 1 / Ball(3, 0, 0, prec=8)
    >>> low, high = third.ends()
    >>> low < Fraction(1, 3) < high
    True
    """

    __slots__ = ("exp", "man", "prec", "rad")

    def __init__(self, man: int, rad: int, exp: int, prec: int) -> None:
        shift = max(man.bit_length() - prec, rad.bit_length() - RADIUS_BITS)
        if shift > 0:
            # Flooring the midpoint and the radius loses less than a unit each.
            man >>= shift
            rad = (rad >> shift) + 2
            exp += shift
        self.man = man
        self.rad = rad
        self.exp = exp
        self.prec = prec

    def __repr__(self) -> str:
        return f"Ball({self.man} ± {self.rad}, 2**{self.exp})"

    def ends(self) -> tuple[Fraction, Fraction]:
        """Return both ends, exact; for balls whose exponent is of moderate size."""
        unit = Fraction(2) ** self.exp
        return (self.man - self.rad) * unit, (self.man + self.rad) * unit

    def __add__(self, other: "Number") -> "Number":
        if not isinstance(other, Ball):
            if other == 0:
                return self
            other = enclose(other, self.prec)
        high, low = (self, other) if self.exp >= other.exp else (other, self)
        spare = max(self.prec + 2 - high.man.bit_length(), 0)
        gap = high.exp - low.exp
        if gap - spare > max(low.man.bit_length(), low.rad.bit_length()):
            # All of `low` is below one unit of the result; a huge exponent is never expanded.
            return Ball(high.man << spare, (high.rad << spare) + 1, high.exp - spare, self.prec)
        return Ball((high.man << gap) + low.man, (high.rad << gap) + low.rad, low.exp, self.prec)

    def __mul__(self, other: "Number") -> "Number":
        if not isinstance(other, Ball):
            if other == 0:
                return Fraction(0)
            other = enclose(other, self.prec)
        rad = abs(self.man) * other.rad + abs(other.man) * self.rad + self.rad * other.rad
        return Ball(self.man * other.man, rad, self.exp + other.exp, self.prec)

    def __truediv__(self, other: "Number") -> "Number":
        if not isinstance(other, Ball):
            return self * (Fraction(1) / other)
        return _divide(self, other, self.prec)

    def __rtruediv__(self, other: "int | Fraction") -> "Number":
        return Fraction(0) if other == 0 else _divide(enclose(other, self.prec), self, self.prec)

    __radd__ = __add__
    __rmul__ = __mul__

    def __sub__(self, other: "Number") -> "Number":
        return self + -other

    def __rsub__(self, other: "int | Fraction") -> "Number":
        return -self + other

    def __neg__(self) -> "Ball":
        return Ball(-self.man, self.rad, self.exp, self.prec)

    def __abs__(self) -> "Ball":
        if abs(self.man) < self.rad:
            return Ball(0, abs(self.man) + self.rad, self.exp, self.prec)
        return Ball(abs(self.man), self.rad, self.exp, self.prec)

    def sign(self) -> int:
        """Return the sign of the number, raising `Uncertain` where zero is enclosed."""
        if abs(self.man) > self.rad:
            return 1 if self.man > 0 else -1
        if self.man == self.rad == 0:
            return 0
        raise Uncertain("the enclosure contains zero")

    def __lt__(self, other: "Number") -> bool:
        return sign(self - other) < 0

    def __le__(self, other: "Number") -> bool:
        return sign(self - other) <= 0

    def __gt__(self, other: "Number") -> bool:
        return sign(self - other) > 0

    def __ge__(self, other: "Number") -> bool:
        return sign(self - other) >= 0


Number: TypeAlias = int | Fraction | Ball


def sign(value: Number) -> int:
    """Return -1, 0 or 1; raise `Uncertain` for a ball that contains zero and more."""
    return value.sign() if isinstance(value, Ball) else (value > 0) - (value < 0)


def enclose(value: Number, prec: int) -> Ball:
    """Return a ball around an exact number, of radius zero where the number is dyadic."""
    if isinstance(value, Ball):
        return value
    top, bottom = value.numerator, value.denominator
    if bottom & (bottom - 1) == 0:
        return Ball(top, 0, 1 - bottom.bit_length(), max(prec, top.bit_length()))
    shift = max(prec + bottom.bit_length() - top.bit_length() + 1, 0)
    return Ball((top << shift) // bottom, 1, -shift, prec)


def _divide(top: Ball, bottom: Ball, prec: int) -> Ball:
    """Return the quotient: ``|a/b - m/n| <= (ra |n| + rb |m|) / (|n| (|n| - rb))``."""
    size = abs(bottom.man)
    least = size - bottom.rad
    if least <= 0:
        raise Uncertain("division by an enclosure of zero")
    shift = max(prec + 2 + bottom.man.bit_length() - top.man.bit_length(), 0)
    spread = (top.rad * size + bottom.rad * abs(top.man)) << shift
    return Ball(
        (top.man << shift) // bottom.man, spread // (size * least) + 2, top.exp - bottom.exp - shift, prec
    )
