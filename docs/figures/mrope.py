"""Which axis a channel reads, and the three positions of words and an image."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREEN, ORANGE, grid, save, stacked

MAPS = (("chunked", (6, 5, 5)), ("interleaved", (6, 5, 5)), ("hw_then_t", (6, 5, 5)))


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, (upper, lower) = stacked(1.6, 2.8)
    axis = [
        posref.mrope.axis_of_channel(mrope_section=list(section), arrangement=name) for name, section in MAPS
    ]
    grid(upper, np.array(axis), "Set2", (0, 7))
    for row, line in enumerate(axis):
        for column, value in enumerate(line):
            upper.text(column, row, "thw"[value], ha="center", va="center", color="#1c1c1c")
    upper.set_yticks(range(len(MAPS)), [name for name, _ in MAPS])
    upper.set_xlabel("channel")
    types = np.array([0, 0, 0, *[1] * 6, 0, 0, 0])
    ids = posref.mrope.position_ids(
        types,
        np.array([[1, 4, 6]]),
        np.zeros((0, 2), dtype=np.int64),
        spatial_merge_size=2,
        advance="max_hw",
    ).position_ids
    for name, line, color, marker in zip("thw", ids, (BLUE, ORANGE, GREEN), "os^", strict=True):
        lower.plot(line, marker, color=color, label=name, fillstyle="none", markersize=8)
    lower.axvspan(2.5, 8.5, alpha=0.12, color=BLUE, linewidth=0)
    lower.set(xlabel="token (shaded: the image)", ylabel="position id")
    lower.legend()
    save(figure, path)
