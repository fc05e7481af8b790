"""Sizes of floating-point numbers, and sums in a fixed order.

Only + - * /, comparisons, square roots and scalings by powers of two, which IEEE 754 rounds the same
everywhere: the bounds are part of the vectors, whose bytes may not depend on the machine.
"""

from typing import Final

import numpy as np

DIGITS: Final = {"float64": 53, "float32": 24, "bfloat16": 8, "float16": 11}
LEAST: Final = {"float64": -1022, "float32": -126, "bfloat16": -126, "float16": -14}


def unit(dtype: str) -> float:
    """Return the unit roundoff of `dtype`: the largest relative error of one rounding."""
    return float(2.0 ** -DIGITS[dtype])


def tiny(dtype: str) -> float:
    """Return the smallest normal number of `dtype`; below it a rounding loses up to ``unit * tiny``."""
    return float(2.0 ** LEAST[dtype])


def inexact(values: np.ndarray, dtype: str) -> np.ndarray:
    """Return 1.0 where `dtype` has too few digits for a value, else 0.0."""
    digits = DIGITS[dtype]
    mantissa = np.ldexp(np.frexp(values)[0], digits)
    return np.asarray(mantissa != np.rint(mantissa), dtype=np.float64)


def power_of_two(values: np.ndarray) -> np.ndarray:
    """Return where a value is zero or a power of two: a product by it rounds nothing."""
    return np.asarray((values == 0) | (np.abs(np.frexp(values)[0]) == 0.5))


def hypot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return ``sqrt(a**2 + b**2)`` without overflow, the same on every machine."""
    high, low = np.maximum(np.abs(a), np.abs(b)), np.minimum(np.abs(a), np.abs(b))
    ratio = low / np.where(high == 0, 1.0, high)
    return np.asarray(high * np.sqrt(1.0 + ratio * ratio))


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return ``sum_i a[..., q, i] b[..., k, i]``, added in the order of i.

    A matrix product of a library adds in an order of its own.
    """
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-2])
    total = np.zeros(shape)
    for i in range(a.shape[-1]):
        total += a[..., :, None, i] * b[..., None, :, i]
    return total


def exp(x: np.ndarray) -> np.ndarray:
    """Return e**x to some 14 digits, the same on every machine (library exponentials differ)."""
    x = np.minimum(np.maximum(x, -740.0), 700.0)
    k = np.rint(x * 1.4426950408889634)
    return np.ldexp(1.0 + expm1_small(x - k * 0.6931471805599453), k.astype(np.int64))


def expm1_small(x: np.ndarray) -> np.ndarray:
    """Return e**x - 1 for ``|x| <= 1/2``, by its series."""
    total = np.zeros_like(x)
    for n in range(15, 0, -1):
        total = (1.0 + total) * x / n
    return total
