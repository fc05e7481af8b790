"""The second engine: FLINT's rationals and Arb's balls, with rounding code of its own.

Rounding searches the dtype's bit patterns, which are ordered as the numbers they stand for, and compares
exactly; nothing is shared with the first engine but the exceptions. FLINT's global precision is set for
each step and put back.
"""

from bisect import bisect_right
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import flint

from posref.corpus.certify import Overflow, Uncertain

LAYOUTS: Final = {"float64": (11, 52), "float32": (8, 23), "bfloat16": (8, 7), "float16": (5, 10)}
"""Width of the exponent field and of the fraction field."""

REACH: Final = 3000
"""Binary exponent beyond which a number is replaced by a power of two on the same side of every format."""

EXACT_BITS: Final = 65536
"""Size up to which a rational power is kept exact."""


class Enclosure:
    """An Arb ball that computes at a precision of its own; exact numbers beside it are `flint.fmpq`.

    Parameters
    ----------
    ball : flint.arb
        The enclosure.
    precision : int
        Bits of every operation on it.
    """

    __slots__ = ("ball", "precision")

    def __init__(self, ball: Any, precision: int) -> None:
        if not ball.is_finite():
            raise Uncertain("the enclosure is unbounded")
        self.ball = ball
        self.precision = precision

    def __repr__(self) -> str:
        return f"Enclosure({self.ball})"

    def _with(self, other: Any, step: Callable[[Any, Any], Any]) -> "Enclosure":
        ball = other.ball if isinstance(other, Enclosure) else flint.fmpq(other)
        return Enclosure(_at(self.precision, lambda: step(self.ball, flint.arb(ball))), self.precision)

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return flint.fmpq(0) if _is_zero(other) else self._with(other, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> Any:
        if _is_zero(other):
            raise ZeroDivisionError("division by an exact zero")
        return self._with(other, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return flint.fmpq(0) if _is_zero(other) else self._with(other, lambda a, b: b / a)

    def __neg__(self) -> "Enclosure":
        return self._with(0, lambda a, b: b - a)

    def __abs__(self) -> "Enclosure":
        return self._with(0, lambda a, _: abs(a))

    __radd__ = __add__
    __rmul__ = __mul__

    def __lt__(self, other: Any) -> bool:
        return _sign(self - other) < 0

    def __le__(self, other: Any) -> bool:
        return _sign(self - other) <= 0

    def __gt__(self, other: Any) -> bool:
        return _sign(self - other) > 0

    def __ge__(self, other: Any) -> bool:
        return _sign(self - other) >= 0


class ArbReal:
    """Real numbers as FLINT rationals or as Arb balls of a given precision.

    Parameters
    ----------
    precision : int
        Bits of the balls.

    Examples
    --------
    >>> real = ArbReal(160)
    >>> real.round(real.sin(real.exact(1)), "float32")
    (0.8414709568023682, '+')
    >>> real.pow(real.exact(10000), real.exact(-1, 4))
    1/10
    """

    def __init__(self, precision: int) -> None:
        self.precision = precision

    def exact(self, numerator: int, denominator: int = 1) -> Any:
        """Return the rational number ``numerator / denominator``."""
        return flint.fmpq(int(numerator), int(denominator))

    def pi(self) -> Enclosure:
        """Return an enclosure of pi."""
        return Enclosure(_at(self.precision, flint.arb.pi), self.precision)

    def exp(self, x: Any) -> Any:
        """Return e to the power `x`; 1 exactly for 0."""
        return flint.fmpq(1) if _is_zero(x) else self._apply("exp", x)

    def log(self, x: Any) -> Any:
        """Return the natural logarithm of a positive `x`; 0 exactly for 1."""
        if _sign(x) <= 0:
            raise ValueError("log of a number that is not positive")
        return flint.fmpq(0) if _is_exact(x) and x == 1 else self._apply("log", x)

    def sqrt(self, x: Any) -> Any:
        """Return the square root of `x` >= 0, exact where it is rational."""
        if _sign(x) < 0:
            raise ValueError("square root of a negative number")
        if _is_exact(x):
            parts = flint.fmpq(x).numerator, flint.fmpq(x).denominator
            if all(part.is_square() for part in parts):
                return flint.fmpq(*(part.isqrt() for part in parts))
        return self._apply("sqrt", x)

    def sin(self, x: Any) -> Any:
        """Return the sine of `x` radians; 0 exactly for 0."""
        return flint.fmpq(0) if _is_zero(x) else self._apply("sin", x)

    def cos(self, x: Any) -> Any:
        """Return the cosine of `x` radians; 1 exactly for 0."""
        return flint.fmpq(1) if _is_zero(x) else self._apply("cos", x)

    def pow(self, x: Any, y: Any) -> Any:
        """Return `x` to the power `y`, exact where both are exact and the result is rational.

        `x` is positive, or zero with a positive exponent.
        """
        if _is_zero(y):
            return flint.fmpq(1)
        if _sign(x) < 0 or (_sign(x) == 0 and _sign(y) < 0):
            raise ValueError("power of a negative number, or of zero to a negative exponent")
        if _is_exact(x) and (x in (0, 1)):
            return flint.fmpq(x)
        if _is_exact(x) and _is_exact(y):
            power = _exact_power(flint.fmpq(x), flint.fmpq(y))
            if power is not None:
                return power
        bits = self.precision + 64
        return Enclosure(_at(bits, lambda: _ball(x) ** _ball(y)), self.precision)

    def ends(self, value: Any) -> tuple[Fraction, Fraction]:
        """Return two rational numbers between which `value` lies, equal where it is exact."""
        low, high = (Fraction(int(end.numerator), int(end.denominator)) for end in _ends(value))
        return low, high

    def decimal(self, value: Any, digits: int) -> str:
        """Return `value` correctly rounded to significant digits; raise `Uncertain` if they are not decided.

        Examples
        --------
        >>> ArbReal(160).decimal(flint.fmpq(-2, 30), 5)
        '-6.6667e-2'
        """
        low, high = (_divided(end, digits) for end in self.ends(value))
        if low != high:
            raise Uncertain(f"the enclosure does not decide {digits} digits")
        return low

    def round(self, value: Any, dtype: str) -> tuple[float, str]:
        """Return `value` correctly rounded to `dtype`, and the side on which the real value lies.

        Parameters
        ----------
        value : int, fmpq or Enclosure
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
            If the enclosure does not decide both.
        Overflow
            If the value rounds beyond the largest finite number.
        """
        low, high = _ends(value)
        if low == high == 0:
            return 0.0, "0"
        if low <= 0 <= high:
            raise Uncertain("the enclosure contains zero")
        if high < 0:
            size, side = _search(-high, -low, dtype)
            return -size, {"+": "-", "-": "+", "0": "0"}[side]
        return _search(low, high, dtype)

    def _apply(self, function: str, x: Any) -> Enclosure:
        return Enclosure(_at(self.precision, lambda: getattr(flint.arb, function)(_ball(x))), self.precision)


def _at(precision: int, step: Callable[[], Any]) -> Any:
    """Run `step` at a precision and put FLINT's own back."""
    saved = flint.ctx.prec
    flint.ctx.prec = precision
    try:
        return step()
    finally:
        flint.ctx.prec = saved


def _is_exact(value: Any) -> bool:
    return not isinstance(value, Enclosure)


def _is_zero(value: Any) -> bool:
    return _is_exact(value) and bool(value == 0)


def _ball(value: Any) -> Any:
    """Return an Arb ball around a number, at the precision in force."""
    return flint.arb(flint.fmpq(value)) if _is_exact(value) else value.ball


def _sign(value: Any) -> int:
    """Return -1, 0 or 1; raise `Uncertain` where the enclosure does not tell."""
    low, high = _ends(value)
    if low > 0:
        return 1
    if high < 0:
        return -1
    if low == high:
        return 0
    raise Uncertain("the enclosure contains zero")


def _exact_power(x: Any, y: Any) -> Any:
    """Return ``x**y`` for a positive `x` where it is rational and not too long, else None."""
    degree, times = int(y.denominator), int(y.numerator)
    if degree > x.height_bits():
        return None
    roots = [part.root(degree) for part in (x.numerator, x.denominator)]
    if [root**degree for root in roots] != [x.numerator, x.denominator]:
        return None
    root = flint.fmpq(*roots)
    return root**times if root.height_bits() * abs(times) <= EXACT_BITS else None


def _ends(value: Any) -> tuple[Any, Any]:
    """Return both ends of a number as rationals, exactly (ends out of reach pulled in)."""
    if _is_exact(value):
        return flint.fmpq(value), flint.fmpq(value)
    man, exp = (int(part) for part in value.ball.mid().man_exp())
    spread, unit = (int(part) for part in value.ball.rad().man_exp())
    last = exp + man.bit_length() - 2 * REACH
    if spread and man and unit + spread.bit_length() < last:
        spread, unit = 1, last
    elif spread and exp + man.bit_length() < unit - REACH:
        man, exp, spread = 0, unit, spread + 1
    base = min(exp, unit) if spread else exp
    middle, radius = man << (exp - base), spread << max(unit - base, 0)
    return _dyadic(middle - radius, base), _dyadic(middle + radius, base)


def _dyadic(man: int, exp: int) -> Any:
    """Return ``man * 2**exp``; far outside every format a power of two stands in for it."""
    if abs(man.bit_length() + exp) > REACH:
        man, exp = (man > 0) - (man < 0), REACH if exp > 0 else -REACH
    return flint.fmpq(man << max(exp, 0), 1 << max(-exp, 0))


@lru_cache(maxsize=1 << 16)
def _decode(bits: int, dtype: str) -> Any:
    """Return the number of a bit pattern; the pattern of infinity continues the sequence of powers."""
    width, fraction = LAYOUTS[dtype]
    field, significand = bits >> fraction, bits & ((1 << fraction) - 1)
    if field:
        significand += 1 << fraction
    exponent = max(field, 1) - (1 << (width - 1)) + 1 - fraction
    return flint.fmpq(significand << max(exponent, 0), 1 << max(-exponent, 0))


def _search(low: Any, high: Any, dtype: str) -> tuple[float, str]:
    """Round the positive interval from `low` to `high`: find its gap between neighbours, then its half."""
    width, fraction = LAYOUTS[dtype]
    infinity = ((1 << width) - 1) << fraction
    found = bisect_right(range(infinity), low, key=lambda bits: _decode(bits, dtype)) - 1
    below, above = _decode(found, dtype), _decode(found + 1, dtype)
    middle = (below + above) / 2
    if low == high == below:
        side = "0"
    elif low == high == middle:
        found, side = (found + 1, "-") if found & 1 else (found, "+")
    elif below < low and high < middle:
        side = "+"
    elif middle < low and (high < above or found + 1 == infinity):
        found, side = found + 1, "-"
    else:
        raise Uncertain("the enclosure spans a rounding boundary")
    if found == infinity:
        raise Overflow(f"the value overflows {dtype}")
    number = _decode(found, dtype)
    return int(number.numerator) / int(number.denominator), side


def _divided(value: Fraction, digits: int) -> str:
    """Return a rational number rounded to significant digits, by one division of decimals."""
    if value == 0:
        return "0"
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    sign, figures, _ = quotient.as_tuple()
    text = "".join(map(str, figures)).ljust(digits, "0")
    return f"{'-' if sign else ''}{text[0]}.{text[1:]}e{quotient.adjusted()}"
