"""Nanoseconds an element over the number of elements, and over the size of positions."""

import json
from itertools import groupby
from pathlib import Path

from figures._style import BLUE, GREEN, GREY, ORANGE, save, stacked

FILE = Path(__file__).parent.parent / "performance.json"


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    points = json.loads(FILE.read_text("ascii"))["curves"]["values"]
    figure, (upper, lower) = stacked(3.6, 3.0)
    by_size = [point for point in points if not point["position"]]
    for color, (work, own) in zip(
        (BLUE, ORANGE, GREEN), groupby(by_size, key=lambda point: point["work"]), strict=True
    ):
        line = list(own)
        sizes = [point["elements"] for point in line]
        upper.loglog(sizes, [point["ns"] for point in line], ".-", color=color, label=work)
        upper.loglog(sizes, [point["copy_ns"] for point in line], ":", color=color, linewidth=1)
    upper.plot([], [], ":", color=GREY, label="a copy of the result")
    upper.set(title="cost over size", xlabel="elements", ylabel="ns an element")
    upper.legend()
    by_position = [point for point in points if point["position"]]
    for color, (work, own) in zip(
        (BLUE, ORANGE), groupby(by_position, key=lambda point: point["work"]), strict=True
    ):
        line = list(own)
        lower.semilogx(
            [point["position"] for point in line], [point["ns"] for point in line], ".-", base=2,
            color=color, label=work,
        )  # fmt: skip
    lower.set(title="cost over the size of positions", xlabel="positions below", ylabel="ns an entry")
    lower.set_ylim(bottom=0)
    lower.legend(loc="lower right")
    save(figure, path)
