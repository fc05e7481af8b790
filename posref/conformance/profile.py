"""Where the errors of a failing call are large: along positions, and along the axis across them.

A report keeps of every failing output only the largest error at each place of two directions: enough
to see whether errors grow with position, or belong to some columns, and small enough for a file.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.conformance.compare import Evidence
from posref.conformance.elements import Compared
from posref.conformance.kinds import Axes, aligned, axes, spread
from posref.conformance.verdict import Line, Profile
from posref.operation import signature

Array = NDArray[Any]

MOST: Final = 256
"""Places that a line has at most; neighbours are taken together beyond."""


def profile(evidence: Evidence, output: str, claim: str) -> Profile:
    """Return how large the errors of one output are, as multiples of what `claim` allows.

    Parameters
    ----------
    evidence : Evidence
        A call that was compared.
    output : str
        The name of the output.
    claim : str
        How close is right.

    Returns
    -------
    Profile
        Along positions (or the distance between key and query, or the second axis from the right), and
        along the last of the other axes. A scalar has no line.
    """
    error = errors(evidence, output, claim)
    names = axes(evidence.operation, output, error.ndim)
    lines = []
    named, places, at = _tokens(evidence, names, error.shape)
    if places:
        lines.append(_line(named, at, _largest(error, places)))
    others = [axis for axis in range(error.ndim) if axis not in places]
    if others:
        axis = others[-1]
        lines.append(
            _line(f"index along {names[axis]}", np.arange(error.shape[axis]), _largest(error, (axis,)))
        )
    return Profile(output, tuple(lines))


def errors(evidence: Evidence, output: str, claim: str) -> Array:
    """Return the error of each element by what is allowed: above 1 where it is wrong, and only there."""
    want = evidence.want[output]
    limit = evidence.limit(output, claim)
    ratio = Compared(output, want.dtype, want.data, evidence.got[output], limit).errors()[1]
    kept = evidence.kept(output, claim)
    ratio = np.where(kept, np.minimum(np.where(evidence.silent(output, claim), 0.0, ratio), 1.0), ratio)
    return np.where(~kept & (ratio <= 1), np.inf, ratio)  # the sign of a zero has no size


def _tokens(evidence: Evidence, names: tuple[str, ...], shape: tuple[int, ...]) -> tuple[str, Axes, Array]:
    """Return the direction of tokens: its name, the axes of the output it spans, the places along them."""
    found = dict(_positions(evidence, names))
    if {"q_positions", "k_positions"} <= found.keys():
        (q_axes, q), (k_axes, k) = found["q_positions"], found["k_positions"]
        places = tuple(sorted({*q_axes, *k_axes}))
        return "k_positions - q_positions", places, spread(k, k_axes, places) - spread(q, q_axes, places)
    for name, (places, values) in found.items():
        if places:
            return name, places, values
    if len(shape) > 1:
        return f"index along {names[-2]}", (len(shape) - 2,), np.arange(shape[-2])
    return "", (), np.zeros(0)


def _positions(evidence: Evidence, names: tuple[str, ...]) -> Iterator[tuple[str, tuple[Axes, Array]]]:
    for entry in signature(evidence.operation).inputs:
        if entry.role == "positions" and entry.name in evidence.inputs:
            values = np.asarray(evidence.inputs[entry.name], np.float64)
            own = aligned(entry.shape, values, names)
            if own is not None:
                yield entry.name, own


def _largest(error: Array, places: Axes) -> Array:
    return np.asarray(error.max(axis=tuple(axis for axis in range(error.ndim) if axis not in places)))


def _line(along: str, at: Array, error: Array) -> Line:
    """Return a line with each place once, at most `MOST` of them, the largest error at each."""
    at, error = np.broadcast_arrays(at, error)
    order = np.lexsort((-error.ravel(), at.ravel()))
    places, first = np.unique(at.ravel()[order], return_index=True)
    largest = error.ravel()[order][first]
    step = -(-len(places) // MOST)
    chosen = [
        start + int(np.argmax(largest[start : start + step])) for start in range(0, len(places), max(step, 1))
    ]
    return Line(
        along,
        tuple(float(places[one]) for one in chosen),
        tuple(_short(float(largest[one])) for one in chosen),
    )


def _short(ratio: float) -> float:
    """Keep three digits, but never so few that a wrong element looks right."""
    return ratio if 0.99 < ratio < 1.01 or not np.isfinite(ratio) else float(f"{ratio:.3g}")
