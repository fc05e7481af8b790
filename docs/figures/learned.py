"""What an output row of a resized table reads under two corner rules."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREY, ORANGE, save, stacked

ROWS, LENGTH = 6, 15


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = stacked(2.6, 2.6)
    upper, lower = axes
    index = np.arange(ROWS, dtype=np.float64)[:, None]
    column = np.random.default_rng(6).normal(size=(ROWS, 1))
    out = np.arange(LENGTH)
    for corners, color, label in ((True, BLUE, "corners kept"), (False, ORANGE, "centers")):
        read = posref.learned.resize(index, length=LENGTH, align_corners=corners)[:, 0]
        upper.plot(out, read, ".-", color=color, label=label)
        lower.plot(
            out, posref.learned.resize(column, length=LENGTH, align_corners=corners)[:, 0], ".-", color=color
        )
    lower.plot(
        np.linspace(0, LENGTH - 1, ROWS), column[:, 0], "o", color=GREY, fillstyle="none", markersize=9
    )
    upper.set(title=f"{ROWS} rows to {LENGTH}", xlabel="row of the result", ylabel="row of the table")
    upper.legend()
    lower.set(title="one column (circles: the table)", xlabel="row of the result")
    save(figure, path)
