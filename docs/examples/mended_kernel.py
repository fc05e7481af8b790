"""The same kernel with its base heeded, and with a guard that refuses what has no answer."""

import numpy as np

from posref.adapters import Unsupported

PAIRS = {
    "adjacent": lambda half: (2 * np.arange(half), 2 * np.arange(half) + 1),
    "half": lambda half: (np.arange(half), np.arange(half) + half),
}


def guard(x, positions, *, rotary_dim, rotary_start, base, pairing, scaling, seq_len):
    if scaling is not None:
        raise Unsupported("plain frequencies only")
    length = 1 if seq_len is None else seq_len
    if any(type(number) is not int for number in (rotary_dim, rotary_start, length)):
        raise TypeError("rotary_dim, rotary_start and seq_len are integers")
    if rotary_dim < 2 or rotary_dim % 2 or rotary_start < 0 or length < 1:
        raise ValueError("rotary_dim is even and >= 2, rotary_start >= 0, seq_len >= 1")
    if not 1 < base < np.inf or pairing not in PAIRS:
        raise ValueError("base is finite and > 1, pairing is adjacent or half")
    if x.dtype.kind != "f" or x.ndim < 2 or x.shape[-1] < rotary_start + rotary_dim:
        raise ValueError("x is a float array (..., T, D) with D wide enough")
    if positions.dtype.kind not in "if" or positions.shape[-1:] != x.shape[-2:-1]:
        raise ValueError("positions are numbers, one a token")
    if np.broadcast_shapes(positions.shape, x.shape[:-1]) != x.shape[:-1]:
        raise ValueError("positions must not enlarge x")
    if not np.isfinite(x).all() or not (np.abs(positions) <= 2**53).all():
        raise ValueError("a value is not finite, or a position is out of range")


def apply(x, positions, **params):
    guard(x, positions, **params)
    return rotated(x, positions, **params)


def rotated(x, positions, *, rotary_dim, rotary_start, base, pairing, **unused):
    exponent = np.arange(0, rotary_dim, 2, dtype=np.float32) / np.float32(rotary_dim)
    angle = positions.astype(np.float32)[..., None] / np.float32(base) ** exponent
    cos, sin = np.cos(angle), np.sin(angle)

    y = x.copy()
    first, second = (rotary_start + place for place in PAIRS[pairing](rotary_dim // 2))
    y[..., first] = x[..., first] * cos - x[..., second] * sin
    y[..., second] = x[..., first] * sin + x[..., second] * cos
    return y


operations = {"rope.apply": apply}
