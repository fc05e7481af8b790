"""Rounding, spacing and bit patterns of the four floating dtypes.

Every float64 value is brought to a narrow dtype by one rounding, to nearest with ties to even.
Casting through float32 on the way to bfloat16 or float16 would round twice and is wrong near ties,
so the value is first put on the grid of the dtype, where the cast that follows changes nothing.
"""

import importlib
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Format(NamedTuple):
    """A binary format: digits of the significand, smallest normal exponent, dtype of the bits."""

    digits: int
    least: int
    bits: type[np.unsignedinteger[Any]]


FORMATS: Final = {
    "float64": Format(53, -1022, np.uint64),
    "float32": Format(24, -126, np.uint32),
    "bfloat16": Format(8, -126, np.uint16),
    "float16": Format(11, -14, np.uint16),
}


def on_grid(values: Any, dtype: str, xp: Any = np) -> Any:
    """Return float64 `values` rounded once to the nearest value of `dtype`, still in float64.

    Parameters
    ----------
    values : array of float64
        Any values. What overflows `dtype` becomes the next power of two, which a cast turns
        into an infinity.
    dtype : str
        A key of `FORMATS`.
    xp : module, optional
        The array library, which has ``frexp`` and ``ldexp``.

    Returns
    -------
    array of float64
        Same shape; the sign of zero is kept.
    """
    form = FORMATS[dtype]
    if dtype == "float64":
        return values
    _, exponent = xp.frexp(values)
    quantum = xp.maximum(exponent - 1, xp.asarray(form.least, dtype=exponent.dtype)) - (form.digits - 1)
    return xp.ldexp(xp.round(xp.ldexp(values, -quantum)), quantum)


def round_bits(values: ArrayLike, dtype: str) -> NDArray[Any]:
    """Return the bit patterns of `values` correctly rounded to `dtype`.

    Parameters
    ----------
    values : array_like of float64
        Any values; those that overflow give the pattern of an infinity.
    dtype : {"float64", "float32", "bfloat16", "float16"}
        The format to round to.

    Returns
    -------
    array of uint64, uint32 or uint16
        Same shape.

    Examples
    --------
    >>> [hex(bits) for bits in round_bits([1.0, 1 + 2**-8 + 2**-40], "bfloat16")]
    ['0x3f80', '0x3f81']
    """
    exact_values = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        direct = dtype in ("float64", "float32")  # the cast to float32 rounds once as it is
        rounded = exact_values if direct else np.asarray(on_grid(exact_values, dtype))
        if dtype == "bfloat16":
            wide = rounded.astype(np.float32).view(np.uint32)
            bits = (wide >> np.uint32(16)).astype(np.uint16)
            return np.where(np.isnan(exact_values), np.uint16(0x7FC0), bits)
        return rounded.astype(dtype).view(FORMATS[dtype].bits)


def decode_bits(bits: ArrayLike, dtype: str) -> NDArray[np.float64]:
    """Return the exact values of bit patterns of `dtype`.

    Parameters
    ----------
    bits : array_like of unsigned integers
        IEEE patterns.
    dtype : {"float64", "float32", "bfloat16", "float16"}
        Their format.

    Returns
    -------
    array of float64
        Same shape.

    Examples
    --------
    >>> decode_bits([0x3F80, 0xC000], "bfloat16")
    array([ 1., -2.])
    """
    patterns = np.asarray(bits, dtype=FORMATS[dtype].bits)
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
        if dtype == "bfloat16":
            return (patterns.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
        return patterns.view(dtype).astype(np.float64)


def ulp(values: ArrayLike, dtype: str) -> NDArray[np.float64]:
    """Return the spacing of `dtype` in the binade of each value.

    Parameters
    ----------
    values : array_like of float64
        Finite values, in `dtype` or not.
    dtype : {"float64", "float32", "bfloat16", "float16"}
        The format.

    Returns
    -------
    array of float64
        Same shape; the spacing of the subnormals at the bottom, NaN where the value is not finite.

    Examples
    --------
    >>> ulp([1.0, 0.75, 0.0], "float16")
    array([9.76562500e-04, 4.88281250e-04, 5.96046448e-08])
    """
    form = FORMATS[dtype]
    numbers = np.asarray(values, dtype=np.float64)
    exponent = np.frexp(numbers)[1] - 1
    exponent = np.where(numbers == 0, form.least, np.maximum(exponent, form.least))
    spacing = np.ldexp(1.0, exponent - (form.digits - 1))
    return np.where(np.isfinite(numbers), spacing, np.nan)


def native(values: ArrayLike, dtype: str) -> NDArray[Any]:
    """Return `values` as a NumPy array of `dtype`, correctly rounded.

    Parameters
    ----------
    values : array_like
        float64 for a floating dtype; integers or booleans for the other two.
    dtype : str
        One of the four floating dtypes, ``"int64"`` or ``"bool"``.

    Returns
    -------
    array of `dtype`
        Same shape.

    Raises
    ------
    ImportError
        If `dtype` is bfloat16 and ml_dtypes is not installed.
    """
    if dtype in ("int64", "bool"):
        return np.asarray(values).astype(dtype)
    bits = round_bits(values, dtype)
    return bits.view(bfloat16() if dtype == "bfloat16" else dtype)


def bfloat16() -> Any:
    """Return the NumPy dtype of bfloat16; an ImportError names the extra that brings it."""
    try:
        return np.dtype(importlib.import_module("ml_dtypes").bfloat16)
    except ImportError as missing:
        raise ImportError("bfloat16 arrays need ml_dtypes: pip install 'posref[bfloat16]'") from missing


def exact(array: Any) -> tuple[str, NDArray[Any]]:
    """Return the dtype name of a NumPy array and its values without any loss.

    Parameters
    ----------
    array : array
        Of a floating dtype, an integer dtype or bool; bfloat16 is told by the dtype's name.

    Returns
    -------
    name : str
        The name of the dtype.
    values : array of float64, int64 or bool
        Same shape.

    Raises
    ------
    TypeError
        If the dtype is none of these.
    """
    stored = np.asarray(array)
    if not stored.dtype.isnative:
        stored = stored.astype(stored.dtype.newbyteorder("="))
    name = stored.dtype.name
    if name in FORMATS:
        return name, decode_bits(stored.view(FORMATS[name].bits), name)
    if stored.dtype.kind == "b":
        return name, stored.astype(np.bool_)
    if stored.dtype.kind in "iu":
        if stored.dtype == np.uint64 and bool((stored > np.uint64(2**63 - 1)).any()):
            raise TypeError("a uint64 value above 2**63 - 1 does not fit int64")
        return name, stored.astype(np.int64)
    raise TypeError(f"dtype {name} is neither a float of the vector format, an integer nor bool")
