"""What each kind of encoding hands to the model beyond the trained length: seen values, new ones, none."""

import math
from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREY, NARROW, ORANGE, RED, canvas, save

TRAINED, ASKED = 64, 256
DISTANCES = np.arange(ASKED)
WIDTH, BASE = 16, 10000.0


def split(place, values: np.ndarray, seen: np.ndarray, color: str) -> None:
    """Draw the values: blue where the model has seen them in training, `color` where not."""
    place.plot(DISTANCES[seen], values[seen], ".", color=BLUE, markersize=3)
    place.plot(DISTANCES[~seen], values[~seen], ".", color=color, markersize=3)


def angle(place, pair: int) -> None:
    """Draw the angle of one pair, in turns."""
    step = float(posref.rope.inv_freq(rotary_dim=WIDTH, base=BASE)[pair]) / (2 * math.pi)
    whole = step * TRAINED >= 1
    place.set(title=f"RoPE, pair {pair}: angle", ylabel="turns", ylim=(-0.05, 1.05))
    split(place, DISTANCES * step % 1.0, np.full(ASKED, whole) | (DISTANCES < TRAINED), RED)


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = canvas(2, width=NARROW, height=6.6, rows=3)
    inside = DISTANCES < TRAINED
    table, bucket, fast, slow, line, count = axes.flat
    table.plot(DISTANCES[inside], DISTANCES[inside], ".", color=BLUE, markersize=3)
    table.text(160, 32, "no row: refused", color=RED, ha="center")
    table.set(title="learned table: row", ylabel="row", ylim=(-4, 70))
    buckets = posref.t5.bucket(-DISTANCES, num_buckets=32, max_distance=64, bidirectional=False)
    split(bucket, buckets, np.isin(buckets, buckets[inside]), RED)
    bucket.set(title="T5: bucket", ylabel="bucket")
    angle(fast, 1)
    angle(slow, 5)
    bias = posref.alibi.bias(
        np.array([ASKED]), ASKED - DISTANCES, np.array([1 / 16]), form="neg_distance", future="keep"
    )
    split(line, bias[0, 0], inside, ORANGE)
    line.set(title="ALiBi, slope 1/16: bias", ylabel="bias")
    split(count, 1 / (1 + DISTANCES), inside, RED)
    count.set(title="no encoding: first weight", ylabel="weight", yscale="log")
    for place in axes.flat:
        place.axvspan(0, TRAINED, color=GREY, alpha=0.15, linewidth=0)
        place.set_xticks([0, TRAINED, 2 * TRAINED, ASKED])
    for place in axes[2]:
        place.set_xlabel("tokens")
    save(figure, path)
