"""Buckets over distance: straight stairs on a logarithmic axis."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREY, ORANGE, save, stacked

FARTHEST = 128


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, (place,) = stacked(3.3)
    distance = np.arange(1, 300)
    for both, color, label in ((True, BLUE, "encoder, 16 a side"), (False, ORANGE, "decoder, 32")):
        bucket = posref.t5.bucket(-distance, num_buckets=32, max_distance=FARTHEST, bidirectional=both)
        place.semilogx(distance, bucket, color=color, drawstyle="steps-post", label=label)
    place.axvline(FARTHEST, color=GREY, linewidth=0.9, linestyle="--")
    place.set(xlabel="distance into the past", ylabel="bucket", xticks=(1, 8, 16, 32, 64, 128, 256))
    place.set_xticklabels(("1", "8", "16", "32", "64", "128", "256"))
    place.legend()
    save(figure, path)
