"""sinusoidal, from spec/schemes/sinusoidal.md."""

from typing import Any

from posref.golden._nested import over, square


def inv_freq(real: Any, *, dim: int, base: Any, denominator: str) -> Any:
    """sinusoidal.C1: b^(-2i/dim), or b^(-i/(n-1)), for the n = dim/2 pairs, in radians per token."""
    return _ladder(real, dim // 2, dim, base, denominator)


def encode(real: Any, positions: Any, *, dim: int, base: Any, denominator: str, layout: str, odd: str) -> Any:
    """sinusoidal.C4: a row of sines and cosines a position; C5: what an odd width means.

    `positions` (..., T) in tokens, integers or exact numbers; the table is (..., T, dim).
    """
    padded = dim % 2 == 1 and odd == "zero_pad"
    width = dim - 1 if padded else dim
    frequencies = _ladder(real, (width + 1) // 2, width, base, denominator)

    def row(position: Any) -> list[Any]:
        angles = [position * w for w in frequencies]
        sines = [real.sin(angle) for angle in angles]
        cosines = [real.cos(angle) for angle in angles[: width // 2]]
        columns = dict(zip(_columns(width, layout), sines + cosines, strict=True))
        return [columns[column] for column in range(width)] + [real.exact(0)] * padded

    return over(lambda tokens: [row(position) for position in tokens], (positions, 1))


def shift_matrix(real: Any, *, offset: int, dim: int, base: Any, denominator: str, layout: str) -> Any:
    """sinusoidal.C6: the (dim, dim) matrix that takes the row of p to the row of p + offset."""
    n = dim // 2
    columns = _columns(dim, layout)
    entries: dict[tuple[int, int], Any] = {}
    for w, s, c in zip(_ladder(real, n, dim, base, denominator), columns[:n], columns[n:], strict=True):
        cos, sin = real.cos(offset * w), real.sin(offset * w)
        entries |= {(s, s): cos, (s, c): sin, (c, s): -sin, (c, c): cos}
    return square(dim, entries, real.exact(0))


def _ladder(real: Any, count: int, width: int, base: Any, denominator: str) -> list[Any]:
    """Return `count` frequencies (sinusoidal.C1, C5): the exponent is -2i/width or -i/(count - 1)."""
    step = real.exact(2, width) if denominator == "dim" else real.exact(1, count - 1)
    return [real.pow(base, -i * step) for i in range(count)]


def _columns(width: int, layout: str) -> list[int]:
    """Return the column of each sine, then of each cosine (sinusoidal.C4, C5: one sine more if odd)."""
    cosines = width // 2
    sines = width - cosines
    if layout == "interleaved":
        return [2 * i for i in range(sines)] + [2 * i + 1 for i in range(cosines)]
    if layout == "sin_cos":
        return list(range(width))
    return [cosines + i for i in range(sines)] + list(range(cosines))
