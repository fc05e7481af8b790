"""Rows of a window's table, and coordinates that travel to a wider window."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, ORANGE, grid, save, stacked


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = stacked(3.0, 2.7)
    upper, lower = axes
    grid(upper, posref.swin.index(window=[2, 3]), "coolwarm", (-4, 18), text=True)
    upper.set(title="window 2 by 3", xlabel="keys", ylabel="queries")
    wide = posref.swin.log_coords(window=[16, 16], pretrained_window=[8, 8])[0, :, 1]
    own = posref.swin.log_coords(window=[8, 8], pretrained_window=None)[0, :, 1]
    lower.plot(np.arange(-15, 16), wide, color=ORANGE, label="16, pretrained at 8")
    lower.plot(np.arange(-7, 8), own, "o", color=BLUE, markersize=4, label="8")
    lower.set(title="coordinate", xlabel="offset in patches")
    lower.legend()
    save(figure, path)
