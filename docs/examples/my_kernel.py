"""A rotary embedding in float32, as one might write it on a Tuesday."""

import numpy as np


def apply(x, positions, *, rotary_dim, rotary_start, base, pairing, scaling, seq_len):
    exponent = np.arange(0, rotary_dim, 2, dtype=np.float32) / np.float32(rotary_dim)
    angle = positions.astype(np.float32)[..., None] / np.float32(base) ** exponent
    cos, sin = np.cos(angle), np.sin(angle)

    y = x.copy()
    turned = x[..., rotary_start : rotary_start + rotary_dim]
    first, second = turned[..., 0::2], turned[..., 1::2]
    out = y[..., rotary_start : rotary_start + rotary_dim]
    out[..., 0::2] = first * cos - second * sin
    out[..., 1::2] = first * sin + second * cos
    return y


operations = {"rope.apply": apply}
