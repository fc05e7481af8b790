"""Dot products over a grid of patches, and how exchanged axes show or hide."""

from pathlib import Path

import numpy as np

import posref
from figures._style import grid, save, stacked

HEIGHT, WIDTH, ROW, COLUMN = 10, 16, 3, 5


def rows(y: np.ndarray, x: np.ndarray, order: str) -> np.ndarray:
    """Return the encodings of patches in one order of axes."""
    return posref.sincos2d.encode(
        y, x, dim=64, base=10000.0, denominator="dim", axis_order=order, layout="axis_major"
    )


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    y, x = (axis.ravel() for axis in np.indices((HEIGHT, WIDTH)))
    at = ROW * WIDTH + COLUMN
    right, turned = rows(y, x, "x_first"), rows(y, x, "y_first")
    maps = (
        ("as specified", right @ right[at]),
        ("axes exchanged in the query", right @ turned[at]),
        ("axes exchanged everywhere", turned @ turned[at]),
    )
    figure, axes = stacked(1.9, 1.9, 1.9)
    for place, (title, values) in zip(axes, maps, strict=True):
        grid(place, values.reshape(HEIGHT, WIDTH), "cividis", (18, 32))
        place.plot(COLUMN, ROW, "o", color="#1c1c1c", fillstyle="none", markersize=11)
        place.set_title(title)
        place.set_xlabel("column")
        place.set_ylabel("row")
    save(figure, path)
