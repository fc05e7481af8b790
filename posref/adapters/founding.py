"""The three programs of the lecture texts that posref began from, written anew in NumPy.

`apply_rope` answers for float32, `RotaryLayer` for float64, `sinusoid` for the sinusoidal table. They
are honest programs with the limits that such programs have, and are judged like any other.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from posref.adapters import Implementation, Unsupported

ROWS = 4096


def apply_rope(x: np.ndarray, positions: np.ndarray, base: float) -> np.ndarray:
    """Rotate adjacent pairs, everything in float32 and nothing checked."""
    width = x.shape[-1]
    exponent = np.arange(0, width, 2, dtype=np.float32) / np.float32(width)
    angle = positions.astype(np.float32)[..., None] * np.float32(base) ** -exponent
    cos, sin = np.cos(angle), np.sin(angle)
    even, odd = x[..., 0::2], x[..., 1::2]
    return np.stack((even * cos - odd * sin, even * sin + odd * cos), axis=-1).reshape(x.shape)


class RotaryLayer:
    """A layer with tables in float64 for a fixed number of rows; tokens follow each other from an offset."""

    def __init__(self, width: int, base: float, rows: int) -> None:
        if width <= 0 or width % 2:
            raise ValueError(f"width must be even and positive, got {width}")
        if not np.isfinite(base) or base <= 1:
            raise ValueError(f"base must be finite and greater than 1, got {base}")
        self.width, self.rows = width, rows
        self.inv_freq = base ** (-np.arange(0, width, 2, dtype=np.float64) / width)
        angle = np.arange(rows, dtype=np.float64)[:, None] * self.inv_freq
        self.cos, self.sin = np.cos(angle), np.sin(angle)

    def __call__(self, x: np.ndarray, offset: int = 0) -> np.ndarray:
        """Rotate x, whose first token stands at position `offset`."""
        if x.ndim < 2 or x.shape[-1] != self.width:
            raise ValueError(f"x must be (..., tokens, {self.width}), got {x.shape}")
        end = offset + x.shape[-2]
        if offset < 0 or end > self.rows:
            raise ValueError(f"rows {offset} to {end} are not in a table of {self.rows}")
        cos, sin = self.cos[offset:end], self.sin[offset:end]
        even, odd = x[..., 0::2], x[..., 1::2]
        rotated = np.empty_like(x)
        rotated[..., 0::2] = even * cos - odd * sin
        rotated[..., 1::2] = even * sin + odd * cos
        return rotated


def sinusoid_frequencies(width: int, base: float) -> np.ndarray:
    """Return the ladder through the exponential of a logarithm, in float32."""
    step = np.float32(-np.log(base) / width)
    frequencies: np.ndarray = np.exp(np.arange(0, width, 2, dtype=np.float32) * step)
    return frequencies


def sinusoid(positions: np.ndarray, width: int, base: float) -> np.ndarray:
    """Return rows of sines in the even columns and cosines in the odd ones, in float32."""
    angle = positions.astype(np.float32)[..., None] * sinusoid_frequencies(width, base)
    rows = np.empty((*positions.shape, width), np.float32)
    rows[..., 0::2], rows[..., 1::2] = np.sin(angle), np.cos(angle)
    return rows


layer = lru_cache(maxsize=16)(RotaryLayer)


def apply(
    x: Any,
    positions: Any,
    *,
    rotary_dim: int,
    rotary_start: int = 0,
    base: float,
    pairing: str,
    scaling: Any = None,
    seq_len: int | None = None,
) -> Any:
    """Run the program of the dtype of x."""
    if (pairing, rotary_start, scaling, seq_len) != ("adjacent", 0, None, None) or rotary_dim != x.shape[-1]:
        raise Unsupported("adjacent pairs over the whole width, and no scaling")
    if x.dtype == np.float32:
        return apply_rope(x, positions, base)
    rotary = layer(rotary_dim, base, ROWS)
    first = int(positions[0]) if positions.ndim == 1 and positions.size else 0
    if positions.ndim != 1 or not np.array_equal(positions, first + np.arange(len(positions))):
        raise Unsupported("one offset, from which the positions follow each other")
    if first < 0 or first + len(positions) > ROWS:
        raise Unsupported(f"the table has rows 0 to {ROWS - 1}")
    return rotary(x, first)


def apply_qk(q: Any, k: Any, positions: Any, **params: Any) -> Any:
    """Run the program on queries and on keys."""
    return apply(q, positions, **params), apply(k, positions, **params)


def rope_inv_freq(*, rotary_dim: int, base: float, dtype: str) -> Any:
    """Return the frequencies of the layer."""
    if dtype != "float64":
        raise Unsupported("the layer keeps its frequencies in float64")
    return layer(rotary_dim, base, ROWS).inv_freq


def sinusoidal_inv_freq(*, dim: int, base: float, denominator: str, dtype: str) -> Any:
    """Return the frequencies of the sinusoid."""
    if denominator != "dim" or dtype != "float32":
        raise Unsupported("exponents are divided by the width, in float32")
    return sinusoid_frequencies(dim, base)


def encode(
    positions: Any, *, dim: int, base: float, denominator: str, layout: str, odd: str, dtype: str
) -> Any:
    """Run the sinusoid."""
    if (denominator, layout, dtype) != ("dim", "interleaved", "float32"):
        raise Unsupported("interleaved columns, exponents divided by the width, in float32")
    if odd not in ({"error"} if dim % 2 else {"error", "zero_pad", "extra_sine"}):
        raise Unsupported("an odd width is an error")
    return sinusoid(positions, dim, base)


def load() -> Implementation:
    """Return the three programs as one implementation."""
    return Implementation(
        "founding",
        {
            "rope.inv_freq": rope_inv_freq,
            "rope.apply": apply,
            "rope.apply_qk": apply_qk,
            "sinusoidal.inv_freq": sinusoidal_inv_freq,
            "sinusoidal.encode": encode,
        },
        dtypes=("float64", "float32"),
        remarks={"rope.apply": "float32: apply_rope; float64: a layer with a table of 4096 rows"},
    )
