"""learned, from spec/schemes/learned.md."""

from typing import Any

from posref.golden._nested import over


def lookup(real: Any, table: Any, positions: Any, *, offset: int) -> Any:
    """learned.C1: row p + offset of `table` (N, d), moved, for `positions` (..., T)."""
    return over(lambda position: list(table[position + offset]), (positions, 0))


def resize(real: Any, table: Any, *, length: int, align_corners: bool) -> Any:
    """learned.C3: each row of the result lies between two of `table` (N, d), by exact source coordinates."""
    return [
        [near * (1 - share) + far * share for near, far in zip(table[low], table[high], strict=True)]
        for low, high, share in (_between(real, r, len(table), length, align_corners) for r in range(length))
    ]


def _between(real: Any, row: int, rows: int, length: int, align_corners: bool) -> tuple[int, int, Any]:
    """Return the rows before and after the source coordinate, and how far on it lies from the first.

    Beyond the last row both are the last, which is what clamping the coordinate gives.
    """
    if align_corners:
        top, bottom = row * (rows - 1), max(length - 1, 1)
    else:
        top, bottom = (2 * row + 1) * rows - length, 2 * length
    low, rest = divmod(max(top, 0), bottom)
    return low, min(low + 1, rows - 1), real.exact(rest, bottom)
