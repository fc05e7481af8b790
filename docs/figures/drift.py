"""Measured errors of rotary tables over position: what frameworks compute, and what short formats cost."""

from pathlib import Path

from site_framework_curves import groups, longest, stored

from figures._style import BLUE, GREEN, GREY, ORANGE, RED, save, stacked

SHORT = "PyTorch, "
COLORS = {
    "NumPy float64": GREEN,
    "NumPy float32": BLUE,
    "posref float64": GREY,
    "posref float32": ORANGE,
    "ggml": RED,
}
STYLES = {"bfloat16": "-", "float16": "--"}
STEPS = {"table": GREEN, "positions": ORANGE, "angles": RED}


def line(place, curve: dict, label: str, **look) -> None:
    """Draw one curve."""
    octaves = sorted(map(int, curve["errors"]))
    place.loglog(
        [2.0**octave for octave in octaves],
        [curve["errors"][str(octave)] for octave in octaves],
        base=10,
        label=label,
        **look,
    )


def frameworks(place, curves: dict) -> None:
    """Draw one curve a group of frameworks that agree."""
    for group in groups({name: curve for name, curve in curves.items() if not name.startswith(SHORT)}):
        more = f" and {len(group) - 1} more" if len(group) > 1 else ""
        look = {"color": COLORS.get(group[0], GREY), "linestyle": "-" if group[0] in COLORS else ":"}
        line(place, curves[longest(curves, group)], group[0] + more, **look)


def short_formats(place, curves: dict) -> None:
    """Draw what is rounded to a short format, and the float32 curve it starts from."""
    line(place, curves["PyTorch"], "float32 throughout", color=BLUE)
    for name, curve in curves.items():
        if name.startswith(SHORT):
            dtype, step = name.removeprefix(SHORT).split(" ")
            line(place, curve, f"{step} in {dtype}", color=STEPS[step], linestyle=STYLES[dtype])


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    curves = stored()["curves"]
    figure, axes = stacked(4.3, 4.3)
    for place, part in zip(axes, (frameworks, short_formats), strict=True):
        part(place, curves)
        place.legend(loc="upper center", bbox_to_anchor=(0.45, -0.2), ncols=2)
        place.set(xlabel="position", ylabel="largest error of a cosine or sine")
    axes[0].set(title="frameworks", ylim=(1e-17, 10))
    axes[1].set(title="one step in half precision", ylim=(1e-8, 10))
    save(figure, path)
