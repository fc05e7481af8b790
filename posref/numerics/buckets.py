"""Logarithmic buckets by exact integer comparison.

A bucket whose edge is a root, "the least n with ``n**power >= limit``", is found in integers: a
floating logarithm puts distances on the wrong side exactly where the edge is an integer.
"""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from posref.numerics.given import Given
from posref.numerics.namespace import Space


def edges(limits: Iterable[int], power: int, least: int, farthest: int) -> list[int]:
    """Return the least ``n`` with ``n**power >= limit`` for each limit.

    Parameters
    ----------
    limits : iterable of int
        Never falling; it may be endless unless `power` is 0.
    power : int
        Exponent, at least 0.
    least, farthest : int
        Where to look, both included; the first edge beyond `farthest` ends the list.

    Returns
    -------
    list of int
        Never falling.

    Examples
    --------
    >>> edges([10, 25, 26, 1000], 2, 1, 9)
    [4, 5, 6]
    """
    found: list[int] = []
    for limit in limits:
        span = range(least, farthest + 1)
        place = bisect_left(span, limit, key=lambda n: n**power)
        if place == len(span):
            break
        least = span[place]
        found.append(least)
    return found


def passed(space: Space, distances: Any, found: list[int]) -> Any:
    """Return how many of the edges `found` each distance has reached, as int64 of the same shape."""
    xp = space.xp
    if not found or 0 in distances.shape:
        return xp.zeros_like(distances)
    flat = xp.reshape(distances, (-1,))
    count = xp.searchsorted(space.constant(found, "int64"), flat, side="right")
    return xp.reshape(xp.astype(count, xp.int64), distances.shape)


def span(given: Given, ones: Any, others: Any) -> int:
    """Return how far any of some integers can be from zero, or from any of some others, at most."""
    if 0 in ones.shape or 0 in others.shape:
        return 0
    extremes = [int(extreme(values)) for values in (ones, others) for extreme in (given.xp.min, given.xp.max)]
    if ones is others:
        return max(abs(number) for number in extremes)
    least, most, other_least, other_most = extremes
    return max(other_most - least, most - other_least)
