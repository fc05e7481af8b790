"""Known wrong implementations of ``rope.apply``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import BFLOAT16, Arguments, Array, altered, called, moved, replaced, significant
from posref.mistakes._ladders import LADDERS
from posref.mistakes._rope_parts import (
    OTHER,
    climbed,
    distant_partner,
    ladder,
    magnitude,
    over_head,
    padded_sine,
    positions_by_head,
    rest_dropped,
    rotary,
    rows_left,
    table,
    turned,
    twice,
    whole_head,
)
from posref.operation import Mistake
from posref.reference import rope

NAME = "rope.apply"


def half_angle(arguments: Arguments) -> Array:
    """Round the product of position and frequency to bfloat16."""
    given = rotary(arguments)
    angle = np.asarray(arguments["positions"], np.float64)[..., None] * ladder(given)
    angle, pairing = significant(angle, BFLOAT16), given["pairing"]
    factor, start = magnitude(given), given["rotary_start"]
    cos, sin = factor * np.cos(angle), factor * np.sin(angle)
    y = rope.rotate(arguments["x"], cos, sin, pairing_in=pairing, pairing_out=pairing, rotary_start=start)
    return np.asarray(y)


def padded(arguments: Arguments) -> Array:
    """Read the sines of a table row where a power-of-two width would put them."""
    given = rotary(arguments)
    cos, sin = table(arguments["positions"], ladder(given), given)
    pairing, start = given["pairing"], given["rotary_start"]
    sin = padded_sine(cos, sin)
    y = rope.rotate(arguments["x"], cos, sin, pairing_in=pairing, pairing_out=pairing, rotary_start=start)
    return np.asarray(y)


def partner(arguments: Arguments) -> Array:
    """Pair coordinates that lie half a head apart, where halves are declared."""
    given = rotary(arguments)
    if given["pairing"] != "half":
        return turned(arguments["x"], arguments["positions"], ladder(given), given)
    cos, sin = table(arguments["positions"], ladder(given), given)
    return distant_partner(arguments["x"], cos, sin, given["rotary_start"])


def running_on(arguments: Arguments) -> Arguments:
    """Count the positions on from row to row of the batch."""
    x, positions = arguments["x"], np.asarray(arguments["positions"])
    if x.ndim < 3:
        return {}
    rows = np.arange(x.shape[0]).reshape(-1, *(1,) * (x.ndim - 2))
    return {"positions": np.broadcast_to(positions + rows * x.shape[-2], x.shape[:-1])}


def _laddered(change: Callable[[Array], Array]) -> Callable[..., Any]:
    def compute(arguments: Arguments) -> Array:
        given = rotary(arguments)
        return turned(arguments["x"], arguments["positions"], climbed(given, change), given)

    return called(NAME, compute)


def _turning(turn: Callable[..., Array]) -> Callable[..., Any]:
    return called(NAME, lambda given: turn(given["x"], given["positions"], rotary(given)))


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _call(
    x: Any, positions: Any, output: list[float], pairing: str = "half", width: int = 4
) -> dict[str, Any]:
    params = {"rotary_dim": width, "base": 10000.0, "pairing": pairing}
    return {"inputs": {"x": x, "positions": positions}, "params": params, "output": output}


FOUR: Final = [[1.0, 2.0, 3.0, 4.0]]
ADJACENT: Final = [-1.14263966, 1.9220756, 2.95985067, 4.0297995]
AT_5: Final = [0.283662185, -0.958924275]
"""Cosine and sine of 5."""

LADDER_CHECKS: Final = {
    "exponent-positive": _call(FOUR, [1], [-1.98411065, 3.75010031, 2.4623779, 2.43654421]),
}

MISTAKES: Final = (
    _mistake(
        "other-pairing",
        "pairing",
        "the other pairing gives: adjacent pairs and halves interchanged",
        altered(NAME, lambda arguments: {"pairing": OTHER[arguments["pairing"]]}),
        "https://github.com/huggingface/transformers/issues/25199",
        **_call(FOUR, [1], ADJACENT),
    ),
    *(
        _mistake(name, "frequency-exponent", text, _laddered(change), **LADDER_CHECKS.get(name, {}))
        for name, (change, text) in LADDERS.items()
    ),
    _mistake(
        "ladder-over-head",
        "frequency-width",
        "a ladder over the head width gives where the rotated width is declared",
        _turning(over_head),
        "https://github.com/huggingface/transformers/issues/48652",
    ),
    _mistake(
        "base-10000",
        "fixed-base",
        "base 10000 gives where another is declared",
        altered(NAME, lambda arguments: {"base": 10000.0}),
        "https://github.com/vllm-project/vllm/issues/9503",
    ),
    _mistake(
        "sign-reversed",
        "rotation-sign",
        "a negated sine gives: everything rotates the other way",
        altered(NAME, lambda arguments: {"positions": -np.asarray(arguments["positions"])}),
        **_call([[1.0, 0.0]], [5], [0.283662185, 0.958924275], width=2),
    ),
    _mistake(
        "rotated-twice",
        "double-rotation",
        "a tensor rotated twice gives: once before and once inside the kernel",
        _turning(twice),
        "https://github.com/NVIDIA/TensorRT-LLM/issues/16378",
        **_call([[1.0, 0.0]], [5], [-0.839071529, -0.544021111], width=2),
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
        _turning(whole_head),
        "https://github.com/AI-Hypercomputer/maxtext/issues/4615",
    ),
    _mistake(
        "rest-dropped",
        "pass-through",
        "zeros give where coordinates pass through",
        replaced(
            NAME,
            lambda y, given: rest_dropped(np.asarray(y), given.get("rotary_start", 0), given["rotary_dim"]),
        ),
    ),
    _mistake(
        "partner-half-a-head-away",
        "partner-width",
        "a partner half a head away gives where half the slice is declared",
        called(NAME, partner),
    ),
    _mistake(
        "padded-sine",
        "padded-width",
        "sines read at the offset of a width rounded up to a power of two give",
        called(NAME, padded),
        "https://github.com/vllm-project/vllm-ascend/issues/15688",
        **_call(
            [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]],
            [1],
            [0.354705412, 1.98707379, 2.99999304, 2.20760845, 4.99892375, 5.99998608],
            width=6,
        ),
    ),
    _mistake(
        "angle-bfloat16",
        "angle-rounding",
        "angles rounded to bfloat16 give: the product ran under autocast",
        called(NAME, half_angle),
        "https://github.com/huggingface/diffusers/issues/13922",
    ),
    _mistake(
        "position-by-head",
        "head-axis",
        "positions taken by the head's index give instead of the token's",
        altered(
            NAME,
            lambda given: {"positions": positions_by_head(np.asarray(given["positions"]), given["x"])},
        ),
        "https://github.com/facebookresearch/xformers/issues/841",
        **_call(
            [[[1.0, 0.0]] * 3] * 2,
            [0, 1, 2],
            [*[1.0, 0.0] * 3, *[0.540302306, 0.841470985] * 3],
            width=2,
        ),
    ),
    _mistake(
        "other-rows-unwritten",
        "batch-tail",
        "rows of the batch left unwritten give when each has one token",
        replaced(NAME, lambda y, _: rows_left(np.asarray(y), y.shape[-2])),
        "https://github.com/ml-explore/mlx/issues/3494",
        **_call([[[1.0, 0.0]]] * 2, [5], [*AT_5, 0.0, 0.0], width=2),
    ),
    _mistake(
        "positions-run-on",
        "batch-run-on",
        "positions counted on from row to row of the batch give",
        altered(NAME, running_on),
        "https://github.com/turboderp/exllama/issues/101",
        **_call(
            [[[1.0, 0.0]] * 2] * 2,
            [0, 1],
            [1.0, 0.0, 0.540302306, 0.841470985, -0.416146837, 0.909297427, -0.989992497, 0.141120008],
            width=2,
        ),
    ),
    *moved(
        NAME,
        "positions-minus-1",
        "positions-consecutive",
        "positions-of-last-token",
        "positions-to-4095",
        "positions-from-0",
        "positions-plus-1",
        "positions-absolute",
        "positions-truncated",
        "positions-of-row-0",
        "positions-bfloat16",
        "positions-float16",
        checks={
            "positions-minus-1": _call([[1.0, 0.0]], [0], [0.540302306, -0.841470985], width=2),
            "positions-consecutive": _call(
                [[1.0, 0.0]] * 2, [7, 4], [0.753902254, 0.656986599, -0.145500034, 0.989358247], width=2
            ),
            "positions-of-last-token": _call(
                [[1.0, 0.0]] * 3, [0, 1, 2], [-0.416146837, 0.909297427] * 3, width=2
            ),
            "positions-from-0": _call([[1.0, 0.0]], [5], [1.0, 0.0], width=2),
            "positions-of-row-0": _call(
                [[[1.0, 0.0]] * 2] * 2, [[0, 1], [5, 6]], [1.0, 0.0, 0.540302306, 0.841470985] * 2, width=2
            ),
            "positions-bfloat16": _call([[1.0, 0.0]], [257], [-0.0397907599, -0.999208034], width=2),
            "positions-float16": _call([[1.0, 0.0]], [2049], [0.949734335, -0.313057013], width=2),
        },
    ),
)
