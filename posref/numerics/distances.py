"""Results that depend on a query and a key only through the distance of their positions.

Where positions are consecutive, neither of them skipping a token, such a result is constant along
diagonals: one line of values a head is computed and rounded, and every query copies its window of it.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.numerics.given import Given
from posref.numerics.pieces import ELEMENTS, blocks, leading_axes, pieces, spans

LARGE: Final = 2**22
"""Numbers of a piece that is copied from a line."""

FEW: Final = 16
"""With fewer queries a line is hardly shorter than what is copied from it."""


def by_distance(given: Given, function: Callable[[Given, Any], Any]) -> Any:
    """Return a result of shape (..., H, Q, K), rounded.

    Parameters
    ----------
    given : Given
        The call, with `q_positions` and `k_positions`.
    function : callable
        Returns the values from a piece of the call and the offsets of its keys, key minus query, an array
        of int64 of shape (..., 1, Q, K) or any other numbers for Q and K.

    Returns
    -------
    array
        In the caller's library.
    """
    if has_lines(given):
        return from_lines(given, function)
    return given.by_pieces(lambda part: function(part, offsets(part)), "Q H K", each=1)


def has_lines(given: Given) -> bool:
    """Return whether results are constant along diagonals, and are many enough."""
    many = given.space.is_numpy and given.axes["Q"] >= FEW and given.axes["K"] >= FEW
    return many and all(_consecutive(given.stored[name]) for name in ("q_positions", "k_positions"))


def offsets(part: Given) -> Any:
    """Return key position minus query position, shape (..., 1, Q, K)."""
    return part.k_positions[..., None, None, :] - part.q_positions[..., None, :, None]


def _consecutive(positions: Any) -> bool:
    """Return whether every position is one more than the one before."""
    for first in blocks(positions.shape[:-1], max(1, ELEMENTS // positions.shape[-1])):
        for last in spans(positions.shape[-1], ELEMENTS):
            run = positions[(*first, slice(max(0, last.start - 1), last.stop))].astype(np.int64)
            if not (run[..., 1:] - run[..., :-1] == 1).all():
                return False
    return True


def from_lines(given: Given, function: Callable[[Given, Any], Any]) -> Any:
    """Return what `by_distance` does, where results are constant along diagonals."""
    result = given.empty((*leading_axes(given), *(given.axes[letter] for letter in "HQK")))
    sizes = given.axes["Q"] * given.axes["K"]
    for heads, region in pieces(given, "H", sizes, most=LARGE):
        _fill(heads, function, result[region.of(("H", "Q", "K"), result.shape)])
    return given.space.leave(result, given.dtype)


def _fill(given: Given, function: Callable[[Given, Any], Any], result: Any) -> None:
    """Write the values of some heads: a line, and a window of it a query."""
    for piece, region in pieces(given, "Q K", 1, most=LARGE):
        queries, keys = piece.axes["Q"], piece.axes["K"]
        farthest = piece.k_positions[..., :1] - piece.q_positions[..., -1:]
        values = function(piece, (farthest + np.arange(queries + keys - 1))[..., None, None, :])
        line = given.empty(values.shape)
        given.put(values, line)
        windows = np.lib.stride_tricks.sliding_window_view(line[..., 0, :], keys, axis=-1)
        result[region.of(("H", "Q", "K"), result.shape)] = windows[..., ::-1, :]
