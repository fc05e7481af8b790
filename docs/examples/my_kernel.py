"""A rotary embedding in float32, as one might write it on a Tuesday."""

import numpy as np

from posref.adapters import Unsupported

PAIRS = {
    "adjacent": lambda half: (2 * np.arange(half), 2 * np.arange(half) + 1),
    "half": lambda half: (np.arange(half), np.arange(half) + half),
}


def apply(x, positions, *, rotary_dim, rotary_start, base, pairing, scaling, seq_len):
    if scaling is not None:
        raise Unsupported("plain frequencies only")
    exponent = np.arange(0, rotary_dim, 2, dtype=np.float32) / np.float32(rotary_dim)
    angle = positions.astype(np.float32)[..., None] / np.float32(10000) ** exponent
    cos, sin = np.cos(angle), np.sin(angle)

    y = x.copy()
    first, second = (rotary_start + place for place in PAIRS[pairing](rotary_dim // 2))
    y[..., first] = x[..., first] * cos - x[..., second] * sin
    y[..., second] = x[..., first] * sin + x[..., second] * cos
    return y


operations = {"rope.apply": apply}
