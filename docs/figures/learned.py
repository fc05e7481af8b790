"""What an output row of a resized table reads under two corner rules."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREY, ORANGE, canvas, save

ROWS, LENGTH = 6, 15


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = canvas(2)
    left, right = axes[0]
    index = np.arange(ROWS, dtype=np.float64)[:, None]
    column = np.random.default_rng(6).normal(size=(ROWS, 1))
    out = np.arange(LENGTH)
    for corners, color, label in ((True, BLUE, "corners kept"), (False, ORANGE, "centers")):
        read = posref.learned.resize(index, length=LENGTH, align_corners=corners)[:, 0]
        left.plot(out, read, ".-", color=color, label=label)
        right.plot(
            out, posref.learned.resize(column, length=LENGTH, align_corners=corners)[:, 0], ".-", color=color
        )
    right.plot(
        np.linspace(0, LENGTH - 1, ROWS), column[:, 0], "o", color=GREY, fillstyle="none", markersize=9
    )
    left.set(title=f"{ROWS} rows to {LENGTH}", xlabel="row of the result", ylabel="row of the table")
    left.legend(fontsize=9)
    right.set(title="one column (circles: the table)", xlabel="row of the result")
    save(figure, path)
