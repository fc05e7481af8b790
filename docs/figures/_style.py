"""One look for every figure: no background, grey axes, colors that read on white and on black."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

BLUE, ORANGE, GREEN, RED, GREY = "#3d85c0", "#d9822b", "#3f9c6d", "#c8504f", "#6c7176"

ON_DARK = "#a3a8ad"
"""What the grey of text and axes becomes where the page is dark."""

DARK = (
    "@media (prefers-color-scheme: dark) {"
    + "".join(f'[style*="{name}: {GREY}"] {{ {name}: {ON_DARK} !important; }}' for name in ("fill", "stroke"))
    + "}"
)

NARROW = 5.4
"""Inches: at this width the text of 10 points keeps 9 pixels on a phone of 390."""

RC = {
    "svg.hashsalt": "posref",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.edgecolor": GREY,
    "axes.labelcolor": GREY,
    "axes.titlecolor": GREY,
    "axes.titlesize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "text.color": GREY,
    "legend.frameon": False,
    "legend.labelcolor": GREY,
    "savefig.transparent": True,
    "figure.constrained_layout.h_pad": 0.09,
}
matplotlib.rcParams.update(RC)


def canvas(columns: int, width: float = 8.4, height: float = 3.3, rows: int = 1):
    """Return a figure and its axes."""
    return plt.subplots(rows, columns, figsize=(width, height), layout="constrained", squeeze=False)


def stacked(*heights: float):
    """Return a figure as narrow as a phone needs, and its axes from top to bottom, of these heights."""
    figure, axes = plt.subplots(
        len(heights),
        figsize=(NARROW, sum(heights)),
        height_ratios=heights,
        layout="constrained",
        squeeze=False,
    )
    return figure, axes[:, 0]


def panels(layout: str, height: float, ratios: tuple[float, ...]):
    """Return a narrow figure and its axes by the letters of `layout`, with the heights of its rows."""
    return plt.subplot_mosaic(layout, figsize=(NARROW, height), height_ratios=ratios, layout="constrained")


def save(figure, path: Path) -> None:
    """Write the SVG without a date and with settled places, so that equal input gives equal bytes."""
    settle(figure)
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    head, end, body = path.read_text("utf-8").partition("<defs>\n")
    path.write_text(head + f"<style>{DARK}</style>\n" + end + body, "utf-8")


def settle(figure) -> None:
    """Lay out once and round: the solver's last digits depend on where its variables lie in memory."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        axes.set_position([round(float(side), 6) for side in axes.get_position(original=True).bounds])


def grid(axes, values, cmap: str, limits=(None, None), text: bool = False) -> None:
    """Draw a matrix without ticks; with `text`, the integers in it."""
    axes.imshow(values, cmap=cmap, vmin=limits[0], vmax=limits[1], aspect="equal")
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    if text:
        for row, line in enumerate(values):
            for column, value in enumerate(line):
                axes.text(
                    column, row, f"{int(value)}", ha="center", va="center", color="#1c1c1c", fontsize=10
                )
