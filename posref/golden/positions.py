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


def from_mask(real: Any, attention_mask: Any, *, rule: str, pad_value: Any, padding_idx: Any) -> Any:
    """positions.C4: a token counts the tokens before it in its row (B, T), from the rule's first index."""
    if rule == "arange":
        return [list(range(len(row))) for row in attention_mask]
    first, pad = {"cumsum": (0, pad_value), "roberta": (1, 0), "opt": (2, 1)}[rule]
    shift = padding_idx if rule == "roberta" else 0
    return [
        [shift + (first + sum(row[:t]) if token else pad) for t, token in enumerate(row)]
        for row in attention_mask
    ]


def from_lengths(real: Any, cu_seqlens: Any) -> Any:
    """positions.C5: the distance of each token from the last document start that is not behind it."""
    return [token - max(start for start in cu_seqlens if start <= token) for token in range(cu_seqlens[-1])]


def shard(real: Any, position_ids: Any, *, world_size: int, rank: int, scheme: str) -> Any:
    """positions.C6: equal pieces are dealt to the ranks, in turn (or there and back), and one hand kept."""
    ranks = list(range(world_size))
    turns = {
        "contiguous": ranks,
        "zigzag": ranks + ranks[::-1],
        "striped": ranks * (len(position_ids) // world_size),
    }[scheme]
    return [
        position
        for t, position in enumerate(position_ids)
        if turns[t * len(turns) // len(position_ids)] == rank
    ]
