"""Known wrong implementations of ``t5.bias``."""

from typing import Any, Final

import numpy as np

from posref.mistakes import _t5_bucket
from posref.mistakes._alter import Arguments, Array, altered, called, moved
from posref.mistakes._relative import aligned_at_end, offsets, query_from_0
from posref.operation import Mistake

NAME = "t5.bias"
NUMBERS: Final = ("num_buckets", "max_distance", "bidirectional")


def _looked_up(bucket: Any) -> Any:
    """Return an implementation with a wrong bucket; a row beyond the table is counted from its start."""

    def compute(arguments: Arguments) -> Array:
        rows = bucket(offsets(arguments), **{name: arguments[name] for name in NUMBERS})
        table = arguments["table"]
        return np.asarray(np.moveaxis(table[rows % table.shape[0]], -1, -3))

    return called(NAME, compute)


def _first_head(arguments: Arguments) -> Arguments:
    table = arguments["table"]
    return {"table": np.broadcast_to(table[:, :1], table.shape)}


def _other_axis(arguments: Arguments) -> Arguments:
    table = arguments["table"]
    return {"table": table.reshape(table.shape[::-1]).T}


def zero_for_one_query(arguments: Arguments) -> Arguments:
    """Build the bias over the queries' own length: a single one is at 0."""
    query = arguments["q_positions"]
    return {"q_positions": np.zeros_like(query)} if query.shape[-1] == 1 else {}


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


STEP: Final = {
    "table": [[float(row)] for row in range(32)],
    "q_positions": [20],
    "k_positions": [0, 4, 8, 19, 20],
}
CAUSAL: Final = {"num_buckets": 32, "max_distance": 128, "bidirectional": False}

MISTAKES: Final = (
    _mistake(
        "rounded",
        "bucket-rounding",
        "a rounded logarithm gives where it is floored",
        _looked_up(_t5_bucket.rounded),
    ),
    _mistake(
        "last-bucket-not-clamped",
        "bucket-clamp",
        "buckets beyond the last one give: their rows start over",
        _looked_up(_t5_bucket.unclamped),
        "https://github.com/huggingface/candle/issues/1312",
    ),
    _mistake(
        "sides-exchanged",
        "bucket-side",
        "the upper half of the buckets for the past gives",
        _looked_up(_t5_bucket.sides_exchanged),
    ),
    _mistake(
        "query-minus-key",
        "relative-direction",
        "query minus key gives",
        _looked_up(_t5_bucket.query_minus_key),
    ),
    _mistake(
        "bidirectional-in-decoder",
        "bucket-direction",
        "half of the buckets gives: the decoder was bucketed like the encoder",
        _looked_up(_t5_bucket.always_bidirectional),
    ),
    _mistake(
        "causal-in-encoder",
        "bucket-causal",
        "all buckets for the past give: the encoder was bucketed like the decoder",
        _looked_up(_t5_bucket.always_causal),
    ),
    _mistake(
        "distance-128",
        "max-distance",
        "the distance 128 gives where another `max_distance` is declared",
        _looked_up(_t5_bucket.distance_128),
    ),
    _mistake(
        "bias-of-head-0", "bias-head", "the first head's bias gives in every head", altered(NAME, _first_head)
    ),
    _mistake(
        "heads-by-buckets",
        "table-axes",
        "a table laid out heads by buckets gives",
        altered(NAME, _other_axis),
    ),
    _mistake(
        "query-from-0",
        "restarted-positions",
        "a query counted from 0 gives: the number of cached keys is forgotten",
        altered(NAME, query_from_0),
        "https://github.com/huggingface/candle/issues/899",
        inputs=STEP,
        params=CAUSAL,
        output=[0.0, 0.0, 0.0, 0.0, 0.0],
    ),
    _mistake(
        "aligned-at-end",
        "end-alignment",
        "indices aligned at the last key give where positions are declared",
        altered(NAME, aligned_at_end),
    ),
    _mistake(
        "single-query-at-0",
        "decode-bias",
        "a bias over the queries' own length gives: a single query is at 0",
        altered(NAME, zero_for_one_query),
        "https://github.com/keras-team/keras-hub/issues/2932",
    ),
    *moved(NAME, "positions-consecutive", "positions-of-row-0"),
)
