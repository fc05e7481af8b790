"""t5, from spec/schemes/t5.md."""

from bisect import bisect_left, bisect_right
from functools import cache
from typing import Any

from posref.golden._nested import over


def bucket(
    real: Any, relative_position: Any, *, num_buckets: int, max_distance: int, bidirectional: bool
) -> Any:
    """t5.C2: how many bucket starts the distance has reached; C1: its side."""
    return over(
        lambda relative: _bucket(relative, num_buckets, max_distance, bidirectional), (relative_position, 0)
    )


def bias(
    real: Any,
    table: Any,
    q_positions: Any,
    k_positions: Any,
    *,
    num_buckets: int,
    max_distance: int,
    bidirectional: bool,
) -> Any:
    """t5.C3: entry (bucket, head) of `table` (N, H), moved, for each head, query and key: (..., H, Q, K)."""

    def block(queries: list[int], keys: list[int]) -> Any:
        rows = [[_bucket(k - q, num_buckets, max_distance, bidirectional) for k in keys] for q in queries]
        return [[[head[n] for n in row] for row in rows] for head in zip(*table, strict=True)]

    return over(block, (q_positions, 1), (k_positions, 1))


def _bucket(relative: int, num_buckets: int, max_distance: int, bidirectional: bool) -> int:
    if not bidirectional:
        return bisect_right(_starts(num_buckets, max_distance), -relative)
    side = num_buckets // 2
    return bisect_right(_starts(side, max_distance), abs(relative)) + side * (relative > 0)


@cache
def _starts(buckets: int, max_distance: int) -> list[int]:
    """Return the least distance of each bucket of one side but the first, which starts at 0.

    Each distance below e has its own; then, with l = buckets - e, the bucket e + k starts where
    n^l reaches max_distance^k e^(l - k).
    """
    exact = buckets // 2
    rest = buckets - exact

    def start(k: int) -> int:
        goal = max_distance**k * exact ** (rest - k)
        return exact + bisect_left(range(exact, max_distance), goal, key=lambda n: n**rest)

    return [*range(1, exact), *(start(k) for k in range(rest))]
