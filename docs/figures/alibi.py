"""Slopes by head under the two rules, and the window that each slope is."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREEN, GREY, ORANGE, save, stacked


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = stacked(3.0, 3.0)
    upper, lower = axes
    eight = posref.alibi.slopes(num_heads=8, bias_max=8.0)
    twelve = posref.alibi.slopes(num_heads=12, bias_max=8.0)
    heads = np.arange(1, 13)
    upper.semilogy(heads, twelve, "o", color=ORANGE, markersize=5, label="12 heads")
    upper.semilogy(heads[:8], eight, "o", color=BLUE, markersize=9, fillstyle="none", label="8 heads")
    upper.semilogy(heads, 2.0 ** (-8 * heads / 12), "x", color=GREY, label=r"closed form $2^{-8k/12}$")
    upper.set(title="slopes", xlabel="head", ylabel="bias a token", xticks=heads)
    upper.legend(loc="lower left")
    distance = np.arange(0, 65)
    q, keys, values = np.zeros((1, 1, 1)), np.zeros((1, 65, 1)), np.eye(65)[None]
    for head, color in ((0, BLUE), (3, ORANGE), (5, GREEN)):
        bias = posref.alibi.bias(
            np.array([64]), np.arange(65), eight[head : head + 1], form="neg_distance", future="neg_inf"
        )
        weights = posref.attention.output(q, keys, values, bias, scale=1.0)[0, 0, ::-1]
        lower.semilogy(distance, weights, color=color, label=f"head {head + 1}: slope 1/{2 ** (head + 1)}")
    lower.set(
        title="weights where all scores are equal",
        xlabel="distance in tokens",
        ylabel="weight",
        ylim=(1e-6, 1),
    )
    lower.legend()
    save(figure, path)
