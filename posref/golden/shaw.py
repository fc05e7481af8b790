"""shaw, from spec/schemes/shaw.md."""

from bisect import bisect_right
from typing import Any

from posref.golden._nested import dot, over


def index(real: Any, q_positions: Any, k_positions: Any, *, clip_left: int, clip_right: int) -> Any:
    """shaw.C1: how many of the offsets -left + 1 ... right the key has reached, (..., Q, K)."""
    steps = range(1 - clip_left, clip_right + 1)
    return over(
        lambda queries, keys: [[bisect_right(steps, k - q) for k in keys] for q in queries],
        (q_positions, 1),
        (k_positions, 1),
    )


def scores(real: Any, q: Any, k: Any, table_k: Any, index: Any, *, scale: Any) -> Any:
    """shaw.C2: the scale times (q . k + q . a), a the row of `table_k` (N, D) that `index` (Q, K) names."""

    def block(queries: Any, keys: Any) -> Any:
        return [
            [scale * (dot(query, key) + dot(query, table_k[n])) for key, n in zip(keys, row, strict=True)]
            for query, row in zip(queries, index, strict=True)
        ]

    return over(block, (q, 2), (k, 2))


def output(real: Any, weights: Any, v: Any, table_v: Any, index: Any) -> Any:
    """shaw.C3: the sum of w (v + a) over keys; `weights` (..., Q, K), `v` (..., K, D), `table_v` (N, D)."""
    columns = list(enumerate(zip(*table_v, strict=True)))

    def row(weights: list[Any], values: Any, offsets: list[int]) -> list[Any]:
        seen = list(zip(weights, values, offsets, strict=True))
        return [sum(weight * (value[e] + column[n]) for weight, value, n in seen) for e, column in columns]

    def block(weights: Any, values: Any) -> Any:
        return [row(given, values, offsets) for given, offsets in zip(weights, index, strict=True)]

    return over(block, (weights, 2), (v, 2))
