"""The first engine: exact fractions, balls of our own, elementary functions from ordinary mpmath.

mpmath is called through its functions with an explicit precision, so no global precision is touched;
its interval context is not used, because it is not sound. Each result gets a pad of our own.
"""

from fractions import Fraction
from functools import cache
from math import ldexp
from typing import Any, Final

from mpmath import libmp

from posref.corpus.ball import Ball, Number, enclose, sign
from posref.corpus.certify import Overflow, Uncertain

GUARD: Final = 32
"""Bits that mpmath is asked for beyond the precision."""

PAD: Final = 16
"""Of these, the low ones that are not trusted: a pad of ``2**PAD`` units of the last place."""

FORMATS: Final = {
    "float64": (53, -1074, 1024),
    "float32": (24, -149, 128),
    "bfloat16": (8, -133, 128),
    "float16": (11, -24, 16),
}
"""Significand bits, exponent of the smallest subnormal, exponent of the first power of two beyond the end."""

FAR: Final = 4096
"""Exponents beyond any format, where only the sign and the side of a number matter."""

EXACT_POWER_BITS: Final = 65536
"""Size up to which a rational power is kept exact."""


class MpmathReal:
    """Real numbers as exact fractions or as balls of a given precision.

    Parameters
    ----------
    precision : int
        Bits that the midpoint of a ball keeps.

    Examples
    --------
    >>> real = MpmathReal(160)
    >>> real.round(real.sin(real.exact(1)), "float32")
    (0.8414709568023682, '+')
    >>> real.pow(real.exact(10000), real.exact(-1, 4))
    Fraction(1, 10)
    """

    def __init__(self, precision: int) -> None:
        self.precision = precision
        self._angles: dict[tuple[int, int, int], tuple[Ball, Ball]] = {}
        self._logs: dict[tuple[Fraction, int], Number] = {}

    def exact(self, numerator: int, denominator: int = 1) -> Fraction:
        """Return the rational number ``numerator / denominator``."""
        return Fraction(int(numerator), int(denominator))

    def pi(self) -> Ball:
        """Return a ball around pi."""
        return self._padded(libmp.mpf_pi(self.precision + GUARD))

    def exp(self, x: Number) -> Number:
        """Return e to the power `x`; 1 exactly for 0."""
        if not isinstance(x, Ball) and x == 0:
            return Fraction(1)
        ball = enclose(x, self.precision)
        value = self._padded(libmp.mpf_exp(_mpf(ball), self.precision + GUARD))
        if _scaled(ball.rad, ball.exp) > 1:
            raise Uncertain("the argument of exp is too wide")
        # |exp(m + r) - exp(m)| <= 2 |r| exp(m) for |r| <= 1.
        return _widened(value, _scaled(2 * ball.rad * (value.man + value.rad), ball.exp))

    def log(self, x: Number) -> Number:
        """Return the natural logarithm of a positive `x`; 0 exactly for 1."""
        if not isinstance(x, Ball) and x == 1:
            return Fraction(0)
        if sign(x) <= 0:
            raise ValueError("log of a number that is not positive")
        ball = enclose(x, self.precision)
        value = self._padded(libmp.mpf_log(_mpf(ball), self.precision + GUARD))
        # |log(m + r) - log(m)| <= |r| / (m - |r|).
        return _widened(value, _quotient(ball.rad, ball.man - ball.rad, -value.exp))

    def sqrt(self, x: Number) -> Number:
        """Return the square root of `x` >= 0, exact where it is rational."""
        if sign(x) < 0:
            raise ValueError("square root of a negative number")
        if not isinstance(x, Ball):
            root = x if x == 0 else _rational_power(Fraction(x), Fraction(1, 2))
            if root is not None:
                return Fraction(root)
        ball = enclose(x, self.precision)
        value = self._padded(libmp.mpf_sqrt(_mpf(ball), self.precision + GUARD))
        # |sqrt(m + r) - sqrt(m)| <= |r| / sqrt(m).
        return _widened(value, _quotient(ball.rad, value.man - value.rad, ball.exp - 2 * value.exp))

    def sin(self, x: Number) -> Number:
        """Return the sine of `x` radians; 0 exactly for 0."""
        return Fraction(0) if not isinstance(x, Ball) and x == 0 else self._cos_sin(x)[1]

    def cos(self, x: Number) -> Number:
        """Return the cosine of `x` radians; 1 exactly for 0."""
        return Fraction(1) if not isinstance(x, Ball) and x == 0 else self._cos_sin(x)[0]

    def pow(self, x: Number, y: Number) -> Number:
        """Return `x` to the power `y`, exact where both are exact and the result is rational.

        `x` is positive, or zero with a positive exponent.
        """
        if not isinstance(y, Ball) and y == 0:
            return Fraction(1)
        if sign(x) < 0 or (sign(x) == 0 and sign(y) < 0):
            raise ValueError("power of a negative number, or of zero to a negative exponent")
        if not isinstance(x, Ball) and x in (0, 1):
            return Fraction(x)
        if not isinstance(x, Ball) and not isinstance(y, Ball):
            rational = _rational_power(Fraction(x), Fraction(y))
            if rational is not None:
                return rational
        # The absolute error of y log x is the relative error of the power, so a large y needs more bits.
        exponent = enclose(y, self.precision)
        wider = MpmathReal(self.precision + GUARD + max(exponent.man.bit_length() + exponent.exp, 0))
        value = wider.exp(y * self._log_for(x, wider))
        return Ball(value.man, value.rad, value.exp, self.precision) if isinstance(value, Ball) else value

    def ends(self, value: Number) -> tuple[Fraction, Fraction]:
        """Return two rational numbers between which `value` lies, equal where it is exact."""
        return value.ends() if isinstance(value, Ball) else (Fraction(value), Fraction(value))

    def decimal(self, value: Number, digits: int) -> str:
        """Return `value` correctly rounded to significant digits; raise `Uncertain` if they are not decided.

        Examples
        --------
        >>> MpmathReal(160).decimal(Fraction(-2, 30), 5)
        '-6.6667e-2'
        """
        low, high = (_decimal(end, digits) for end in self.ends(value))
        if low != high:
            raise Uncertain(f"the enclosure does not decide {digits} digits")
        return low

    def round(self, value: Number, dtype: str) -> tuple[float, str]:
        """Return `value` correctly rounded to `dtype`, and the side on which the real value lies.

        Parameters
        ----------
        value : int, Fraction or Ball
            The real value, or its enclosure.
        dtype : str
            float64, float32, bfloat16 or float16.

        Returns
        -------
        tuple
            The stored value (nearest, ties to even; an exact zero is +0) and the residual: ``+`` the real
            value lies above, ``-`` below, ``0`` equal.

        Raises
        ------
        Uncertain
            If the ends of the enclosure disagree in either.
        Overflow
            If the value rounds beyond the largest finite number.
        """
        if not isinstance(value, Ball):
            return _rounded(value.numerator, value.denominator, dtype)
        low = _end(value.man - value.rad, value.exp, dtype)
        if value.rad and low != _end(value.man + value.rad, value.exp, dtype):
            raise Uncertain(f"the ends of {value} round differently to {dtype}")
        if low is None:
            raise Overflow(f"the value overflows {dtype}")
        return low

    def _padded(self, value: Any) -> Ball:
        """Return a ball around a result of mpmath, padded by more than its error."""
        negative, man, exp, bits = value
        shift = self.precision + GUARD - bits
        man = -int(man) if negative else int(man)
        man, exp = (man << shift, exp - shift) if shift > 0 else (man, exp)
        return Ball(man, 1 << PAD if man else 0, int(exp), self.precision)

    def _cos_sin(self, x: Number) -> tuple[Ball, Ball]:
        ball = enclose(x, self.precision)
        key = ball.man, ball.rad, ball.exp
        if key not in self._angles:
            # The reduction by pi/2 loses as many bits as the argument has before the point.
            bits = self.precision + GUARD + max(ball.man.bit_length() + ball.exp, 0)
            both = [self._padded(entry) for entry in libmp.mpf_cos_sin(_mpf(ball), bits)]
            # Sine and cosine move at most as far as their argument.
            cos, sin = (_widened(entry, _scaled(ball.rad, ball.exp - entry.exp)) for entry in both)
            self._angles[key] = cos, sin
        return self._angles[key]

    def _log_for(self, x: Number, wider: "MpmathReal") -> Number:
        if isinstance(x, Ball):
            return wider.log(x)
        key = Fraction(x), wider.precision
        if key not in self._logs:
            self._logs[key] = wider.log(x)
        return self._logs[key]


def _mpf(ball: Ball) -> Any:
    """Return the midpoint of a ball as mpmath's raw number, exactly."""
    return libmp.from_man_exp(ball.man, ball.exp)


def _scaled(amount: int, exp: int) -> int:
    """Return an integer not below ``amount * 2**exp``."""
    if amount == 0:
        return 0
    return amount << exp if exp >= 0 else (amount >> -exp) + 1


def _quotient(top: int, bottom: int, exp: int) -> int:
    """Return an integer not below ``top / bottom * 2**exp``, for a `bottom` that must be positive."""
    if bottom <= 0:
        raise Uncertain("the enclosure reaches zero")
    return 0 if top == 0 else (top << max(exp, 0)) // (bottom << max(-exp, 0)) + 1


def _widened(ball: Ball, amount: int) -> Ball:
    return Ball(ball.man, ball.rad + amount, ball.exp, ball.prec)


@cache
def _rational_power(x: Fraction, y: Fraction) -> Fraction | None:
    """Return ``x**y`` for a positive `x`, or None where it is irrational (or too long to keep)."""
    size = max(x.numerator.bit_length(), x.denominator.bit_length())
    top, bottom = _root(x.numerator, y.denominator), _root(x.denominator, y.denominator)
    if top is None or bottom is None or size * abs(y.numerator) > EXACT_POWER_BITS * y.denominator:
        return None
    return Fraction(top, bottom) ** y.numerator


def _root(number: int, degree: int) -> int | None:
    """Return the root of this degree of a positive integer where it is an integer, by bisection."""
    if degree >= number.bit_length():
        return 1 if number == 1 else None
    low, high = 1, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle - 1)
    return low if low**degree == number else None


def _end(man: int, exp: int, dtype: str) -> tuple[float, str] | None:
    """Round one end of a ball, ``man * 2**exp``; None stands for overflow."""
    if abs(man.bit_length() + exp) > FAR:
        man, exp = (man > 0) - (man < 0), FAR if exp > 0 else -FAR
    try:
        return _rounded(man << max(exp, 0), 1 << max(-exp, 0), dtype)
    except Overflow:
        return None


def _rounded(top: int, bottom: int, dtype: str) -> tuple[float, str]:
    """Round the rational ``top / bottom`` by one integer division."""
    bits, least, beyond = FORMATS[dtype]
    size = abs(top)
    exponent = size.bit_length() - bottom.bit_length()
    if size << max(-exponent, 0) < bottom << max(exponent, 0):
        exponent -= 1
    unit = max(exponent - bits + 1, least)
    whole = bottom << max(unit, 0)
    count, rest = divmod(size << max(-unit, 0), whole)
    up = 2 * rest > whole or (2 * rest == whole and count & 1)
    count += up
    if count.bit_length() + unit > beyond:
        raise Overflow(f"the value overflows {dtype}")
    value = ldexp(count, unit)
    residual = "0" if rest == 0 else "+-"[up ^ (top < 0)]
    return (-value if top < 0 else value), residual


def _decimal(value: Fraction, digits: int) -> str:
    """Return a rational number rounded half to even to significant digits, by integer division."""
    if value == 0:
        return "0"
    top, bottom = abs(value.numerator), value.denominator
    exponent = len(str(top)) - len(str(bottom))
    exponent -= top * 10 ** max(-exponent, 0) < bottom * 10 ** max(exponent, 0)
    shift = digits - 1 - exponent
    whole = bottom * 10 ** max(-shift, 0)
    count, rest = divmod(top * 10 ** max(shift, 0), whole)
    count += 2 * rest > whole or (2 * rest == whole and count & 1)
    text = str(count)
    exponent += len(text) - digits
    return f"{'-' if value < 0 else ''}{text[0]}.{text[1:digits]}e{exponent}"
