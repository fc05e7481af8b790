"""Known wrong implementations of ``attention.causal_mask``."""

from typing import Any, Final

import numpy as np

from posref.mistakes._alter import FLOAT32, Array, moved, significant
from posref.operation import Mistake
from posref.reference import attention

NAME = "attention.causal_mask"


def strict(q_positions: Array, k_positions: Array) -> Any:
    """Forbid the query's own position."""
    q, k = np.asarray(q_positions), np.asarray(k_positions)
    return k[..., None, :] < q[..., :, None]


def true_is_masked(q_positions: Array, k_positions: Array) -> Any:
    """Mark what is forbidden."""
    return ~attention.causal_mask(q_positions, k_positions)


def future_allowed(q_positions: Array, k_positions: Array) -> Any:
    """Allow the keys at and after the query."""
    q, k = np.asarray(q_positions), np.asarray(k_positions)
    return k[..., None, :] >= q[..., :, None]


def nothing_masked(q_positions: Array, k_positions: Array) -> Any:
    """Allow everything."""
    return np.ones_like(attention.causal_mask(q_positions, k_positions))


def aligned_at_end(q_positions: Array, k_positions: Array) -> Any:
    """Align the last query with the last key, by indices."""
    right = attention.causal_mask(q_positions, k_positions)
    queries, keys = right.shape[-2:]
    return np.broadcast_to(np.arange(keys) <= np.arange(keys - queries, keys)[:, None], right.shape)


def query_from_0(q_positions: Array, k_positions: Array) -> Any:
    """Count the queries from 0 and keep the positions of the keys."""
    restarted = np.broadcast_to(np.arange(q_positions.shape[-1]), q_positions.shape)
    return attention.causal_mask(restarted, k_positions)


def positions_float32(q_positions: Array, k_positions: Array) -> Any:
    """Compare positions rounded to float32."""
    q, k = significant(q_positions, FLOAT32), significant(k_positions, FLOAT32)
    return k[..., None, :] <= q[..., :, None]


def positions_int32(q_positions: Array, k_positions: Array) -> Any:
    """Compare the lowest 32 bits."""
    q, k = np.asarray(q_positions).astype(np.int32), np.asarray(k_positions).astype(np.int32)
    return k[..., None, :] <= q[..., :, None]


def _mistake(flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    name = function.__name__.replace("_", "-")
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


MISTAKES: Final = (
    _mistake("mask-strict", "key < query gives: a token may not attend to itself", strict),
    _mistake(
        "mask-inverted",
        "the opposite convention gives: true marks what is masked",
        true_is_masked,
        inputs={"q_positions": [0, 1], "k_positions": [0, 1, 2]},
        params={},
        output=[0, 1, 1, 0, 0, 1],
    ),
    _mistake("mask-inverted", "a reversed comparison gives: the future is allowed", future_allowed),
    _mistake("mask-missing", "no mask gives: every key is allowed", nothing_masked),
    _mistake(
        "end-alignment",
        "a triangle aligned at the last key gives where positions are declared",
        aligned_at_end,
        "https://github.com/Dao-AILab/flash-attention/issues/907",
    ),
    _mistake(
        "restarted-positions", "a query counted from 0 gives: the cache's length is forgotten", query_from_0
    ),
    _mistake(
        "position-rounding", "float32 positions give: integers above 2^24 are rounded", positions_float32
    ),
    _mistake("position-int32", "32-bit positions give: they wrap beyond 2^31", positions_int32),
    *moved(NAME, "positions-consecutive", "positions-from-0", "positions-absolute", "positions-of-row-0"),
)
