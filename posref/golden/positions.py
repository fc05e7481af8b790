"""positions, from spec/schemes/positions.md."""

from typing import Any

from posref.golden._nested import over

LARGEST = 2**54
"""Positions reach 2^53 in size, so that a relative position reaches 2^54."""


def relative(real: Any, q_positions: Any, k_positions: Any) -> Any:
    """positions.C1: the integer r with q + r = k, found by bisection; C2: leading axes broadcast.

    `q_positions` (..., Q) and `k_positions` (..., K) are integers, in tokens; the result is (..., Q, K).
    """
    return over(
        lambda queries, keys: [[_solve(q, k) for k in keys] for q in queries],
        (q_positions, 1),
        (k_positions, 1),
    )


def _solve(q: int, k: int) -> int:
    """Return the largest r with q + r <= k, which is the r with q + r = k."""
    low, high = -LARGEST, LARGEST
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if q + middle <= k else (low, middle - 1)
    return low
