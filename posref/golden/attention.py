"""attention, from spec/schemes/attention.md."""

from bisect import bisect_right
from typing import Any

from posref.golden._nested import dot, over

MASKED = float("-inf")


def causal_mask(real: Any, q_positions: Any, k_positions: Any) -> Any:
    """attention.C2: of the keys in the order of their positions, a query sees those up to its own.

    `q_positions` (..., Q) and `k_positions` (..., K) are integers, in tokens; the result is (..., Q, K),
    1 where the key may be attended to.
    """
    return over(_prefixes, (q_positions, 1), (k_positions, 1))


def _prefixes(queries: list[int], keys: list[int]) -> list[list[int]]:
    order = sorted(range(len(keys)), key=lambda j: keys[j])
    ranks = {j: rank for rank, j in enumerate(order)}
    visible = [bisect_right([keys[j] for j in order], q) for q in queries]
    return [[int(ranks[j] < count) for j in range(len(keys))] for count in visible]


def scores(real: Any, q: Any, k: Any, *, scale: Any) -> Any:
    """attention.C1: scale times the sum over a of q_ia k_ja; `q` (..., Q, D), `k` (..., K, D)."""
    return over(
        lambda queries, keys: [[scale * dot(query, key) for key in keys] for query in queries], (q, 2), (k, 2)
    )


def score_terms(
    real: Any, content_q: Any, position_q: Any, content_k: Any, position_k: Any, *, scale: Any
) -> Any:
    """attention.C8: content and position of the queries against content and position of the keys."""
    return tuple(
        scores(real, q, k, scale=scale) for q in (content_q, position_q) for k in (content_k, position_k)
    )


def output(real: Any, q: Any, k: Any, v: Any, bias: Any, mask: Any, *, scale: Any) -> Any:
    """attention.C3: softmax over keys of the scaled scores plus bias, times the values; C4: -inf is masked.

    `q` (..., Q, D), `k` (..., K, D), `v` (..., K, E); `bias` and `mask` (..., Q, K) or None.
    """

    def row(query: Any, keys: Any, values: Any, bias: Any, mask: Any) -> Any:
        seen = [j for j in range(len(keys)) if mask[j] and bias[j] != MASKED]
        z = [scale * dot(query, keys[j]) + bias[j] for j in seen]
        return _weighted_means(real, z, [values[j] for j in seen])

    def block(queries: Any, keys: Any, values: Any, bias: Any, mask: Any) -> Any:
        biases = _against(len(queries), len(keys), bias, absent=0)
        masks = _against(len(queries), len(keys), mask, absent=1)
        return [row(query, keys, values, b, m) for query, b, m in zip(queries, biases, masks, strict=True)]

    return over(block, (q, 2), (k, 2), (v, 2), (bias, 2), (mask, 2))


def _against(queries: int, keys: int, table: Any, *, absent: int) -> list[list[Any]]:
    """Return a bias or mask of shape (Q, K); axes of size one are repeated (attention.C6)."""
    rows = [[absent]] if table is None else table
    rows = rows * queries if len(rows) == 1 else rows
    return [row * keys if len(row) == 1 else row for row in rows]


def _weighted_means(real: Any, z: list[Any], v: list[list[Any]]) -> list[Any]:
    """Return sum e^z_j v_je / sum e^z_j over j, for each column e.

    Keys of equal z share one exponential, and a mean is counted from that of the largest z: so a mean that
    is rational (one key, equal scores, equal values) comes out exact, and only then, because exponentials of
    different rationals are linearly independent over the rationals (Lindemann and Weierstrass).
    """
    top = max(z)
    groups: dict[Any, list[list[Any]]] = {}
    for exponent, values in zip(z, v, strict=True):
        groups.setdefault(exponent, []).append(values)
    weights = {exponent: real.exp(exponent - top) for exponent in groups}
    total = sum(weights[exponent] * len(members) for exponent, members in groups.items())

    def mean(e: int) -> Any:
        sums = {exponent: sum(values[e] for values in members) for exponent, members in groups.items()}
        start = sums[top] / real.exact(len(groups[top]))
        excess = sum(weights[z] * (sums[z] - len(groups[z]) * start) for z in groups)
        return start + excess / total

    return [mean(e) for e in range(len(v[0]))]
