"""Known wrong implementations of ``alibi.slopes``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Array, altered
from posref.operation import Mistake

NAME = "alibi.slopes"


def _power(num_heads: int) -> int:
    """Return the largest power of two that is not above `num_heads`."""
    return 1 << (num_heads.bit_length() - 1)


def geometric(num_heads: int, bias_max: float) -> Array:
    """Return the sentence of the paper, for every count."""
    return 2.0 ** (-bias_max * np.arange(1, num_heads + 1) / num_heads)


def padded(num_heads: int, bias_max: float) -> Array:
    """Return the first slopes of the next power of two."""
    count = _power(num_heads)
    return geometric(count if count == num_heads else 2 * count, bias_max)[:num_heads]


def from_0(num_heads: int, bias_max: float) -> Array:
    """Count the heads from 0: every exponent one step early."""
    return _published(num_heads, bias_max, first=0, extra=slice(0, None, 2))


def even_places(num_heads: int, bias_max: float) -> Array:
    """Take the extra slopes from the even places of the longer list."""
    return _published(num_heads, bias_max, first=1, extra=slice(1, None, 2))


def ordered(num_heads: int, bias_max: float) -> Array:
    """Sort the slopes."""
    return np.sort(_published(num_heads, bias_max, first=1, extra=slice(0, None, 2)))[::-1]


def _published(num_heads: int, bias_max: float, first: int, extra: slice) -> Array:
    count = _power(num_heads)
    own = 2.0 ** (-bias_max * np.arange(first, count + first) / count)
    longer = 2.0 ** (-bias_max * np.arange(first, 2 * count + first) / (2 * count))
    return np.concatenate([own, longer[extra][: num_heads - count]])


def _shared(slopes: Callable[[int, float], Array]) -> Callable[..., Any]:
    """Return an implementation: the rule for all heads, then the share of them."""

    def wrong(
        *, num_heads: int, bias_max: float, head_start: int = 0, head_count: int | None = None
    ) -> Array:
        end = None if head_count is None else head_start + head_count
        return slopes(num_heads, bias_max)[head_start:end]

    return wrong


def _share(arguments: dict[str, Any]) -> dict[str, Any]:
    start = arguments.get("head_start", 0)
    count = arguments.get("head_count") or arguments["num_heads"] - start
    return {"num_heads": count, "head_start": 0, "head_count": None}


def _first_share(arguments: dict[str, Any]) -> dict[str, Any]:
    count = arguments.get("head_count") or arguments["num_heads"] - arguments.get("head_start", 0)
    return {"head_start": 0, "head_count": count}


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


SIX: Final = {"num_heads": 6, "bias_max": 8.0}

MISTAKES: Final = (
    _mistake(
        "plain-geometric",
        "slope-rule",
        "2^(-8k/H) gives for a head count that is no power of two",
        _shared(geometric),
        "https://github.com/ml-explore/mlx/issues/3071",
        inputs={},
        params=SIX,
        output=[0.396850263, 0.157490131, 0.0625, 0.0248031414, 0.0098431332, 0.00390625],
    ),
    _mistake(
        "padded-count",
        "slope-rule",
        "the slopes of the next power of two give, cut to the head count",
        _shared(padded),
        "https://github.com/huggingface/transformers/issues/28380",
        inputs={},
        params=SIX,
        output=[0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625],
    ),
    _mistake(
        "heads-from-0", "slope-start", "heads counted from 0 give: the first slope is 1", _shared(from_0)
    ),
    _mistake(
        "extra-from-even-places",
        "slope-order",
        "extra slopes from the even places of the longer list give",
        _shared(even_places),
        inputs={},
        params=SIX,
        output=[0.25, 0.0625, 0.015625, 0.00390625, 0.25, 0.0625],
    ),
    _mistake(
        "sorted-slopes",
        "slope-order",
        "slopes sorted from large to small give",
        _shared(ordered),
        "https://github.com/NVIDIA/TensorRT-LLM/issues/1611",
        inputs={},
        params=SIX,
        output=[0.5, 0.25, 0.125, 0.0625, 0.015625, 0.00390625],
    ),
    _mistake(
        "rule-of-the-share",
        "slope-share",
        "the rule applied to this share's head count gives, not to the model's",
        altered(NAME, _share),
    ),
    _mistake(
        "first-share",
        "share-start",
        "the first heads' slopes give in every share",
        altered(NAME, _first_share),
    ),
    _mistake(
        "bias-max-8",
        "bias-max",
        "the usual largest exponent of 8 gives",
        altered(NAME, lambda _: {"bias_max": 8.0}),
    ),
)
