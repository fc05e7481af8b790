"""Known wrong implementations of ``rope.apply_qk``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, moved, replaced
from posref.mistakes._ladders import LADDERS
from posref.mistakes._rope_parts import (
    OTHER,
    Rotary,
    climbed,
    over_head,
    rest_dropped,
    rotary,
    turned,
    twice,
    whole_head,
)
from posref.operation import Mistake
from posref.reference import rope

NAME = "rope.apply_qk"
Pair = tuple[Array, Array]


def right(x: Array, positions: Array, given: Rotary) -> Array:
    """Rotate as declared."""
    return np.asarray(rope.apply(x, positions, **given))


def kept(x: Array, positions: Array, given: Rotary) -> Array:
    """Rotate nothing."""
    return x


def other_pairing(x: Array, positions: Array, given: Rotary) -> Array:
    """Rotate in the other pairing."""
    return right(x, positions, {**given, "pairing": OTHER[given["pairing"]]})


def from_0(x: Array, positions: Array, given: Rotary) -> Array:
    """Count the positions from 0 again."""
    return right(x, np.broadcast_to(np.arange(positions.shape[-1]), positions.shape), given)


def first_heads(arguments: Arguments) -> Pair:
    """Rotate no more query heads than there are key heads."""
    q, k = rope.apply_qk(**arguments)
    heads = k.shape[-3] if k.ndim > 2 else 1
    left = np.arange(q.shape[-3] if q.ndim > 2 else 1)[:, None, None] >= heads
    return np.where(left if q.ndim > 2 else False, arguments["q"], q), np.asarray(k)


def _each(q: Callable[..., Array], k: Callable[..., Array]) -> Callable[..., Any]:
    """Return an implementation that rotates queries by `q` and keys by `k`."""

    def compute(arguments: Arguments) -> Pair:
        given, positions = rotary(arguments), np.asarray(arguments["positions"])
        return q(arguments["q"], positions, given), k(arguments["k"], positions, given)

    return called(NAME, compute)


def _laddered(change: Callable[[Array], Array]) -> Callable[..., Any]:
    def wrong(x: Array, positions: Array, given: Rotary) -> Array:
        return turned(x, positions, climbed(given, change), given)

    return _each(wrong, wrong)


def _dropped(rotated: Pair, arguments: Arguments) -> Pair:
    start, width = arguments.get("rotary_start", 0), arguments["rotary_dim"]
    return rest_dropped(rotated[0], start, width), rest_dropped(rotated[1], start, width)


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _call(q: Any, k: Any, positions: Any, width: int, output: list[float]) -> dict[str, Any]:
    params = {"rotary_dim": width, "base": 10000.0, "pairing": "half"}
    return {"inputs": {"q": q, "k": k, "positions": positions}, "params": params, "output": output}


AT_5: Final = [0.283662185, -0.958924275]
AT_10: Final = [-0.839071529, -0.544021111]
ONE: Final = [[1.0, 0.0]]

MISTAKES: Final = (
    _mistake(
        "queries-unrotated",
        "unrotated",
        "unrotated queries give",
        _each(kept, right),
        **_call(ONE, ONE, [5], 2, [1.0, 0.0, *AT_5]),
    ),
    _mistake(
        "keys-unrotated",
        "unrotated",
        "unrotated keys give: only the first of two results was stored",
        _each(right, kept),
        **_call(ONE, ONE, [5], 2, [*AT_5, 1.0, 0.0]),
    ),
    _mistake(
        "keys-twice",
        "double-rotation",
        "keys rotated twice give: when stored and again when read",
        _each(right, twice),
        "https://github.com/NVIDIA/TensorRT-LLM/issues/16378",
        **_call(ONE, ONE, [5], 2, [*AT_5, *AT_10]),
    ),
    _mistake(
        "both-twice",
        "double-rotation",
        "queries and keys rotated twice give: before the kernel and inside it",
        _each(twice, twice),
        "https://github.com/NVIDIA/TensorRT-LLM/issues/16378",
        **_call(ONE, ONE, [5], 2, [*AT_10, *AT_10]),
    ),
    _mistake(
        "other-pairing",
        "pairing",
        "the other pairing gives: adjacent pairs and halves interchanged",
        _each(other_pairing, other_pairing),
        "https://github.com/huggingface/transformers/issues/25199",
        **_call(
            [[1.0, 2.0, 3.0, 4.0]],
            [[1.0, 2.0, 3.0, 4.0]],
            [1],
            4,
            [-1.14263966, 1.9220756, 2.95985067, 4.0297995] * 2,
        ),
    ),
    _mistake(
        "keys-in-other-pairing",
        "pairing",
        "keys in the other pairing give: queries and keys took two code paths",
        _each(right, other_pairing),
    ),
    _mistake(
        "sign-reversed",
        "rotation-sign",
        "a negated sine gives: everything rotates the other way",
        altered(NAME, lambda arguments: {"positions": -np.asarray(arguments["positions"])}),
    ),
    _mistake(
        "queries-from-0",
        "restarted-positions",
        "queries counted from 0 again give: the cache's length reached the keys only",
        _each(from_0, right),
        "https://github.com/keras-team/keras-hub/issues/1544",
        **_call(ONE, ONE, [5], 2, [1.0, 0.0, *AT_5]),
    ),
    _mistake(
        "further-heads-unrotated",
        "head-tail",
        "query heads beyond the number of key heads left unrotated give",
        called(NAME, first_heads),
    ),
    *(
        _mistake(name, "frequency-exponent", text, _laddered(change))
        for name, (change, text) in LADDERS.items()
    ),
    _mistake(
        "base-10000",
        "fixed-base",
        "base 10000 gives where another is declared",
        altered(NAME, lambda arguments: {"base": 10000.0}),
        "https://github.com/vllm-project/vllm/issues/9503",
    ),
    _mistake(
        "ladder-over-head",
        "frequency-width",
        "a ladder over the head width gives where the rotated width is declared",
        _each(over_head, over_head),
        "https://github.com/huggingface/transformers/issues/48652",
    ),
    _mistake(
        "start-ignored",
        "slice-start",
        "a slice at the front gives: `rotary_start` was ignored",
        altered(NAME, lambda arguments: {"rotary_start": 0}),
    ),
    _mistake(
        "whole-head-rotated",
        "pass-through",
        "a rotation of the whole head gives: the rotated width was ignored",
        _each(whole_head, whole_head),
        "https://github.com/AI-Hypercomputer/maxtext/issues/4615",
    ),
    _mistake(
        "rest-dropped", "pass-through", "zeros give where coordinates pass through", replaced(NAME, _dropped)
    ),
    *moved(
        NAME,
        "positions-minus-1",
        "positions-consecutive",
        "positions-of-last-token",
        "positions-to-4095",
        "positions-from-0",
        "positions-absolute",
        "positions-of-row-0",
        "positions-bfloat16",
        "positions-float16",
    ),
)
