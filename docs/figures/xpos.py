"""The factor over distance, and a score under it."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREEN, GREY, ORANGE, RED, save, stacked

WIDTH = 64
DECAY = {"gamma": 0.4, "scale_base": 512.0, "center": 0.0}


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = stacked(2.8, 2.8)
    upper, lower = axes
    distance = np.arange(-500, 2001, 10)
    scale = posref.xpos.scale(distance, rotary_dim=WIDTH, **DECAY)
    for pair, color in ((0, BLUE), (8, ORANGE), (16, GREEN), (31, RED)):
        upper.semilogy(distance, scale[:, pair], color=color, label=f"pair {pair}")
    upper.axvline(0, color=GREY, linewidth=0.6)
    upper.set(title="factor of a score", xlabel="query position minus key position")
    upper.legend()
    past = np.arange(0, 1001)
    q = np.repeat(np.random.default_rng(3).normal(size=(1, WIDTH)), len(past), axis=0)
    same = {"rotary_dim": WIDTH, "base": 10000.0, "pairing": "adjacent"}
    turned = posref.rope.apply(q, past, **same) @ q[0]
    faded = posref.xpos.apply(q, past, role="query", **same, **DECAY) @ q[0]
    lower.plot(past, turned, color=GREY, linewidth=0.8, label="RoPE")
    lower.plot(past, faded, color=BLUE, linewidth=1.0, label="xPos")
    size = posref.xpos.scale(past, rotary_dim=WIDTH, **DECAY) @ (q[0, 0::2] ** 2 + q[0, 1::2] ** 2)
    for sign in (1, -1):
        lower.plot(past, sign * size, "--", color=ORANGE, linewidth=0.9, label="bound" if sign == 1 else None)
    lower.set(title="one query, one key", xlabel="distance in tokens", ylabel="score")
    lower.set_ylim(-100, 80)
    lower.legend(loc="lower center", ncols=3)
    save(figure, path)
