"""transformer_xl, from spec/schemes/transformer_xl.md."""

from typing import Any

from posref.golden._nested import dot, over


def scores(
    real: Any,
    q: Any,
    k: Any,
    r: Any,
    distances: Any,
    u: Any,
    v: Any,
    q_positions: Any,
    k_positions: Any,
    *,
    scale: Any,
) -> Any:
    """transformer_xl.C1: scale ((q + u) . k + (q + v) . r_n), n the row whose distance is query minus key.

    `q`, `k` (H, ., D), `r` (H, N, D), `distances` (N), `u`, `v` (H, D), positions in tokens; (H, Q, K).
    """
    rows = [[distances.index(p - t) for t in k_positions] for p in q_positions]

    def head(queries: Any, keys: Any, r: Any, u: Any, v: Any) -> Any:
        return [
            [
                scale * (dot(query, key) + dot(u, key) + dot(query, r[n]) + dot(v, r[n]))
                for key, n in zip(keys, row, strict=True)
            ]
            for query, row in zip(queries, rows, strict=True)
        ]

    return over(head, (q, 2), (k, 2), (r, 2), (u, 1), (v, 1))
