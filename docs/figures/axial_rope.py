"""Two ladders for two axes, and which of them a transposed image can tell."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, ORANGE, grid, panels, save

WIDTH, BASE, HALF = 32, 100.0, 6
RULES = ("reset", "shared_even_odd")


def ladder(rule: str) -> np.ndarray:
    """Return the frequencies of both axes: the angles at position 1, read off the table."""
    table = posref.axial_rope.cos_sin(
        np.array([[1.0, 1.0]]), axis_dims=[WIDTH // 2, WIDTH // 2], base=BASE, frequencies=rule
    )
    return np.arctan2(table.sin, table.cos)[0]


def scores(rule: str) -> np.ndarray:
    """Return scores of ones against ones, by offset of rows and columns."""
    steps = np.arange(-HALF, HALF + 1)
    places = np.stack(np.meshgrid(steps, steps, indexing="ij"), axis=-1).reshape(-1, 2)
    table = posref.axial_rope.cos_sin(places, axis_dims=[WIDTH // 2, WIDTH // 2], base=BASE, frequencies=rule)
    return table.cos.sum(axis=1).reshape(len(steps), -1)


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = panels("AA;BC", 4.8, (2.0, 2.8))
    ladders = axes["A"]
    for row, rule in enumerate(RULES):
        found = ladder(rule)
        channels = len(found) // 2
        ladders.semilogx(found[:channels], [row + 0.08] * channels, "o", color=BLUE, fillstyle="none")
        ladders.semilogx(found[channels:], [row - 0.08] * channels, "x", color=ORANGE)
    ladders.set(title="frequencies", xlabel="radians a step (o axis 0, x axis 1)", ylim=(-0.6, 1.6))
    ladders.set_yticks((0, 1), ("reset", "shared"))
    for place, rule in zip((axes["B"], axes["C"]), RULES, strict=True):
        grid(place, scores(rule), "cividis")
        place.set_title(rule)
        place.set_xlabel("column offset")
    save(figure, path)
