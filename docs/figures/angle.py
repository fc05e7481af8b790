"""How far a float32 angle is off, position by position."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREY, ORANGE, save, stacked

WIDTH, BASE, WORST = 128, 10000.0, 1.0


def errors(positions: np.ndarray, dtype: type) -> np.ndarray:
    """Return the largest angle error over the pairs when position times frequency is formed in `dtype`."""
    exact = posref.rope.inv_freq(rotary_dim=WIDTH, base=BASE, dtype="float64")
    table = exact.astype(np.float32).astype(dtype)
    angle = positions.astype(dtype)[:, None] * table
    return np.max(np.abs(angle.astype(np.float64) - positions[:, None] * exact), axis=1)


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    positions = np.unique(np.round(np.logspace(0, 7, 400)).astype(np.int64))
    figure, (place,) = stacked(3.3)
    place.loglog(positions, errors(positions, np.float32), color=BLUE, label="float32 product")
    place.loglog(
        positions,
        np.maximum(errors(positions, np.float64), 1e-12),
        color=ORANGE,
        label="float32 table, float64 product",
    )
    place.axhline(WORST, color=GREY, linewidth=0.8, linestyle="--")
    place.text(1.2, WORST * 1.25, "one radian")
    place.set(xlabel="position", ylabel="largest angle error, radians", ylim=(1e-9, 20))
    place.legend(loc="lower right")
    save(figure, path)
