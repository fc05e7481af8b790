"""Known wrong implementations of ``deberta.bucket``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import BFLOAT16, Array, altered, significant
from posref.operation import Mistake
from posref.reference import deberta

NAME = "deberta.bucket"
SLACK = 1e-9
"""Far below the distance of any value before rounding from an integer that it does not equal."""


def _term(distance: Array, middle: int, top: int) -> Array:
    """Return the logarithmic term before it is rounded, for distances beyond the middle."""
    ratio = np.log(np.maximum(distance, middle) / middle) / np.log(top / middle)
    return np.asarray(ratio * (middle - 1))


def _bucket(finish: Callable[[Array, int, int], Array]) -> Callable[..., Any]:
    """Return an implementation with logarithmic buckets ``middle + finish(distance, middle, top)``."""

    def wrong(
        relative_position: Any, *, position_buckets: int, max_relative_positions: int, clamp_first: bool
    ) -> Array:
        middle, top = position_buckets // 2, max_relative_positions - 1
        d = np.asarray(relative_position)
        d = np.clip(d, -top, top) if clamp_first else d
        far = middle + finish(np.abs(d), middle, top).astype(np.int64)
        return np.asarray(np.where(np.abs(d) <= middle, d, np.sign(d) * far))

    return wrong


def _short(distance: Array, middle: int, top: int) -> Array:
    near = significant(np.maximum(distance, middle), BFLOAT16)
    logarithm = significant(np.log(significant(near / middle, BFLOAT16)), BFLOAT16)
    share = significant(logarithm / float(significant(np.log(top / middle), BFLOAT16)), BFLOAT16)
    return np.ceil(significant(share * (middle - 1), BFLOAT16))


floored = _bucket(lambda distance, middle, top: np.floor(_term(distance, middle, top) + SLACK))
rounded = _bucket(lambda distance, middle, top: np.rint(_term(distance, middle, top)))
one_further = _bucket(lambda distance, middle, top: np.ceil(_term(distance, middle, top + 1) - SLACK))
short_logarithm = _bucket(_short)


def key_minus_query(relative_position: Any, **numbers: Any) -> Any:
    """Bucket k - q."""
    return -deberta.bucket(relative_position, **numbers)


def unsigned(relative_position: Any, **numbers: Any) -> Any:
    """Lose the sign."""
    return np.abs(deberta.bucket(relative_position, **numbers))


def never_clamped(relative_position: Any, **numbers: Any) -> Any:
    """Take the bucket of the distance as it is."""
    return deberta.bucket(relative_position, **{**numbers, "clamp_first": False})


def always_clamped(relative_position: Any, **numbers: Any) -> Any:
    """Clamp the distance whatever is declared."""
    return deberta.bucket(relative_position, **{**numbers, "clamp_first": True})


def bucket_clipped(relative_position: Any, **numbers: Any) -> Any:
    """Clip to the buckets of one side, as an index would be."""
    limit = numbers["position_buckets"] // 2
    return np.clip(deberta.bucket(relative_position, **numbers), -limit, limit - 1)


def numbers_exchanged(
    relative_position: Any, *, position_buckets: int, max_relative_positions: int, clamp_first: bool
) -> Any:
    """Pass the two numbers in the other order: half the positions are exact, the rest decreases."""
    middle, top = max_relative_positions // 2, position_buckets - 1
    d = np.asarray(relative_position)
    term = np.zeros(d.shape) if top in (middle, 0) else _term(np.abs(d), middle, top)
    far = middle + np.ceil(term - SLACK).astype(np.int64)
    return np.asarray(np.where(np.abs(d) <= middle, d, np.sign(d) * far))


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


V3: Final = {"position_buckets": 256, "max_relative_positions": 512, "clamp_first": False}

MISTAKES: Final = (
    _mistake(
        "floored",
        "bucket-rounding",
        "a floored logarithm gives where it is rounded up",
        floored,
        inputs={"relative_position": [129, 200, 511]},
        params=V3,
        output=[128, 168, 255],
    ),
    _mistake("rounded", "bucket-rounding", "a rounded logarithm gives where it is rounded up", rounded),
    _mistake(
        "key-minus-query",
        "offset-direction",
        "key minus query gives",
        key_minus_query,
        "https://github.com/microsoft/DeBERTa/issues/47",
        inputs={"relative_position": [2, -129]},
        params=V3,
        output=[-2, 129],
    ),
    _mistake("unsigned", "bucket-sign", "buckets without their sign give", unsigned),
    _mistake("never-clamped", "clamp-first", "a distance that was not clamped first gives", never_clamped),
    _mistake(
        "always-clamped",
        "clamp-late",
        "a distance clamped first gives where the bucket of the whole distance is declared",
        always_clamped,
    ),
    _mistake(
        "bucket-clipped", "bucket-clamp", "buckets already clipped to half their number give", bucket_clipped
    ),
    _mistake(
        "numbers-exchanged",
        "bucket-arguments",
        "the number of buckets and the largest distance exchanged give",
        numbers_exchanged,
    ),
    _mistake(
        "one-further",
        "bucket-top",
        "a last distance one too far gives: max_relative_positions where it less 1 is declared",
        one_further,
    ),
    _mistake(
        "distance-512",
        "max-distance",
        "the distance 512 gives where another `max_relative_positions` is declared",
        altered(NAME, lambda given: {"max_relative_positions": 512}, optional=True),
    ),
    _mistake(
        "buckets-256",
        "bucket-number",
        "256 buckets give where another number is declared",
        altered(NAME, lambda given: {"position_buckets": 256}, optional=True),
    ),
    _mistake("bfloat16-logarithm", "bucket-precision", "a logarithm in bfloat16 gives", short_logarithm),
)
