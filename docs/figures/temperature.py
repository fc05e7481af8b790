"""The factor as a staircase, and the share of a leading key with and without it."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREY, save, stacked

LEAD = 10.0


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = stacked(2.5, 2.7)
    upper, lower = axes
    positions = np.arange(0, 131072, 256)
    factor = posref.temperature.scale(positions, beta=0.1, floor_scale=8192, plus_one=True)
    upper.plot(positions, factor, color=BLUE, drawstyle="steps-post")
    upper.set(title="factor", xlabel="position", xticks=range(0, 131073, 32768))
    keys = np.logspace(2, 6.5, 200)
    last = posref.temperature.scale(keys.astype(np.int64), beta=0.1, floor_scale=8192, plus_one=True)
    for lead, color, label in ((LEAD, GREY, "without"), (LEAD * last, BLUE, "with")):
        lower.semilogx(keys, 1 / (1 + (keys - 1) * np.exp(-lead)), color=color, label=label)
    lower.set(title=f"weight of a key that leads by {LEAD:g}", xlabel="keys")
    lower.legend()
    save(figure, path)
