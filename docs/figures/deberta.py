"""Buckets with and without the clamp, and an index next to its mirror image."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, ORANGE, grid, panels, save

RELEASED = {"position_buckets": 256, "max_relative_positions": 512}
SMALL = {"position_buckets": 8, "max_relative_positions": 16, "clamp_first": True}


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = panels("AA;BC", 5.4, (2.6, 2.8))
    curve, shipped, mirrored = axes["A"], axes["B"], axes["C"]
    far = np.arange(-900, 901)
    for clamp, color, style, label in ((False, ORANGE, "--", "as it is"), (True, BLUE, "-", "clamped first")):
        curve.plot(
            far, posref.deberta.bucket(far, **RELEASED, clamp_first=clamp), style, color=color, label=label
        )
    curve.set(
        xlabel="query minus key", ylabel="bucket", xticks=(-512, 0, 512), yticks=(-256, -128, 0, 128, 256)
    )
    curve.legend()
    t = np.arange(6)
    bucket = posref.deberta.bucket(-posref.positions.relative(t, t), **SMALL)
    span = SMALL["position_buckets"]
    for place, values, title in (
        (shipped, bucket + span, "index, as shipped"),
        (mirrored, span - bucket, "mirrored"),
    ):
        grid(place, values, "coolwarm", (0, 2 * span), text=True)
        place.set(title=title, xlabel="keys")
    save(figure, path)
