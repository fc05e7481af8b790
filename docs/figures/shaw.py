"""Rows of a clipped table."""

from pathlib import Path

import numpy as np

import posref
from figures._style import NARROW, canvas, grid, save


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    t = np.arange(9)
    figure, axes = canvas(2, width=NARROW, height=3.0)
    for place, (back, ahead) in zip(axes[0], ((2, 2), (5, 1)), strict=True):
        grid(place, posref.shaw.index(t, t, clip_left=back, clip_right=ahead), "Pastel1", text=True)
        place.set(title=f"{back} back, {ahead} ahead", xlabel="keys", ylabel="queries")
    save(figure, path)
