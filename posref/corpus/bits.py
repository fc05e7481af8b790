"""Values as hexadecimal IEEE bits, tensors as rows."""

import math
import struct
from collections.abc import Sequence
from typing import Any, Final

DIGITS: Final = {"float64": 16, "float32": 8, "bfloat16": 4, "float16": 4}
"""Hexadecimal digits a value."""

_CODES = {"float64": "d", "float32": "f", "bfloat16": "f", "float16": "e"}


def hexadecimal(values: Sequence[float], dtype: str) -> str:
    """Return the IEEE bits of `values` as lower-case big-endian hex; a ValueError if one is inexact.

    Examples
    --------
    >>> hexadecimal([1.0, -0.5], "bfloat16")
    '3f80bf00'
    """
    try:
        text = struct.pack(f">{len(values)}{_CODES[dtype]}", *values).hex()
    except (OverflowError, struct.error):
        raise ValueError(f"a value of {list(values)} is not a {dtype}") from None
    if dtype == "bfloat16":
        text = "".join(text[start : start + 4] for start in range(0, len(text), 8))
    for value, stored in zip(values, floats(text, dtype), strict=True):
        if value != stored and not (math.isnan(value) and math.isnan(stored)):
            raise ValueError(f"{value!r} is not a {dtype}")
    return text


def floats(text: str, dtype: str) -> tuple[float, ...]:
    """Return the values whose bits `text` holds; the inverse of `hexadecimal`."""
    if dtype == "bfloat16":
        text = "".join(text[start : start + 4] + "0000" for start in range(0, len(text), 4))
    data = bytes.fromhex(text)
    code = _CODES[dtype]
    return struct.unpack(f">{len(data) // struct.calcsize(code)}{code}", data)


def round_up(value: float) -> float:
    """Return the smallest bfloat16 that is not below `value`, a finite number of at least 0."""
    if not 0 <= value < math.inf:
        raise ValueError(f"a bound is a finite number of at least 0, got {value!r}")
    bits = int.from_bytes(struct.pack(">f", value), "big")
    bits += struct.unpack(">f", bits.to_bytes(4, "big"))[0] < value
    bits = (bits + 0xFFFF) & 0xFFFF0000
    return float(struct.unpack(">f", bits.to_bytes(4, "big"))[0])


def split(shape: Sequence[int]) -> tuple[int, int]:
    """Return the number of rows of a tensor and the length of each: a row is the innermost axis."""
    size = math.prod(shape)
    if size == 0:
        return 0, 0
    width = shape[-1] if shape else 1
    return size // width, width


def rows(values: Sequence[Any], shape: Sequence[int]) -> list[Sequence[Any]]:
    """Cut the flat `values` of a tensor into its rows."""
    count, width = split(shape)
    if len(values) != count * width:
        raise ValueError(f"a tensor of shape {list(shape)} has {count * width} values, got {len(values)}")
    return [values[row * width : (row + 1) * width] for row in range(count)]
