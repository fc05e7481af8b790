"""Numbers that the prose quotes, computed when the site is built.

What a vector file holds is shown by `site_worked`; here is what follows from it by a formula.
"""

import math

import numpy as np

import posref


def chord() -> dict[str, str]:
    """Return the smallest chord of pair 0 over offsets to a million, and where it is."""
    offsets = np.arange(1, 10**6 + 1)
    chords = 2 * np.abs(np.sin(offsets / 2))
    least = int(np.argmin(chords))
    return {
        "chord_min": f"{chords[least]:.3g}",
        "chord_argmin": str(offsets[least]),
        "chord_move": f"{chords[least] / math.sqrt(2):.2g}",
    }


def alibi() -> dict[str, str]:
    """Return half-lives and the two rules of slopes."""
    eight = posref.alibi.slopes(num_heads=8, bias_max=8.0)
    many = posref.alibi.slopes(num_heads=112, bias_max=8.0)
    closed = 2.0 ** (-8 * np.arange(1, 113) / 112)
    ratio = np.maximum(many / closed, closed / many)
    return {
        "closed_first": f"{2 ** (-8 / 12):.6f}",
        "window_first": f"{math.log(2) / float(eight[0]):.1f}",
        "window_last": f"{math.log(2) / float(eight[-1]):.0f}",
        "closed_ratio": f"{float(ratio.max()):.1f}",
    }


def tokens() -> dict[str, str]:
    """Return sizes of tables, of a cache, and of a stretch of time without its factor."""
    ladder = posref.timestep.encode(
        np.array([0.0, 1.0]),
        dim=8,
        max_period=10000.0,
        freq_shift=0.0,
        flip_sin_to_cos=False,
        scale=1.0,
        odd="error",
    )
    span = float(np.linalg.norm(ladder[1] - ladder[0]))
    return {
        "learned_parameters": f"{8192 * 4096:,}",
        "timestep_span": f"{math.ceil(span * 100) / 100:.2f}",
        "cache_ratio": str(131072 // 4096),
        "score_ratio": str((131072 // 4096) ** 2),
    }


def last_bucket(num_buckets: int, bidirectional: bool) -> int:
    """Return the first distance of T5's last bucket."""
    past = -np.arange(129)
    bucket = posref.t5.bucket(past, num_buckets=num_buckets, max_distance=128, bidirectional=bidirectional)
    return int(np.argmax(bucket == bucket.max()))


def biases() -> dict[str, str]:
    """Return ends of T5's buckets, edges of Swin's coordinates, and how far xPos reaches."""
    own = posref.swin.log_coords(window=[8, 8], pretrained_window=None)
    wide = posref.swin.log_coords(window=[16, 16], pretrained_window=[8, 8])
    return {
        "t5_last_encoder": str(last_bucket(32, True)),
        "t5_last_decoder": str(last_bucket(32, False)),
        "t5_naive": str(5 + int(math.log(10 / 5) / math.log(160 / 5) * 5)),
        "swin_edge": f"{float(own.max()):.4f}",
        "swin_16": f"{float(wide.max()):.2f}",
        "xpos_range": f"{math.floor(708 * 512 / math.log1p(1 / 0.4)):,}",
    }


def numbers() -> dict[str, str]:
    """Return every number by the name under which the pages quote it."""
    found: dict[str, str] = {}
    for part in (chord, alibi, tokens, biases):
        found.update(part())
    return found
