"""How far the last token's output moves when two tokens before it change places, by depth."""

from pathlib import Path

import numpy as np

import posref
from figures._style import BLUE, GREY, ORANGE, RED, save, stacked

TOKENS, WIDTH, DEPTH, SEED = 8, 16, 6, 4
ROUNDING = 1e-12
"""Below this a difference is rounding, and is drawn at one height whatever the machine."""

FLOOR = 1e-15


def layer(x: np.ndarray, weights: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """Return one block: attention, then a map of each row by itself, each added to what came in."""
    q, k, v = (x @ matrix for matrix in weights[:3])
    mixed = x + posref.attention.output(q, k, v, None, mask, scale=WIDTH**-0.5)
    return mixed + np.tanh(mixed @ weights[3])


def moves(mask: np.ndarray | None, encoding: np.ndarray) -> np.ndarray:
    """Return the relative change of the last output at each depth when tokens 0 and 1 are swapped."""
    rng = np.random.default_rng(SEED)
    weights = rng.normal(size=(DEPTH, 4, WIDTH, WIDTH)) / WIDTH**0.5
    tokens = rng.normal(size=(TOKENS, WIDTH))
    order = np.array([1, 0, *range(2, TOKENS)])
    first, second = tokens + encoding, tokens[order] + encoding
    changes = []
    for matrices in weights:
        first, second = layer(first, matrices, mask), layer(second, matrices, mask)
        changes.append(np.linalg.norm(first[-1] - second[-1]) / np.linalg.norm(first[-1]))
    found = np.array(changes)
    return np.where(found < ROUNDING, FLOOR, found)


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    t = np.arange(TOKENS)
    causal = posref.attention.causal_mask(t, t)
    rows = posref.sinusoidal.encode(
        t, dim=WIDTH, base=10000.0, denominator="dim", layout="interleaved", odd="error"
    )
    curves = (
        ("no mask, no encoding", moves(None, 0.0 * rows), RED, "s-"),
        ("causal mask, no encoding", moves(causal, 0.0 * rows), ORANGE, "o-"),
        ("no mask, sinusoids added", moves(None, rows), BLUE, "^-"),
    )
    figure, (place,) = stacked(3.4)
    place.axhspan(FLOOR / 4, ROUNDING, color=GREY, alpha=0.15, linewidth=0)
    place.text(DEPTH, ROUNDING / 3, "rounding only", ha="right", va="top")
    for label, changes, color, style in curves:
        place.semilogy(np.arange(1, DEPTH + 1), changes, style, color=color, label=label)
    place.set(xlabel="layers", ylabel="change of the last output", ylim=(FLOOR / 4, 10))
    place.legend(loc="center right")
    save(figure, path)
