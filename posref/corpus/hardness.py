"""How near a result comes to a rounding boundary: the middle of two neighbouring values of a dtype."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from math import floor, frexp, inf, isfinite, ldexp
from typing import Any, Final

from posref import operation
from posref.corpus.certify import Uncertain, decided, evaluate, flat
from posref.operation import Tensor

FORMATS: Final = {
    "float64": (53, -1074),
    "float32": (24, -149),
    "bfloat16": (8, -133),
    "float16": (11, -24),
}
"""Significant bits, and the exponent of the smallest spacing."""

DIGITS: Final = 3
"""Significant digits of a stored distance."""


def certify_distance(
    engine: Callable[[int], Any],
    name: str,
    inputs: Mapping[str, Tensor],
    params: Mapping[str, Any],
    dtype: str,
) -> str:
    """Return the distance of the float element that comes nearest to a boundary of `dtype`, certified.

    Parameters
    ----------
    engine : callable
        Makes an engine of a given precision.
    name, inputs, params
        The call, as in `certify`.
    dtype : str
        A floating dtype that no value of the outputs overflows.

    Returns
    -------
    str
        In units of the spacing of `dtype` around the element, `DIGITS` significant digits.

    Raises
    ------
    CertificationError
        If no precision decides the digits.
    """
    kinds = [output.dtype for output in operation.signature(name).outputs]

    def attempt(real: Any) -> str:
        outputs = zip(evaluate(real, name, inputs, params), kinds, strict=True)
        numbers = (number for output, kind in outputs if kind == "float" for number in flat(output))
        return nearest(real, numbers, dtype)

    return decided(engine, attempt, f"{name}: the distance to a boundary")


def nearest(real: Any, numbers: Iterable[Any], dtype: str) -> str:
    """Return the least distance of `numbers` of the engine `real`; raise `Uncertain` if it is not decided."""
    pairs = []
    for number in numbers:
        if not isinstance(number, float):  # minus infinity
            low, high = real.ends(number)
            pairs.append(between(low, high, dtype))
    texts = {f"{float(min(ends)):.{DIGITS - 1}e}" for ends in zip(*pairs, strict=True)}
    if len(texts) > 1:
        raise Uncertain("the enclosure does not decide the distance")
    return texts.pop()


def between(low: Fraction, high: Fraction, dtype: str) -> tuple[Fraction, Fraction]:
    """Return the least and the largest distance of the numbers from `low` to `high`."""
    if low == high == 0:
        return Fraction(1, 2), Fraction(1, 2)
    if low <= 0 <= high:
        raise Uncertain("the enclosure contains zero")
    low, high = sorted((abs(low), abs(high)))
    spacing = _spacing(low, dtype)
    if spacing != _spacing(high, dtype) or floor(low / spacing) != floor(high / spacing):
        raise Uncertain("the enclosure spans a value of the dtype")
    ends = [low / spacing % 1 - Fraction(1, 2), high / spacing % 1 - Fraction(1, 2)]
    if ends[0] < 0 < ends[1]:
        raise Uncertain("the enclosure spans a rounding boundary")
    least, most = sorted(map(abs, ends))
    return least, most


def _spacing(size: Fraction, dtype: str) -> Fraction:
    """Return the spacing of `dtype` around a positive number."""
    bits, least = FORMATS[dtype]
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    return Fraction(2) ** max(exponent - bits + 1, least)


def distances(values: Iterable[float], dtype: str) -> Iterator[float]:
    """Yield the distance of each finite float64, exactly."""
    bits, least = FORMATS[dtype]
    for value in values:
        if isfinite(value):
            steps = ldexp(abs(value), -max(frexp(value)[1] - bits, least))
            yield abs(steps - floor(steps) - 0.5)


def agrees(text: str, values: Iterable[float], dtype: str) -> bool:
    """Return whether a stored distance can be that of the real values which round to `values` in float64."""
    found = min(distances(values, dtype), default=inf)
    said, bits = float(text), FORMATS[dtype][0]
    slack = ldexp(0.5, bits - FORMATS["float64"][0]) + said * 10.0 ** (1 - DIGITS)
    return said < 1 and abs(found - said) <= slack
