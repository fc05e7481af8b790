"""sincos2d, from spec/schemes/sincos2d.md."""

from typing import Any

from posref.golden import sinusoidal


def encode(
    real: Any,
    rows: Any,
    cols: Any,
    *,
    dim: int,
    base: Any,
    denominator: str,
    axis_order: str,
    layout: str,
) -> Any:
    """sincos2d.C2: for each token (T) sines and cosines of column x and row y over one ladder (C1)."""
    frequencies = sinusoidal.inv_freq(real, dim=dim // 2, base=base, denominator=denominator)

    def row(y: int, x: int) -> list[Any]:
        first, second = (x, y) if axis_order == "x_first" else (y, x)
        blocks = [
            [function(place * w) for w in frequencies]
            for place in (first, second)
            for function in (real.sin, real.cos)
        ]
        order = (0, 1, 2, 3) if layout == "axis_major" else (0, 2, 1, 3)
        return [entry for block in order for entry in blocks[block]]

    return [row(y, x) for y, x in zip(rows, cols, strict=True)]
