"""Known wrong implementations of the operations in `spec/schemes/positions.md`."""

from typing import Any, Final

import numpy as np

from posref.mistakes import _positions_ids, _positions_shard
from posref.mistakes._alter import FLOAT32, Array, moved, significant
from posref.mistakes._ignored import ignored
from posref.mistakes._stale import POSITIONS as STALE
from posref.operation import Mistake
from posref.reference import positions

__all__ = ["MISTAKES", "STALE"]

NAME = "positions.relative"


def _pair(q_positions: Array, k_positions: Array) -> tuple[Array, Array]:
    """Return both as (..., Q, 1) and (..., 1, K)."""
    return np.asarray(q_positions)[..., :, None], np.asarray(k_positions)[..., None, :]


def query_minus_key(q_positions: Array, k_positions: Array) -> Any:
    """Return q - k."""
    return -positions.relative(q_positions, k_positions)


def distance(q_positions: Array, k_positions: Array) -> Any:
    """Return the size of the difference."""
    return np.abs(positions.relative(q_positions, k_positions))


def query_from_0(q_positions: Array, k_positions: Array) -> Any:
    """Count the queries from 0 and keep the positions of the keys."""
    restarted = np.broadcast_to(np.arange(q_positions.shape[-1]), q_positions.shape)
    return positions.relative(restarted, k_positions)


def aligned_at_end(q_positions: Array, k_positions: Array) -> Any:
    """Align the last query with the last key, by indices."""
    right = positions.relative(q_positions, k_positions)
    queries, keys = right.shape[-2:]
    return np.broadcast_to(np.arange(keys) - np.arange(keys - queries, keys)[:, None], right.shape)


def query_from_1(q_positions: Array, k_positions: Array) -> Any:
    """Count the queries from 1."""
    return positions.relative(q_positions, k_positions) - 1


def future_is_0(q_positions: Array, k_positions: Array) -> Any:
    """Cut positive differences to 0."""
    return np.minimum(positions.relative(q_positions, k_positions), 0)


def wrapped_int32(q_positions: Array, k_positions: Array) -> Any:
    """Keep the lowest 32 bits."""
    return positions.relative(q_positions, k_positions).astype(np.int32).astype(np.int64)


def through_float32(q_positions: Array, k_positions: Array) -> Any:
    """Hold positions and difference in float32."""
    q, k = _pair(significant(q_positions, FLOAT32), significant(k_positions, FLOAT32))
    return significant(k - q, FLOAT32).astype(np.int64)


def through_float64(q_positions: Array, k_positions: Array) -> Any:
    """Form the difference in float64."""
    q, k = _pair(q_positions, k_positions)
    return (k.astype(np.float64) - q.astype(np.float64)).astype(np.int64)


def _mistake(flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    name = function.__name__.replace("_", "-")
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


MISTAKES: Final = (
    _mistake(
        "relative-direction",
        "query minus key gives: the sign of every relative position is reversed",
        query_minus_key,
        inputs={"q_positions": [0, 1, 2], "k_positions": [0, 1, 2]},
        params={},
        output=[0, -1, -2, 1, 0, -1, 2, 1, 0],
    ),
    _mistake("unsigned-position", "the distance gives: past and future look the same", distance),
    _mistake(
        "restarted-positions",
        "a query counted from 0 gives: the number of cached keys is forgotten",
        query_from_0,
        "https://github.com/huggingface/candle/issues/899",
        inputs={"q_positions": [20], "k_positions": [0, 4, 8, 19, 20]},
        params={},
        output=[0, 4, 8, 19, 20],
    ),
    _mistake(
        "end-alignment",
        "indices aligned at the last key give where positions are declared",
        aligned_at_end,
        "https://github.com/Dao-AILab/flash-attention/issues/907",
    ),
    _mistake("shifted-position", "queries counted from 1 give against keys counted from 0", query_from_1),
    _mistake("future-clipped", "a causal rule gives: keys of the future are all at 0", future_is_0),
    _mistake("position-int32", "32-bit integers give: the difference wraps", wrapped_int32),
    _mistake("position-rounding", "float32 positions give: integers above 2^24 are rounded", through_float32),
    _mistake("position-float64", "a difference in float64 gives: it is rounded above 2^53", through_float64),
    *moved(NAME, "positions-consecutive", "positions-of-row-0"),
    *_positions_ids.MISTAKES,
    *_positions_shard.MISTAKES,
    *ignored("positions"),
)
