"""Nested lists as tensors: a function of the trailing axes, mapped over broadcast leading axes."""

from collections.abc import Callable
from typing import Any


def over(function: Callable[..., Any], *arguments: tuple[Any, int]) -> Any:
    """Apply `function` to the trailing axes of each tensor and map it over the leading ones.

    Parameters
    ----------
    function : callable
        Takes a tensor an argument, stripped of its leading axes.
    *arguments : tuple of (tensor, int)
        Nested lists and the number of trailing axes that `function` sees. None stands for an absent tensor.

    Returns
    -------
    nested lists
        The leading axes, broadcast as in conventions.C5, and inside them what `function` returns.

    Examples
    --------
    >>> over(lambda row, number: sum(row) * number, ([[1, 2], [3, 4]], 1), (10, 0))
    [30, 70]
    """
    leading = [0 if tensor is None else depth(tensor) - rank for tensor, rank in arguments]
    outermost = max(leading)
    if outermost == 0:
        return function(*(tensor for tensor, _ in arguments))
    here = [axes == outermost for axes in leading]
    size = max(len(tensor) for (tensor, _), split in zip(arguments, here, strict=True) if split)
    return [
        over(
            function,
            *(
                (tensor[index if len(tensor) > 1 else 0] if split else tensor, rank)
                for (tensor, rank), split in zip(arguments, here, strict=True)
            ),
        )
        for index in range(size)
    ]


def depth(tensor: Any) -> int:
    """Return the number of axes of a tensor, as far as an axis of size zero."""
    axes = 0
    while isinstance(tensor, list):
        axes += 1
        tensor = tensor[0] if tensor else None
    return axes


def fold(tensor: Any, like: Any, rank: int) -> Any:
    """Sum a tensor over the leading axes that `like` broadcast over; both have `rank` trailing axes.

    Examples
    --------
    >>> fold([[1, 2], [3, 4]], [0, 0], 1), fold([[1, 2], [3, 4]], [[0, 0]], 1)
    ([4, 6], [[4, 6]])
    """
    if depth(tensor) > depth(like):
        return fold(_total(tensor), like, rank)
    if depth(like) == rank:
        return tensor
    entries = [_total(tensor)] if len(like) == 1 else tensor
    return [fold(entry, other, rank) for entry, other in zip(entries, like, strict=True)]


def _total(tensors: list[Any]) -> Any:
    """Return the sum of tensors of one shape."""
    if not isinstance(tensors[0], list):
        return sum(tensors)
    return [_total(list(entries)) for entries in zip(*tensors, strict=True)]


def dot(left: list[Any], right: list[Any]) -> Any:
    """Return the sum of the products of two rows."""
    return sum(a * b for a, b in zip(left, right, strict=True))


def square(size: int, entries: dict[tuple[int, int], Any], zero: Any) -> list[list[Any]]:
    """Return the square matrix with these entries and `zero` everywhere else."""
    return [[entries.get((row, column), zero) for column in range(size)] for row in range(size)]
