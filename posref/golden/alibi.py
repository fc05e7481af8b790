"""alibi, from spec/schemes/alibi.md."""

from typing import Any

from posref.golden._nested import over


def slopes(real: Any, *, num_heads: int, bias_max: Any, head_start: int, head_count: int | None) -> Any:
    """alibi.C1 and C2: 2^(-bias_max k/n) for n heads, then every other slope of 2n; C3: a share of them."""
    n = 1
    while 2 * n <= num_heads:
        n *= 2
    exponents = [-bias_max * real.exact(k, n) for k in range(1, n + 1)]
    exponents += [-bias_max * real.exact(2 * j + 1, 2 * n) for j in range(num_heads - n)]
    end = num_heads if head_count is None else head_start + head_count
    return [real.pow(real.exact(2), exponent) for exponent in exponents[head_start:end]]


def bias(real: Any, q_positions: Any, k_positions: Any, slopes: Any, *, form: str, future: str) -> Any:
    """alibi.C5: the slope times minus the distance, its size, or the key's index; C6: future keys.

    `q_positions` (..., Q), `k_positions` (..., K) in tokens, `slopes` (H); the result is (..., H, Q, K).
    """

    def penalty(m: Any, q: int, k: int) -> Any:
        if k > q and future == "neg_inf":
            return float("-inf")
        return {"neg_distance": -m * (q - k), "neg_abs": -m * abs(q - k), "key_index": m * k}[form]

    return over(
        lambda queries, keys: [[[penalty(m, q, k) for k in keys] for q in queries] for m in slopes],
        (q_positions, 1),
        (k_positions, 1),
    )
