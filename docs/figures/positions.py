"""Three calls of `positions.relative`: a square, one row, a rectangle with another origin."""

from pathlib import Path

import numpy as np

import posref
from figures._style import grid, save, stacked


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    calls = (
        ("self-attention: queries 0..5, keys 0..5", np.arange(6), np.arange(6)),
        ("one decoded token: query 6, keys 0..6", np.array([6]), np.arange(7)),
        ("cross-attention: queries 0..2, keys 10..15", np.arange(3), np.arange(10, 16)),
    )
    figure, axes = stacked(3.4, 1.3, 2.2)
    for place, (title, queries, keys) in zip(axes, calls, strict=True):
        grid(place, posref.positions.relative(queries, keys), "coolwarm", (-16, 16), text=True)
        place.set_title(title)
        place.set_xlabel("keys")
        place.set_ylabel("queries")
    save(figure, path)
