"""Sums over the tokens that share a row of a table."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.numerics.given import Given
from posref.numerics.tokens import cache_blocks, places, tokens_at

ELEMENTS: Final = 2**16
"""Coordinates of a block."""


@np.errstate(all="ignore")
def summed(
    given: Given, function: Callable[[Given], tuple[Any, ...]], tensors: tuple[str, ...], *, onto: str
) -> tuple[Any, ...]:
    """Return what `function` gives a token, summed over the tokens that share a row, rounded.

    Parameters
    ----------
    given : Given
        The call.
    function : callable
        Returns arrays of float64, shape (..., T, h), from a piece of the call.
    tensors : tuple of str
        Names of the inputs that it uses, of one shape (..., T, D).
    onto : str
        Name of the input, of shape (..., T, h), whose shape the sums have.

    Returns
    -------
    tuple of arrays
        In the dtype and library of the call.
    """
    shape = tuple(given.stored[onto].shape)
    if not given.space.is_numpy:
        return tuple(given.round(_sum_to(given.xp, part, shape) + 0.0) for part in function(given))
    results: list[Any] = []
    for place in places(shape[:-1], shape[-1]):
        sums = _sums(given, function, {name: tokens_at(place, given.stored[name]) for name in tensors}, shape)
        results = results or [given.empty(shape) for _ in sums]
        for result, total in zip(results, sums, strict=True):
            given.put(total + 0.0, tokens_at(place, result))
    return tuple(given.space.leave(result, given.dtype) for result in results)


def _sums(
    given: Given, function: Callable[[Given], tuple[Any, ...]], region: dict[str, Any], shape: tuple[int, ...]
) -> tuple[Any, ...]:
    """Return the sums of one region of the tokens, a block at a time."""
    *tokens, width = next(iter(region.values())).shape
    own = (1,) * (len(tokens) + 1 - len(shape)) + shape[:-1]
    kept = tuple(1 if one == 1 else size for one, size in zip(own, tokens, strict=True))
    totals: tuple[Any, ...] = ()
    for block in cache_blocks(tuple(tokens), width, ELEMENTS):
        found = function(given.with_stored({name: array[block] for name, array in region.items()}))
        totals = totals or tuple(np.zeros((*kept, part.shape[-1])) for part in found)
        for total, part in zip(totals, found, strict=True):
            target = tokens_at(block, total)
            target += _sum_to(np, part, target.shape)
    return tuple(total.reshape((*total.shape[len(tokens) + 1 - len(shape) :],)) for total in totals)


def _sum_to(xp: Any, values: Any, shape: tuple[int, ...]) -> Any:
    """Return the sum over the axes that `shape` broadcasts over."""
    extra = len(values.shape) - len(shape)
    full = (1,) * extra + tuple(shape)
    axes = [axis for axis, size in enumerate(full) if size == 1 != values.shape[axis]]
    for axis in axes:
        values = xp.sum(values, axis=axis, keepdims=True)
    return xp.reshape(values, shape)
