"""JSON as tensors and expected values; what is not exactly as the format says is an error."""

import math
import re
from typing import Final, Literal

from posref.corpus.bits import DIGITS, floats, split
from posref.corpus.encode import Expected
from posref.corpus.strict import Place
from posref.operation import DTYPES, Tensor

MOST: Final = 10**12
"""No tensor has more elements, nor any axis of a tensor."""

MOST_AXES: Final = 32
"""No tensor has more axes."""

Special = Literal["none", "-inf", "any"]
"""Which values that are not finite a tensor may hold."""

_HEX = re.compile(r"[0-9a-f]*")
_SIGNS = re.compile(r"[+\-0]*")


def tensor(place: Place, dtypes: tuple[str, ...], special: Special = "none") -> Tensor:
    """Return the tensor of one of `dtypes` that stands at `place`."""
    return _tensor(place.record("dtype", "shape", "data"), dtypes, special)


def _tensor(members: dict[str, Place], dtypes: tuple[str, ...], special: Special) -> Tensor:
    dtype = members["dtype"].one_of(dtypes)
    size = shape(members["shape"])
    if dtype in DIGITS:
        text = text_rows(members["data"], size, DIGITS[dtype], _HEX)
        values = floats(text, dtype)
        _refuse_special(members["data"], size, values, special)
        return Tensor(dtype, size, values)
    least, most = (-(2**63), 2**63 - 1) if dtype == "int64" else (0, 1)
    return Tensor(dtype, size, integer_rows(members["data"], size, least, most))


def shape(place: Place) -> tuple[int, ...]:
    """Return the shape at `place`."""
    sizes = tuple(entry.integer(0, MOST) for entry in place.elements())
    if len(sizes) > MOST_AXES:
        place.fail(f"has more than {MOST_AXES} axes")
    if math.prod(max(size, 1) for size in sizes) > MOST:
        place.fail(f"has more than {MOST} elements")
    return sizes


def text_rows(place: Place, size: tuple[int, ...], digits: int, pattern: re.Pattern[str]) -> str:
    """Return the rows of a tensor, strings of `digits` characters a value, as one string."""
    count, width = split(size)
    if not isinstance(place.value, list) or len(place.value) != count:
        place.fail(f"must be a list of {count} rows")
    for index, row in enumerate(place.value):
        if not isinstance(row, str) or len(row) != width * digits or not pattern.fullmatch(row):
            place.at(index).fail(f"must be {width * digits} characters {pattern.pattern[:-1]}")
    return "".join(place.value)


def integer_rows(place: Place, size: tuple[int, ...], least: int, most: int) -> tuple[int, ...]:
    """Return the rows of a tensor, lists of integers from `least` to `most`, one after the other."""
    count, width = split(size)
    if not isinstance(place.value, list) or len(place.value) != count:
        place.fail(f"must be a list of {count} rows")
    for index, row in enumerate(place.value):
        if not isinstance(row, list) or len(row) != width:
            place.at(index).fail(f"must be a list of {width} integers")
        if not all(type(value) is int and least <= value <= most for value in row):
            for entry in place.at(index).elements():
                entry.integer(least, most)
    return tuple(value for row in place.value for value in row)


def _refuse_special(place: Place, size: tuple[int, ...], values: tuple[float, ...], special: Special) -> None:
    if special == "any" or all(map(math.isfinite, values)):
        return
    for index, value in enumerate(values):
        if math.isnan(value) or value == math.inf or (value == -math.inf and special == "none"):
            name = "NaN" if math.isnan(value) else "infinity" if value > 0 else "-infinity"
            place.at(index // split(size)[1]).fail(f"{name} is not legal here")


def expected(place: Place, key: str, strict_zero: bool) -> Expected:
    """Return the expected output in the dtype `key` that stands at `place`."""
    if key not in DTYPES:
        return Expected(tensor(place, (key,)))
    members = place.record("dtype", "shape", "data", "residual", "bound")
    value = _tensor(members, (key,), "-inf")
    residual = text_rows(members["residual"], value.shape, 1, _SIGNS)
    bound = floats(text_rows(members["bound"], value.shape, DIGITS["bfloat16"], _HEX), "bfloat16")
    width = split(value.shape)[1]
    for index, (number, sign, limit) in enumerate(zip(value.data, residual, bound, strict=True)):
        if not (0 <= limit < math.inf) or math.copysign(1, limit) < 0:
            members["bound"].at(index // width).fail("a bound is a finite number of at least +0")
        if number == -math.inf and (sign != "0" or limit):
            members["residual"].at(index // width).fail("-infinity is exact: residual 0, bound 0")
        if number == 0 and sign == "0" and not strict_zero and math.copysign(1, number) < 0:
            members["data"].at(index // width).fail("an exact zero is +0")
    return Expected(value, residual, bound)
