"""The table as stripes, and which of its waves fit into a training length."""

import math
from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREY, ORANGE, save, stacked

TRAINED = 2048


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    table = posref.sinusoidal.encode(
        np.arange(96), dim=64, base=10000.0, denominator="dim", layout="interleaved", odd="error"
    )
    waves = 2 * math.pi / posref.sinusoidal.inv_freq(dim=128, base=10000.0, denominator="dim")
    figure, axes = stacked(2.7, 2.9)
    upper, lower = axes
    upper.imshow(table, cmap="RdBu", vmin=-1.3, vmax=1.3, aspect="auto", interpolation="nearest")
    upper.set(title="rows of the table, width 64", xlabel="column", ylabel="position")
    pairs = np.arange(len(waves))
    whole = waves <= TRAINED
    lower.semilogy(pairs[whole], waves[whole], ".", color=BLUE, label="whole cycles seen")
    lower.semilogy(pairs[~whole], waves[~whole], ".", color=ORANGE, label="part of a cycle seen")
    lower.axhline(TRAINED, color=GREY, linewidth=0.9, linestyle="--")
    lower.text(1, TRAINED * 1.25, "training length 2048")
    lower.set(title="wavelengths, width 128", xlabel="pair index", ylabel="tokens a cycle")
    lower.legend(loc="lower right")
    save(figure, path)
