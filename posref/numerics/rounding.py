"""Rounding, spacing and bit patterns of the four floating dtypes.

Every float64 value is brought to a narrow dtype by one rounding, to nearest with ties to even.
NumPy's own casts do that. Casting through float32 on the way to bfloat16 rounds twice and is wrong near
ties, so a value that comes near one is first put on the grid of the dtype, where no cast changes it.
"""

import importlib
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Format(NamedTuple):
    """A binary format: digits of the significand, smallest normal exponent, dtype of the bits."""

    digits: int
    least: int
    bits: type[np.unsignedinteger[Any]]

    @property
    def infinity(self) -> int:
        """The pattern of infinity: the least that is no finite number, the sign left out."""
        width = 8 * np.dtype(self.bits).itemsize - 1
        return (1 << width) - (1 << (self.digits - 1))


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
        if dtype == "bfloat16":
            return _bfloat16_bits(exact_values)
        return exact_values.astype(dtype).view(FORMATS[dtype].bits)  # one rounding, whatever the dtype


def _bfloat16_bits(values: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Return the patterns of bfloat16, which are the upper halves of those of float32.

    Two roundings, over float32, differ from one only where float32 ends up on a tie.
    """
    flat = values.reshape(-1)
    single = flat.astype(np.float32)
    bits = single.view(np.uint32)
    rounded = bits >> np.uint32(16)
    rounded &= np.uint32(1)
    rounded += np.uint32(0x7FFF)
    rounded += bits
    rounded >>= np.uint32(16)
    found = rounded.astype(np.uint16)
    rare = bits << np.uint32(16) == np.uint32(0x8000_0000)
    rare |= np.isnan(single)
    if rare.any():
        own = flat[rare]
        again = np.asarray(on_grid(own, "bfloat16")).astype(np.float32).view(np.uint32) >> np.uint32(16)
        found[rare] = np.where(np.isnan(own), np.uint16(0x7FC0), again.astype(np.uint16))
    return found.reshape(values.shape)


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


def wider(stored: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Return stored values as an array whose cast to float64 is exact; bfloat16 is stored as its bits."""
    if dtype != "bfloat16":
        return stored
    return (stored.astype(np.uint32) << np.uint32(16)).view(np.float32)


def store(values: NDArray[np.float64], out: NDArray[Any], dtype: str) -> None:
    """Write `values` into `out`, rounded once to `dtype`; bfloat16 is stored as its bits."""
    if dtype == "bfloat16":
        out[...] = round_bits(values, dtype)
    else:
        np.copyto(out, values, casting="same_kind")


def finite(stored: NDArray[Any], dtype: str) -> bool:
    """Return whether all stored values are finite numbers, by one quick pass where they lie close together.

    Zero times a number is zero, and NaN if the number is not finite.
    """
    if dtype in ("float64", "float32") and stored.flags.c_contiguous:
        flat, zeros = stored.reshape(-1), _zeros(dtype)
        with np.errstate(invalid="ignore"):
            for start in range(0, flat.size, zeros.size):
                part = flat[start : start + zeros.size]
                if part.dot(zeros[: part.size]) != 0:
                    return False
        return True
    if dtype in ("bfloat16", "float16"):
        size = stored.view(np.uint16) & np.uint16(0x7FFF)
        return bool(size.max(initial=0) < FORMATS[dtype].infinity)
    return bool(np.isfinite(stored).all())


def has_minus_zero(stored: NDArray[Any]) -> bool:
    """Return whether a stored value is -0: of all patterns the least, as integers with a sign."""
    signed = np.dtype(f"i{stored.itemsize}")
    return bool(stored.view(signed).min(initial=0) == np.iinfo(signed).min)


@lru_cache
def _zeros(dtype: str) -> NDArray[Any]:
    """Return the zeros that numbers are multiplied by to see whether they are finite."""
    return np.zeros(2**15, dtype)


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
