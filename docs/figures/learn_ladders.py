"""Wavelengths of every pair against the trained length, and what six extensions do to them."""

import math
from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREEN, GREY, NARROW, ORANGE, RED, canvas, save
from posref.corpus import load_vectors

WIDTH, BASE, TRAINED, FACTOR = 96, 10000.0, 4096, 32.0
TARGET = int(FACTOR * TRAINED)
SAME = {"rotary_dim": WIDTH, "base": BASE, "factor": FACTOR}
KNOWN = {**SAME, "original_max_position_embeddings": TRAINED}
YARN = {
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "ramp": "index",
    "truncate": True,
    "extrapolation_factor": 1.0,
    "attention_factor": None,
    "mscale": None,
    "mscale_all_dim": None,
    "mscale_rule": "log_only",
}
KINDS = {"as trained": BLUE, "slowed": GREEN, "new angles": RED}
EXACT = 1e-12
"""Relative size of what is rounding: the reference computes in float64."""


def plain() -> np.ndarray:
    """Return the frequencies of training."""
    return posref.rope.inv_freq(rotary_dim=WIDTH, base=BASE)


def dynamic(times: int) -> np.ndarray:
    """Return the frequencies of dynamic NTK with factor 1 at `times` the trained length."""
    known = {**KNOWN, "factor": 1.0}
    return posref.rope_scaling.dynamic(**known, seq_len=times * TRAINED).inv_freq


def searched() -> np.ndarray:
    """Return the frequencies of Phi-3.5-mini, whose lists stand in its file among the models."""
    tests = load_vectors(operations="rope_scaling.resolve").tests
    params = next(test.params for test in tests if test.id == "model-phi-3.5-long")
    return posref.rope_scaling.resolve(config=params["config"], seq_len=TARGET).inv_freq


def ladders() -> dict[str, np.ndarray]:
    """Return the frequencies of each method at the target length."""
    scaled = posref.rope_scaling
    return {
        "Position Interpolation": scaled.linear(plain(), factor=FACTOR).inv_freq,
        "NTK-aware": scaled.ntk(**SAME).inv_freq,
        "dynamic NTK at 2, 8, 32 L": dynamic(32),
        "YaRN": scaled.yarn(**KNOWN, **YARN).inv_freq,
        "Llama 3": scaled.llama3(**KNOWN, low_freq_factor=1.0, high_freq_factor=4.0).inv_freq,
        "LongRoPE, list of Phi-3.5": searched(),
    }


def kinds(found: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which pairs keep their step, slow down within seen angles, and reach new angles."""
    divisor = plain() / found
    new = (plain() * TRAINED < 2 * math.pi) & (divisor < FACTOR * (1 - EXACT))
    kept = (np.abs(divisor - 1) < EXACT) & ~new
    return kept, ~kept & ~new, new


def panel(place, title: str, found: np.ndarray) -> None:
    """Draw one method over the plain ladder."""
    pairs, before, after = np.arange(WIDTH // 2), 2 * math.pi / plain(), 2 * math.pi / found
    place.vlines(pairs, before, after, color=GREY, linewidth=0.5, alpha=0.6)
    place.semilogy(pairs, before, ".", color=GREY, markersize=3.5)
    for chosen, (label, color) in zip(kinds(found), KINDS.items(), strict=True):
        place.plot(pairs[chosen], after[chosen], ".", color=color, markersize=5, label=label)
    for length, name in ((TRAINED, "L"), (TARGET, "32 L")):
        place.axhline(length, color=GREY, linewidth=0.9, linestyle="--")
        place.text(0, length * 1.2, name)
    place.set(title=title, ylim=(3, 5e6))


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = canvas(2, width=NARROW, height=7.6, rows=3)
    for place, (title, found) in zip(axes.flat, ladders().items(), strict=True):
        panel(place, title, found)
    for times in (2, 8):
        axes[1, 0].plot(2 * math.pi / dynamic(times), color=ORANGE, linewidth=1)
    axes[0, 1].legend(loc="lower right", borderpad=0)
    for place in axes[:, 0]:
        place.set_ylabel("tokens a turn")
    for place in axes[2]:
        place.set_xlabel("pair")
    save(figure, path)
