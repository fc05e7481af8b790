"""Known wrong implementations of ``t5.bucket``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import BFLOAT16, Array, altered, significant
from posref.operation import Mistake
from posref.reference import t5

NAME = "t5.bucket"
SLACK = 1e-9
"""Far below the distance of any pre-floor value from an integer that it does not equal."""

Bucket = Callable[..., Any]


def _logarithmic(n: Array, side: int, top: int) -> Array:
    """Return the exact count plus the unfinished logarithmic term, for distances from there on."""
    exact = max(side // 2, 1)
    ratio = np.log(np.maximum(n, exact) / exact) / np.log(max(top, exact + 1) / exact)
    return np.asarray(exact + ratio * (side - exact))


def _bucket(finish: Callable[[Array, int, int], Array]) -> Bucket:
    """Return an implementation whose logarithmic buckets are `finish(n, side, max_distance)`."""

    def wrong(relative_position: Any, *, num_buckets: int, max_distance: int, bidirectional: bool) -> Array:
        r = np.asarray(relative_position)
        side = num_buckets // 2 if bidirectional else num_buckets
        n = np.abs(r) if bidirectional else np.maximum(-r, 0)
        row = np.where(n < side // 2, n, finish(n, side, max_distance).astype(np.int64))
        return np.asarray(row + (side * (r > 0) if bidirectional else 0))

    return wrong


def _rounded(n: Array, side: int, top: int) -> Array:
    return np.minimum(np.rint(_logarithmic(n, side, top)), side - 1)


def _raised(n: Array, side: int, top: int) -> Array:
    return np.minimum(np.ceil(_logarithmic(n, side, top) - SLACK), side - 1)


def _unclamped(n: Array, side: int, top: int) -> Array:
    return np.floor(_logarithmic(n, side, top) + SLACK)


def _linear(n: Array, side: int, top: int) -> Array:
    return np.minimum(n, side - 1)


def _bfloat16(n: Array, side: int, top: int) -> Array:
    exact = side // 2
    ratio = significant(significant(np.maximum(n, exact), BFLOAT16) / exact, BFLOAT16)
    logarithm = significant(np.log(ratio), BFLOAT16)
    share = significant(logarithm / float(significant(np.log(top / exact), BFLOAT16)), BFLOAT16)
    return np.asarray(np.minimum(exact + np.floor(significant(share * (side - exact), BFLOAT16)), side - 1))


def _constant(n: Array, side: int, top: int) -> Array:
    exact = side // 2
    factor = (side - exact) / np.log(top / exact)
    return np.asarray(np.minimum(exact + np.floor(np.log(np.maximum(n, exact) / exact) * factor), side - 1))


rounded, raised, unclamped = _bucket(_rounded), _bucket(_raised), _bucket(_unclamped)
linear, short_logarithm, constant_factor = _bucket(_linear), _bucket(_bfloat16), _bucket(_constant)
floored = _bucket(lambda n, side, top: np.minimum(_unclamped(n, side, top), side - 1))


def query_minus_key(relative_position: Any, **numbers: Any) -> Any:
    """Bucket q - k."""
    return t5.bucket(-np.asarray(relative_position), **numbers)


def sides_exchanged(
    relative_position: Any, *, num_buckets: int, max_distance: int, bidirectional: bool
) -> Any:
    """Give the upper half of the buckets to the past."""
    r = np.asarray(relative_position)
    return floored(
        -r if bidirectional else r,
        num_buckets=num_buckets,
        max_distance=max_distance,
        bidirectional=bidirectional,
    )


def own_key_in_future(
    relative_position: Any, *, num_buckets: int, max_distance: int, bidirectional: bool
) -> Any:
    """Count relative position 0 to the future."""
    row = t5.bucket(
        relative_position, num_buckets=num_buckets, max_distance=max_distance, bidirectional=bidirectional
    )
    return row + np.where((np.asarray(relative_position) == 0) & bidirectional, num_buckets // 2, 0)


def always_bidirectional(
    relative_position: Any, *, num_buckets: int, max_distance: int, bidirectional: bool
) -> Any:
    """Halve the buckets in the decoder too."""
    return floored(relative_position, num_buckets=num_buckets, max_distance=max_distance, bidirectional=True)


def always_causal(relative_position: Any, *, num_buckets: int, max_distance: int, bidirectional: bool) -> Any:
    """Give the past all buckets in the encoder too."""
    top = max(max_distance, num_buckets // 2 + 1)
    return floored(relative_position, num_buckets=num_buckets, max_distance=top, bidirectional=False)


def unsigned_causal(
    relative_position: Any, *, num_buckets: int, max_distance: int, bidirectional: bool
) -> Any:
    """Take the distance in the decoder too: the future has the buckets of the past."""
    r = np.asarray(relative_position)
    return floored(
        r if bidirectional else -np.abs(r),
        num_buckets=num_buckets,
        max_distance=max_distance,
        bidirectional=bidirectional,
    )


def distance_128(relative_position: Any, *, num_buckets: int, max_distance: int, bidirectional: bool) -> Any:
    """Take 128 whatever is declared."""
    return floored(relative_position, num_buckets=num_buckets, max_distance=128, bidirectional=bidirectional)


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


PUBLISHED: Final = {"num_buckets": 32, "max_distance": 128, "bidirectional": True}
CAUSAL: Final = PUBLISHED | {"bidirectional": False}

MISTAKES: Final = (
    _mistake(
        "rounded",
        "bucket-rounding",
        "a rounded logarithm gives where it is floored",
        rounded,
        inputs={"relative_position": [-15, -128]},
        params=PUBLISHED,
        output=[10, 15],
    ),
    _mistake("raised", "bucket-rounding", "a logarithm rounded up gives where it is floored", raised),
    _mistake(
        "last-bucket-not-clamped",
        "bucket-clamp",
        "buckets beyond the last one give",
        unclamped,
        "https://github.com/huggingface/candle/issues/1312",
        inputs={"relative_position": [-128, 512]},
        params=PUBLISHED,
        output=[16, 36],
    ),
    _mistake(
        "distances-clipped", "bucket-linear", "distances clipped to the buckets give: no logarithm", linear
    ),
    _mistake(
        "sides-exchanged",
        "bucket-side",
        "the upper half of the buckets for the past gives",
        sides_exchanged,
        inputs={"relative_position": [-1, 0, 1]},
        params=PUBLISHED,
        output=[17, 0, 1],
    ),
    _mistake(
        "own-key-in-future",
        "bucket-zero",
        "relative position 0 counted to the future gives",
        own_key_in_future,
    ),
    _mistake("query-minus-key", "relative-direction", "query minus key gives", query_minus_key),
    _mistake(
        "bidirectional-in-decoder",
        "bucket-direction",
        "half of the buckets gives: the decoder was bucketed like the encoder",
        always_bidirectional,
        inputs={"relative_position": [-20, 3]},
        params=CAUSAL,
        output=[10, 19],
    ),
    _mistake(
        "causal-in-encoder",
        "bucket-causal",
        "all buckets for the past give: the encoder was bucketed like the decoder",
        always_causal,
    ),
    _mistake(
        "future-unsigned",
        "bucket-future",
        "the distance gives: future keys of a decoder have no bucket 0",
        unsigned_causal,
    ),
    _mistake(
        "bfloat16-logarithm",
        "bucket-precision",
        "a logarithm in bfloat16 gives",
        short_logarithm,
        "https://github.com/mindspore-lab/mindone/issues/670",
        inputs={"relative_position": [-45, -90]},
        params=PUBLISHED,
        output=[13, 15],
    ),
    _mistake(
        "constant-factor",
        "bucket-constant",
        "a float64 logarithm times a precomputed constant gives: edges that are integers are missed",
        constant_factor,
        inputs={"relative_position": [-64]},
        params=PUBLISHED,
        output=[13],
    ),
    _mistake(
        "distance-128",
        "max-distance",
        "the distance 128 gives where another `max_distance` is declared",
        distance_128,
    ),
    _mistake(
        "buckets-32",
        "bucket-number",
        "32 buckets give where another number is declared",
        altered(NAME, lambda given: {"num_buckets": 32}, optional=True),
    ),
)
