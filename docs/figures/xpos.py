"""The factor over distance, and a score under it."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREEN, GREY, ORANGE, RED, canvas, save

WIDTH = 64
DECAY = {"gamma": 0.4, "scale_base": 512.0, "center": 0.0}


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = canvas(2)
    left, right = axes[0]
    distance = np.arange(-500, 2001, 10)
    scale = posref.xpos.scale(distance, rotary_dim=WIDTH, **DECAY)
    for pair, color in ((0, BLUE), (8, ORANGE), (16, GREEN), (31, RED)):
        left.semilogy(distance, scale[:, pair], color=color, label=f"pair {pair}")
    left.axvline(0, color=GREY, linewidth=0.6)
    left.set(title="factor of a score", xlabel="query position minus key position")
    left.legend(fontsize=9)
    past = np.arange(0, 1001)
    q = np.repeat(np.random.default_rng(3).normal(size=(1, WIDTH)), len(past), axis=0)
    same = {"rotary_dim": WIDTH, "base": 10000.0, "pairing": "adjacent"}
    turned = posref.rope.apply(q, past, **same) @ q[0]
    faded = posref.xpos.apply(q, past, role="query", **same, **DECAY) @ q[0]
    right.plot(past, turned, color=GREY, linewidth=0.8, label="RoPE")
    right.plot(past, faded, color=BLUE, linewidth=1.0, label="xPos")
    right.set(title="one query, one key", xlabel="distance in tokens", ylabel="score")
    right.legend(fontsize=9)
    save(figure, path)
