"""Numbers that the prose quotes, computed when the site is built.

What a vector file holds is shown by `site_worked`; here is what follows from it by a formula.
"""

import math

import numpy as np

import posref


def rows(positions: list[int], dim: int) -> np.ndarray:
    """Return rows of the sinusoidal table of Vaswani et al."""
    return posref.sinusoidal.encode(
        np.array(positions), dim=dim, base=10000.0, denominator="dim", layout="interleaved", odd="error"
    )


def similarity(dim: int, first: int, second: int) -> float:
    """Return the cosine similarity of two rows; each has the squared norm dim / 2."""
    pair = rows([first, second], dim)
    return float(pair[0] @ pair[1]) / (dim / 2)


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


def ladder() -> dict[str, str]:
    """Return the longest wavelength against 2 pi base, and periods seen in a training length."""
    slowest = {
        dim: float(posref.sinusoidal.inv_freq(dim=dim, base=10000.0, denominator="dim")[-1])
        for dim in (128, 512)
    }
    return {
        "longest_128": f"{2 * math.pi / slowest[128]:.1f}",
        "longest_512": f"{2 * math.pi / slowest[512]:.1f}",
        "two_pi_base": f"{2 * math.pi * 10000:.1f}",
        "share_128": f"{1 / (slowest[128] * 10000):.3f}",
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
        "slope_40": f"{float(posref.alibi.slopes(num_heads=40, bias_max=8.0)[32]):.6f}",
    }


def additive() -> dict[str, str]:
    """Return a term between encodings at two pairs of positions with one offset, through one projection."""
    return {"term_01": f"{math.sin(0) * math.sin(1):.3f}", "term_12": f"{math.sin(1) * math.sin(2):.3f}"}


def product() -> dict[str, str]:
    """Return a score by the conjugate and by the plain complex product, at two shifted pairs of positions."""
    z_q, z_k = complex(1, 2), complex(3, -1)

    def turn(angle: float) -> complex:
        return complex(math.cos(angle), math.sin(angle))

    return {
        "conjugate_03": f"{(z_q * z_k.conjugate() * turn(-3)).real:.6f}",
        "plain_03": f"{(z_q * z_k * turn(3)).real:.6f}",
        "plain_25": f"{(z_q * z_k * turn(7)).real:.6f}",
    }


def numbers() -> dict[str, str]:
    """Return every number by the name under which the pages quote it."""
    found = {
        "similarity_512": f"{similarity(512, 1000, 1001):.3f}",
        "similarity_64": f"{similarity(64, 1000, 1001):.3f}",
    }
    for part in (chord, ladder, alibi, additive, product):
        found.update(part())
    return found
