"""Known wrong implementations of ``rope.score``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import BFLOAT16, Arguments, Array, altered, called, moved, replaced, significant
from posref.mistakes._ladders import LADDERS
from posref.mistakes._rope_parts import (
    OTHER,
    Rotary,
    climbed,
    ladder,
    magnitude,
    over_head,
    rest_dropped,
    rotary,
    turned,
    twice,
)
from posref.operation import Mistake
from posref.reference import attention, rope

NAME = "rope.score"
Turn = Callable[[Array, Array, Rotary], Array]


def right(x: Array, positions: Array, given: Rotary) -> Array:
    """Rotate as declared."""
    return np.asarray(rope.apply(x, positions, **given))


def kept(x: Array, positions: Array, given: Rotary) -> Array:
    """Rotate nothing."""
    return x


def backwards(x: Array, positions: Array, given: Rotary) -> Array:
    """Rotate the other way."""
    return right(x, -positions, given)


def slice_only(x: Array, positions: Array, given: Rotary) -> Array:
    """Rotate, and lose what passes through."""
    return rest_dropped(right(x, positions, given), given["rotary_start"], given["rotary_dim"])


def half_angle(x: Array, positions: Array, given: Rotary) -> Array:
    """Round the product of position and frequency to bfloat16."""
    angle = significant(np.asarray(positions, np.float64)[..., None] * ladder(given), BFLOAT16)
    where = {
        "pairing_in": given["pairing"],
        "pairing_out": given["pairing"],
        "rotary_start": given["rotary_start"],
    }
    factor = magnitude(given)
    return np.asarray(rope.rotate(x, factor * np.cos(angle), factor * np.sin(angle), **where))


def _dotted(q: Turn, k: Turn) -> Callable[..., Any]:
    """Return the dot products of queries turned by `q` and keys turned by `k`."""

    def compute(arguments: Arguments) -> Any:
        given = rotary(arguments)
        turned_q = q(arguments["q"], np.asarray(arguments["q_positions"]), given)
        turned_k = k(arguments["k"], np.asarray(arguments["k_positions"]), given)
        return attention.scores(turned_q, turned_k, scale=1.0)

    return called(NAME, compute)


def _laddered(change: Callable[[Array], Array]) -> Callable[..., Any]:
    def wrong(x: Array, positions: Array, given: Rotary) -> Array:
        return turned(x, positions, climbed(given, change), given)

    return _dotted(wrong, wrong)


def _query_from_0(arguments: Arguments) -> Arguments:
    positions = np.asarray(arguments["q_positions"])
    return {"q_positions": np.broadcast_to(np.arange(positions.shape[-1]), positions.shape)}


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _call(output: float) -> dict[str, Any]:
    """Return the call of the public report: 1, 2, 3, 4 at 1 against 4, 3, 2, 1 at 0."""
    inputs = {
        "q": [[1.0, 2.0, 3.0, 4.0]],
        "k": [[4.0, 3.0, 2.0, 1.0]],
        "q_positions": [1],
        "k_positions": [0],
    }
    params = {"rotary_dim": 4, "base": 10000.0, "pairing": "half"}
    return {"inputs": inputs, "params": params, "output": [output]}


MISTAKES: Final = (
    _mistake(
        "other-pairing",
        "pairing",
        "the other pairing gives: adjacent pairs and halves interchanged",
        altered(NAME, lambda arguments: {"pairing": OTHER[arguments["pairing"]]}),
        "https://github.com/huggingface/transformers/issues/25199",
        **_call(11.145169),
    ),
    _mistake(
        "difference-reversed",
        "rotation-sign",
        "query minus key gives in the place of key minus query",
        _dotted(backwards, backwards),
    ),
    _mistake(
        "sum-of-positions",
        "score-sum",
        "the sum of positions gives: a product without the complex conjugate",
        _dotted(right, backwards),
    ),
    _mistake("queries-unrotated", "unrotated", "unrotated queries give", _dotted(kept, right)),
    _mistake("keys-unrotated", "unrotated", "unrotated keys give", _dotted(right, kept)),
    _mistake(
        "rotated-twice",
        "double-rotation",
        "queries and keys rotated twice give: before the kernel and inside it",
        _dotted(twice, twice),
        "https://github.com/NVIDIA/TensorRT-LLM/issues/16378",
    ),
    _mistake(
        "root-of-width",
        "score-scale",
        "scores multiplied by 1/sqrt(D) give: no scale is declared",
        replaced(NAME, lambda scores, arguments: scores * arguments["q"].shape[-1] ** -0.5),
        "",
        **_call(6.88781488 / 2),
    ),
    _mistake(
        "slice-only",
        "score-slice",
        "the rotated slice alone gives: coordinates that pass through are missing from the sum",
        _dotted(slice_only, slice_only),
    ),
    _mistake(
        "query-from-0",
        "restarted-positions",
        "a query counted from 0 gives: the cache's length is forgotten",
        altered(NAME, _query_from_0),
        "https://github.com/keras-team/keras-hub/issues/1544",
        **_call(20.0),
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
        _dotted(over_head, over_head),
        "https://github.com/huggingface/transformers/issues/48652",
    ),
    _mistake(
        "start-ignored",
        "slice-start",
        "a slice at the front gives: `rotary_start` was ignored",
        altered(NAME, lambda arguments: {"rotary_start": 0}),
    ),
    _mistake(
        "angle-bfloat16",
        "angle-rounding",
        "angles rounded to bfloat16 give: the product ran under autocast",
        _dotted(half_angle, half_angle),
        "https://github.com/huggingface/diffusers/issues/13922",
    ),
    *moved(
        NAME,
        "positions-consecutive",
        "positions-to-4095",
        "positions-absolute",
        "positions-of-row-0",
        "positions-bfloat16",
        "positions-float16",
    ),
)
