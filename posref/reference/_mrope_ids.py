"""Position ids of M-RoPE: how text, images and videos share one count."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, NamedTuple

from posref.errors import SpecError
from posref.numerics.checks import LARGEST_POSITION, admit
from posref.numerics.given import Given

CLAUSES: Final = {
    "mrope_section": "mrope.C1",
    "arrangement": "mrope.C1",
    "positions": "mrope.C2",
    "inv_freq": "mrope.C2",
    "axis_of_channel": "mrope.C2",
    "attention_factor": "mrope.C2",
    "token_types": "mrope.C3",
    "grids": "mrope.C3",
    "temporal_interval": "mrope.C3",
    "spatial_merge_size": "mrope.C3",
    "advance": "mrope.C3",
}

TEXT, VIDEO = 0, 2

Place = tuple[int, int, int]
"""Position of a token in time, row and column."""


class PositionIds(NamedTuple):
    """Positions, shape (3, T), and what a later text token adds to its index, shape ()."""

    position_ids: Any
    delta: Any


def position_ids(
    token_types: Any, grids: Any, temporal_interval: Any, *, spatial_merge_size: int, advance: str
) -> PositionIds:
    r"""Return the positions of text, images and videos in time, row and column.

    A text token has the next position on every axis. Token :math:`(k, y, x)` of a medium that starts
    at :math:`s` has :math:`(s + \lfloor k\,\mathrm{interval} \rfloor,\; s + y,\; s + x)`.

    Parameters
    ----------
    token_types : array of int, shape (T,)
        0 text, 1 image, 2 video.
    grids : array of int, shape (N, 3)
        Frames, rows and columns of each image and video in order, in patches before merging; N may
        be 0.
    temporal_interval : array of int, shape (V, 2)
        Positions a frame, as numerator and denominator, of each video in order; V may be 0. The
        frames of an image are 1 apart.
    spatial_merge_size : int
        Patches a token spans, in rows and in columns, at least 1.
    advance : {"max_hw", "max_thw"}
        Whether what follows a medium starts after its last row and column, or after its last frame
        too.

    Returns
    -------
    PositionIds
        `position_ids`, int64 of shape (3, T), and `delta`, int64 of shape (): the position of token
        `n`, if text follows, is ``n + delta``. In the library of the inputs.

    Raises
    ------
    SpecError
        If a token type is unknown, a grid or an interval is not positive, a grid is not divisible
        by `spatial_merge_size`, or a position exceeds 2**53 (mrope.C3), or token types, grids and
        intervals do not agree (mrope.C4).
    TypeError
        If the arguments are not arrays of one library.

    References
    ----------
    transformers `get_rope_index` of Qwen2-VL ("max_hw"); vLLM `MRotaryEmbedding` ("max_thw").

    Examples
    --------
    A text token, an image of two by two tokens, a text token:

    >>> import numpy as np
    >>> ids, delta = position_ids(np.array([0, 1, 1, 1, 1, 0]), np.array([[1, 4, 4]]),
    ...     np.zeros((0, 2), dtype=int), spatial_merge_size=2, advance="max_hw")
    >>> ids
    array([[0, 1, 1, 1, 1, 3],
           [0, 1, 1, 2, 2, 3],
           [0, 1, 2, 1, 2, 3]])
    >>> int(delta)
    -2
    """
    given = admit("mrope.position_ids", CLAUSES, locals())
    types, grids, intervals = _checked(given)
    places, following = _walk(types, grids, intervals, given.advance)
    return _given(given, places, following)


def _walk(
    types: list[int], grids: list[Place], intervals: list[Fraction], advance: str
) -> tuple[list[Place], int]:
    """Return the place of each token and the position that follows the last."""
    places: list[Place] = []
    start = 0
    media, rates = iter(grids), iter(intervals)
    while len(places) < len(types):
        kind = types[len(places)]
        if kind == TEXT:
            places.append((start, start, start))
            start += 1
            continue
        size = next(media, None)
        if size is None:
            raise _disagree("grids", "has too few media for token_types")
        tokens = math.prod(size)
        if tokens > len(types) - len(places) or set(types[len(places) :][:tokens]) != {kind}:
            raise _disagree("grids", f"has a medium of {tokens} tokens where token_types has another")
        block = list(_block(start, size, _rate(kind, rates)))
        places += block
        start = _next(block, advance)

    if next(media, None) is not None:
        raise _disagree("grids", "has more media than token_types")
    if next(rates, None) is not None:
        raise _disagree("temporal_interval", "has more intervals than there are videos")
    return places, start


def _checked(given: Given) -> tuple[list[int], list[Place], list[Fraction]]:
    """Return token types, merged grids and intervals of the host."""
    tokens, sizes, intervals = given.token_types, given.grids, given.temporal_interval
    types, grids, rates = (given.space.host(part) for part in (tokens, sizes, intervals))
    merge = given.spatial_merge_size
    for kind in types:
        if kind not in (0, 1, 2):
            message = f"must be 0, 1 or 2, got {kind}"
            raise SpecError("mrope.C3", "token_types", message, "OUT_OF_RANGE")
    for grid in grids:
        if min(grid) < 1 or grid[1] % merge or grid[2] % merge:
            message = f"must be positive, h and w divisible by spatial_merge_size {merge}, got {grid}"
            raise SpecError("mrope.C3", "grids", message)
    for rate in rates:
        if min(rate) < 1:
            raise SpecError("mrope.C3", "temporal_interval", f"must be positive, got {rate}")
    merged = [(time, rows // merge, columns // merge) for time, rows, columns in grids]
    return types, merged, [Fraction(*rate) for rate in rates]


def _rate(kind: int, rates: Iterator[Fraction]) -> Fraction:
    if kind != VIDEO:
        return Fraction(1)
    rate = next(rates, None)
    if rate is None:
        raise _disagree("temporal_interval", "has fewer intervals than there are videos")
    return rate


def _block(start: int, size: Place, rate: Fraction) -> Iterator[Place]:
    frames, rows, columns = size
    for k in range(frames):
        for y in range(rows):
            for x in range(columns):
                yield start + int(k * rate), start + y, start + x


def _next(block: list[Place], advance: str) -> int:
    first = 0 if advance == "max_thw" else 1
    return 1 + max(max(place[first:]) for place in block)


def _disagree(name: str, message: str) -> SpecError:
    return SpecError("mrope.C4", name, message, "INVALID_SHAPE")


def _given(given: Given, places: list[Place], following: int) -> PositionIds:
    if max((max(place) for place in places), default=0) > LARGEST_POSITION:
        message = f"leads to a position above 2**53, {max(max(place) for place in places)}"
        raise SpecError("mrope.C3", "temporal_interval", message, "OUT_OF_RANGE")
    space = given.space
    axes = [[place[axis] for place in places] for axis in range(3)]
    delta = space.constant(following - len(places), "int64")
    return PositionIds(space.give(space.constant(axes, "int64")), space.give(delta))
