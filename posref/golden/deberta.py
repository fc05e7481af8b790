"""deberta, from spec/schemes/deberta.md."""

from typing import Any

from posref.golden._nested import dot, over


def bucket(
    real: Any,
    relative_position: Any,
    *,
    position_buckets: int,
    max_relative_positions: int,
    clamp_first: bool,
) -> Any:
    """deberta.C1: the sign times the distance up to the middle, and from there powers of the farthest."""
    middle, farthest = position_buckets // 2, max_relative_positions - 1

    def signed(relative: int) -> int:
        distance = min(abs(relative), farthest) if clamp_first else abs(relative)
        sign = relative // max(abs(relative), 1)
        return sign * (min(distance, middle) + _power(distance, middle, farthest))

    return over(signed, (relative_position, 0))


def _power(distance: int, middle: int, farthest: int) -> int:
    """Return the least k >= 0 with (distance/middle)^(middle - 1) <= (farthest/middle)^k."""
    left, right = distance ** (middle - 1), middle ** (middle - 1)
    k = 0
    while left > right:
        left, right, k = left * middle, right * farthest, k + 1
    return k


def scores(
    real: Any, q: Any, k: Any, pos_q: Any, pos_k: Any, index: Any, *, terms: list[str], scale: Any
) -> Any:
    """deberta.C2: the scale times the sum of the wanted terms, (H, Q, K).

    `q`, `k` (H, ., D), `pos_q`, `pos_k` (H, N, D); `index` (Q, K) names their rows.
    """

    def term(name: str, query: Any, key: Any, row_q: Any, row_k: Any) -> Any:
        return dot(*{"c2c": (query, key), "c2p": (query, row_k), "p2c": (key, row_q)}[name])

    def head(queries: Any, keys: Any, pos_q: Any, pos_k: Any) -> Any:
        return [
            [
                scale * sum(term(name, query, key, pos_q[n], pos_k[n]) for name in terms)
                for key, n in zip(keys, row, strict=True)
            ]
            for query, row in zip(queries, index, strict=True)
        ]

    return over(head, (q, 2), (k, 2), (pos_q, 2), (pos_k, 2))
