"""The shift trick: what it moves into place, and what it leaves behind."""

from pathlib import Path

import numpy as np

import posref
from figures._style import grid, save, stacked

QUERIES, MEMORY = 3, 2


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    keys = QUERIES + MEMORY
    before = np.tile(np.arange(keys)[::-1], (QUERIES, 1))
    padded = np.concatenate([np.zeros((QUERIES, 1), dtype=int), before], axis=1)
    after = padded.reshape(keys + 1, QUERIES)[1:].reshape(QUERIES, keys)
    wanted = -posref.positions.relative(MEMORY + np.arange(QUERIES), np.arange(keys))
    figure, axes = stacked(1.75, 1.75, 1.75)
    for place, values, title in zip(
        axes, (before, after, wanted), ("rows as computed", "after the shift", "wanted"), strict=True
    ):
        grid(place, values, "coolwarm", (-6, 6), text=True)
        place.set(title=title, xlabel="keys", ylabel="queries")
        for row, column in zip(*np.nonzero((values != wanted) & (title == "after the shift")), strict=True):
            place.plot(column, row, "x", color="#1c1c1c", markersize=17, markeredgewidth=1.2)
    save(figure, path)
