"""What a score knows of two positions when the contents are everywhere the same: six schemes as maps."""

from pathlib import Path

import numpy as np

import posref
from figures._style import canvas, grid, save

TOKENS, WIDTH, SEED = 32, 32, 8
T = np.arange(TOKENS)


def added(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the position term of rows that went through two random projections."""
    w_q, w_k = rng.normal(size=(2, WIDTH, WIDTH))
    return (rows @ w_q) @ (rows @ w_k).T


def sinusoids() -> np.ndarray:
    """Return rows of the sinusoidal table."""
    return posref.sinusoidal.encode(
        T, dim=WIDTH, base=100.0, denominator="dim", layout="interleaved", odd="error"
    )


def rotated(rng: np.random.Generator) -> np.ndarray:
    """Return RoPE scores of one query and one key."""
    q, k = (np.repeat(row[None], TOKENS, axis=0) for row in rng.normal(size=(2, WIDTH)))
    return posref.rope.score(q, k, T, T, rotary_dim=WIDTH, base=100.0, pairing="half")


def clipped(rng: np.random.Generator) -> np.ndarray:
    """Return Shaw's term of one query, with distances clipped at 8."""
    q = np.repeat(rng.normal(size=(1, WIDTH)), TOKENS, axis=0)
    index = posref.shaw.index(T, T, clip_left=8, clip_right=8)
    return posref.shaw.scores(q, 0 * q, rng.normal(size=(17, WIDTH)), index, scale=1.0)


def bucketed(rng: np.random.Generator) -> np.ndarray:
    """Return one head of T5's bias, encoder form."""
    table = rng.normal(size=(16, 1))
    return posref.t5.bias(table, T, T, num_buckets=16, max_distance=32, bidirectional=True)[0]


def maps() -> tuple[tuple[str, np.ndarray], ...]:
    """Return the titles and the maps."""
    rng = np.random.default_rng(SEED)
    slope = np.array([0.25])
    return (
        ("learned table, projected", added(rng.normal(size=(TOKENS, WIDTH)), rng)),
        ("sinusoids, projected", added(sinusoids(), rng)),
        ("RoPE, one query and key", rotated(rng)),
        ("ALiBi", posref.alibi.bias(T, T, slope, form="neg_abs", future="keep")[0]),
        ("T5, 16 buckets", bucketed(rng)),
        ("Shaw, clip 8, one query", clipped(rng)),
    )


def draw(path: Path) -> None:
    """Write the figure to `path`."""
    figure, axes = canvas(2, width=4.8, height=7.4, rows=3)
    for place, (title, values) in zip(axes.flat, maps(), strict=True):
        size = np.abs(values).max()
        grid(place, values, "RdBu", (-size, size))
        place.set_title(title)
    for place in axes[:, 0]:
        place.set_ylabel("query position")
    for place in axes[2]:
        place.set_xlabel("key position")
    save(figure, path)
