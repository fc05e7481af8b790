"""Steps of a schedule, and times from 0 to 1 that lack their factor."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREEN, ORANGE, RED, save, stacked

COLORS = (BLUE, ORANGE, GREEN, RED)


def sines(times: np.ndarray) -> np.ndarray:
    """Return the four sines of width 8."""
    named = {"dim": 8, "max_period": 10000.0, "freq_shift": 0.0, "flip_sin_to_cos": False, "scale": 1.0}
    return posref.timestep.encode(times, odd="error", **named)[:, :4]


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = stacked(2.5, 2.5)
    for place, last, title in (
        (axes[0], 50.0, "steps 0 to 50"),
        (axes[1], 1.0, "times 0 to 1, no factor"),
    ):
        times = np.linspace(0.0, last, 1200)
        for pair, color in enumerate(COLORS):
            place.plot(times, sines(times)[:, pair], color=color, linewidth=0.9, label=f"pair {pair}")
        place.set(title=title, xlabel="t", ylim=(-1.1, 1.1))
    axes[1].legend(loc="lower left", ncols=2)
    axes[0].set_ylabel("sine")
    axes[1].set_ylabel("sine")
    save(figure, path)
