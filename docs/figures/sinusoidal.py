"""The table as stripes, and which of its waves fit into a training length."""

import math
from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREY, ORANGE, canvas, save

TRAINED = 2048


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    table = posref.sinusoidal.encode(
        np.arange(96), dim=64, base=10000.0, denominator="dim", layout="interleaved", odd="error"
    )
    waves = 2 * math.pi / posref.sinusoidal.inv_freq(dim=128, base=10000.0, denominator="dim")
    figure, axes = canvas(2, height=3.4)
    left, right = axes[0]
    left.imshow(table, cmap="RdBu", vmin=-1.3, vmax=1.3, aspect="auto", interpolation="nearest")
    left.set(title="rows of the table, width 64", xlabel="column", ylabel="position")
    pairs = np.arange(len(waves))
    whole = waves <= TRAINED
    right.semilogy(pairs[whole], waves[whole], ".", color=BLUE, label="whole cycles seen")
    right.semilogy(pairs[~whole], waves[~whole], ".", color=ORANGE, label="part of a cycle seen")
    right.axhline(TRAINED, color=GREY, linewidth=0.9, linestyle="--")
    right.text(1, TRAINED * 1.25, "training length 2048", fontsize=9)
    right.set(title="wavelengths, width 128", xlabel="pair index", ylabel="tokens a cycle")
    right.legend(loc="lower right", fontsize=9)
    save(figure, path)
