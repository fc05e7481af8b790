"""Weights of shuffled tokens are shuffled weights, until a causal mask stands in between."""

from pathlib import Path

import numpy as np

import posref
from figures._style import NARROW, canvas, grid, save

TOKENS, WIDTH = 5, 4


def weights(x: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """Return the attention weights: the output for one-hot values."""
    return posref.attention.output(x, x, np.eye(TOKENS), None, mask, scale=0.5)


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    x = np.random.default_rng(11).normal(size=(TOKENS, WIDTH))
    order = np.array([2, 0, 4, 3, 1])
    t = np.arange(TOKENS)
    causal = posref.attention.causal_mask(t, t)
    figure, axes = canvas(3, width=NARROW, height=4.3, rows=2)
    for row, (name, mask) in enumerate((("no mask", None), ("causal mask", causal))):
        plain = weights(x, mask)
        maps = (
            (f"{name}:\nweights $A$ of $X$", plain),
            ("\nweights of $PX$", weights(x[order], mask)),
            ("\n$PAP^{\\top}$", plain[np.ix_(order, order)]),
        )
        for column, (title, values) in enumerate(maps):
            grid(axes[row, column], values, "cividis", (0, 1))
            axes[row, column].set_title(title)
    save(figure, path)
