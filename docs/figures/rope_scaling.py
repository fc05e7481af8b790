"""By how much each scaling divides each frequency."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREEN, GREY, ORANGE, RED, save, stacked

WIDTH, BASE, FACTOR, TRAINED = 128, 10000.0, 8.0, 8192
SAME = {"rotary_dim": WIDTH, "base": BASE, "factor": FACTOR}
YARN = {
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "extrapolation_factor": 1.0,
    "attention_factor": 1.0,
    "mscale": None,
    "mscale_all_dim": None,
    "mscale_rule": None,
}


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    plain = posref.rope.inv_freq(rotary_dim=WIDTH, base=BASE)
    known = {**SAME, "original_max_position_embeddings": TRAINED}
    scaled = posref.rope_scaling
    curves = (
        ("linear", scaled.linear(plain, factor=FACTOR), GREY, "-"),
        ("ntk", scaled.ntk(**SAME), ORANGE, "-"),
        ("yarn, index", scaled.yarn(**known, **YARN, ramp="index", truncate=True), BLUE, "-"),
        ("yarn, rotations", scaled.yarn(**known, **YARN, ramp="rotations", truncate=None), BLUE, "--"),
        ("llama3", scaled.llama3(**known, low_freq_factor=1.0, high_freq_factor=4.0), GREEN, "-"),
    )
    figure, (place,) = stacked(3.6)
    pairs = np.arange(WIDTH // 2)
    for label, found, color, style in curves:
        place.plot(pairs, plain / found.inv_freq, style, color=color, label=label)
    place.axvline(np.log(TRAINED / (2 * np.pi)) / np.log(BASE) * WIDTH / 2, color=RED, linewidth=0.8)
    place.text(51, 1.6, "one turn in\nthe trained\nlength")
    place.set(xlabel="pair", ylabel="plain / scaled frequency")
    place.legend()
    save(figure, path)
