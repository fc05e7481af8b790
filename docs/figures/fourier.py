"""Drawn frequencies approach a Gaussian kernel."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREY, ORANGE, save, stacked


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, (place,) = stacked(3.2)
    distance = np.linspace(0.0, 1.5, 300)
    for count, color in ((16, ORANGE), (256, BLUE)):
        weights = np.random.default_rng(9).normal(size=(1, count))
        rows = posref.fourier.encode(distance[:, None], weights, two_pi=True, include_input=False)
        place.plot(distance, rows @ rows[0] / count, color=color, label=f"{count} frequencies")
    place.plot(distance, np.exp(-2 * np.pi**2 * distance**2), "--", color=GREY, label=r"$e^{-2\pi^2 r^2}$")
    place.set(xlabel="distance of two points", ylabel="dot product / F")
    place.legend()
    save(figure, path)
