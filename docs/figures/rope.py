"""Pairs that turn at their own speeds, and a score that knows the offset only."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREEN, GREY, ORANGE, save, stacked

PARAMETERS = {"rotary_dim": 64, "base": 10000.0, "pairing": "half"}


def scores(q: np.ndarray, k: np.ndarray, origin: int, offsets: np.ndarray) -> np.ndarray:
    """Return the scores of one query at `origin` and one key at ``origin + offsets``."""
    keys = np.repeat(k, len(offsets), axis=0)
    return posref.rope.score(q, keys, np.array([origin]), origin + offsets, **PARAMETERS)[0]


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = stacked(3.6, 2.9)
    upper, lower = axes
    start = np.array([[1.0, 0.0, 0.72, 0.0, 0.44, 0.0]])
    turned = np.concatenate(
        [
            posref.rope.apply(start, np.array([t]), rotary_dim=6, base=200.0, pairing="adjacent")
            for t in range(7)
        ]
    )
    for pair, color in enumerate((BLUE, ORANGE, GREEN)):
        x, y = turned[:, 2 * pair], turned[:, 2 * pair + 1]
        upper.plot(x, y, color=color, linewidth=0.8, alpha=0.6)
        upper.plot(x, y, "o", markersize=4, color=color, label=f"pair {pair}")
        upper.plot([0, x[0]], [0, y[0]], color=color, linewidth=1.6)
    upper.axhline(0, color=GREY, linewidth=0.4)
    upper.axvline(0, color=GREY, linewidth=0.4)
    upper.set(title="one vector at positions 0 to 6", aspect="equal", xlim=(-1.15, 1.15), ylim=(-1.15, 1.15))
    upper.legend(loc=(0.14, 0.4))
    rng = np.random.default_rng(2)
    q = rng.normal(size=(1, 64))
    k = q + 0.3 * rng.normal(size=(1, 64))
    line, dots = np.arange(0, 257), np.arange(0, 257, 8)
    lower.plot(line, scores(q, k, 0, line), color=BLUE, linewidth=1.1, label="query at 0")
    lower.plot(dots, scores(q, k, 1000, dots), "o", color=ORANGE, markersize=3.6, label="query at 1000")
    lower.set(
        title="score of one query and one key", xlabel="key position minus query position", ylabel="score"
    )
    lower.legend()
    save(figure, path)
