"""Rows of a window's table, and coordinates that travel to a wider window."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, ORANGE, canvas, grid, save


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = canvas(2, height=3.6)
    left, right = axes[0]
    grid(left, posref.swin.index(window=[2, 3]), "coolwarm", (-4, 18), text=True)
    left.set(title="window 2 by 3", xlabel="keys", ylabel="queries")
    wide = posref.swin.log_coords(window=[16, 16], pretrained_window=[8, 8])[0, :, 1]
    own = posref.swin.log_coords(window=[8, 8], pretrained_window=None)[0, :, 1]
    right.plot(np.arange(-15, 16), wide, color=ORANGE, label="16, pretrained at 8")
    right.plot(np.arange(-7, 8), own, "o", color=BLUE, markersize=4, label="8")
    right.set(title="coordinate", xlabel="offset in patches")
    right.legend(fontsize=9)
    save(figure, path)
