"""Hand-made oracles: rotations by Python complex numbers, tables by the math module."""

import cmath
import math


def rotate(row, position, base, pairing, width):
    """Rotate the first `width` coordinates of one row."""
    half, out = width // 2, list(row)
    for i in range(half):
        a, b = (2 * i, 2 * i + 1) if pairing == "adjacent" else (i, i + half)
        turned = complex(row[a], row[b]) * cmath.exp(1j * position * base ** (-2 * i / width))
        out[a], out[b] = turned.real, turned.imag
    return out


def sinusoid(position, width, denominator, layout, base=10000.0):
    """Return one row of even width."""
    half = width // 2
    step = 2 / width if denominator == "dim" else 1 / (half - 1)
    angles = [position * base ** (-i * step) for i in range(half)]
    sines, cosines = [math.sin(a) for a in angles], [math.cos(a) for a in angles]
    if layout == "interleaved":
        return [value for pair in zip(sines, cosines, strict=True) for value in pair]
    return sines + cosines if layout == "sin_cos" else cosines + sines


def slopes(heads):
    """Return the published slopes of any number of heads, for the exponent 8."""
    power = 1 << (heads.bit_length() - 1)
    first = [2.0 ** (-8 * k / power) for k in range(1, power + 1)]
    return first + [2.0 ** (-8 * (2 * j + 1) / (2 * power)) for j in range(heads - power)]
