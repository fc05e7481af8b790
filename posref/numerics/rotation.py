"""Turning coordinate pairs, and putting entries where a layout wants them."""

from typing import Any

import numpy as np

from posref.numerics import fused
from posref.numerics.given import Given
from posref.numerics.namespace import Space, dtype_name
from posref.numerics.tokens import Table, tokens_at
from posref.numerics.turned import Turn


def pairs(pairing: str, count: int) -> list[tuple[int, int]]:
    """Return the two coordinates of each of `count` pairs.

    Parameters
    ----------
    pairing : {"adjacent", "half"}
        Neighbours, or a coordinate of the first half and its counterpart in the second.
    count : int
        Number of pairs.

    Returns
    -------
    list of (int, int)
        Coordinates inside the rotated slice.

    Examples
    --------
    >>> pairs("adjacent", 2), pairs("half", 2)
    ([(0, 1), (2, 3)], [(0, 2), (1, 3)])
    """
    if pairing == "adjacent":
        return [(2 * index, 2 * index + 1) for index in range(count)]
    return [(index, index + count) for index in range(count)]


def turned(given: Given, tensors: tuple[str, ...], table: Table, **ways: Any) -> tuple[Any, ...]:
    """Return inputs with every pair of their rotated slices turned, rounded; see `rotate`.

    Parameters
    ----------
    given : Given
        The call.
    tensors : tuple of str
        Names of inputs of shape (..., T, D).
    table : Table
        The cosines and sines.
    **ways
        ``pairing_in``, ``pairing_out`` and ``rotary_start`` as in `rotate`.

    Returns
    -------
    tuple of arrays, each of shape (..., T, D)
        In the dtype and library of the inputs.
    """
    if given.space.library == "cupy":
        with given.space.device:
            cos, sin = table.whole()
        return tuple(fused.rotate(given, name, cos, sin, **ways) for name in tensors)
    if not given.space.is_numpy:
        cos, sin = table.whole()
        wide = (rotate(given.xp, getattr(given, name), cos, sin, **ways) for name in tensors)
        return tuple(given.round(values) for values in wide)
    stored = [given.stored[name] for name in tensors]
    results = [given.empty(x.shape) for x in stored]
    turn = Turn(dtype_name(given.dtype), table.width, **ways)
    for place, (cos, sin) in table.parts():
        for x, result in zip(stored, results, strict=True):
            if not turn.fill(tokens_at(place, x), cos, sin, tokens_at(place, result)):
                raise given.overflow()
    return tuple(given.space.leave(result, given.dtype) for result in results)


@np.errstate(all="ignore")
def rotate(
    xp: Any, x: Any, cos: Any, sin: Any, *, pairing_in: str, pairing_out: str, rotary_start: int = 0
) -> Any:
    """Return `x` with every pair of the rotated slice turned; other coordinates are moved as they are.

    Parameters
    ----------
    xp : module
        Array library.
    x : array of float64, shape (..., T, D)
        What to rotate.
    cos, sin : arrays of float64, shape (..., T, h)
        Tables; leading axes broadcast into those of `x`.
    pairing_in, pairing_out : {"adjacent", "half"}
        Where a pair is read and where it is written.
    rotary_start : int, default 0
        First coordinate of the slice, which is 2 h wide.

    Returns
    -------
    array of float64, shape (..., T, D)
        A new array. An exact zero inside the slice is +0.
    """
    stop = rotary_start + 2 * cos.shape[-1]
    u, w = _read(x[..., rotary_start:stop], pairing_in)
    turned = _write(xp, u * cos - w * sin + 0.0, u * sin + w * cos + 0.0, pairing_out)
    return xp.concat((x[..., :rotary_start], turned, x[..., stop:]), axis=-1)


def _read(part: Any, pairing: str) -> tuple[Any, Any]:
    if pairing == "adjacent":
        return part[..., 0::2], part[..., 1::2]
    half = part.shape[-1] // 2
    return part[..., :half], part[..., half:]


def _write(xp: Any, first: Any, second: Any, pairing: str) -> Any:
    if pairing == "half":
        return xp.concat((first, second), axis=-1)
    return xp.reshape(xp.stack((first, second), axis=-1), (*first.shape[:-1], 2 * first.shape[-1]))


def place(space: Space, entries: Any, where: Any) -> Any:
    """Return the last axis of `entries` rearranged: ``entries[..., where]``.

    Parameters
    ----------
    space : Space
        Where `entries` live.
    entries : array, shape (..., N)
        Computed values, with a zero among them where a layout needs one.
    where : array_like of int
        Index of the entry that each place gets.

    Returns
    -------
    array, shape (..., *shape of where)
        Exact copies.
    """
    grid = np.asarray(where, dtype=np.int64)
    index = space.constant(grid.reshape(-1).tolist(), "int64")
    taken = space.xp.take(entries, index, axis=-1)
    return space.xp.reshape(taken, (*entries.shape[:-1], *grid.shape))
