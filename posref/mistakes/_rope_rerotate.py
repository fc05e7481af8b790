"""Known wrong implementations of ``rope.rerotate``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, moved, replaced
from posref.mistakes._ladders import LADDERS
from posref.mistakes._rope_parts import (
    OTHER,
    climbed,
    magnitude,
    over_head,
    rest_dropped,
    rotary,
    turned,
    whole_head,
)
from posref.mistakes._rope_scaled import YARN
from posref.operation import Mistake
from posref.reference import rope

NAME = "rope.rerotate"


def shifts(given: Arguments) -> Array:
    """Return the shift of each token."""
    delta = np.asarray(given["delta"])
    return delta if delta.ndim else np.broadcast_to(delta, given["k"].shape[-2:-1])


def _steady(given: Arguments) -> dict[str, Any]:
    """Return the parameters without scaling where the magnitude factor would act."""
    return {**rotary(given), "scaling": None, "seq_len": None}


def again(given: Arguments) -> Array:
    """Multiply by the magnitude factor once more."""
    return np.asarray(rope.apply(given["k"], shifts(given), **rotary(given)))


def plain(given: Arguments) -> Array:
    """Shift on the plain ladder."""
    return np.asarray(rope.apply(given["k"], shifts(given), **_steady(given)))


def whole(given: Arguments) -> Array:
    """Shift the whole head, though a part of it was rotated."""
    if given["rotary_dim"] >= given["k"].shape[-1] - given["k"].shape[-1] % 2:
        return np.asarray(rope.rerotate(**given))
    return whole_head(given["k"], shifts(given), _steady(given))


def widest(given: Arguments) -> Array:
    """Run the ladder over the width of the head."""
    return over_head(given["k"], shifts(given), _steady(given))


def first_shift(given: Arguments) -> Arguments:
    """Shift every token as the first one."""
    delta = np.asarray(given["delta"])
    return {"delta": np.broadcast_to(delta[..., :1], delta.shape)} if delta.ndim else {}


def twice(y: Array, given: Arguments) -> Array:
    """Shift what is already shifted."""
    return np.asarray(rope.rerotate(**{**given, "k": np.asarray(y)}))


def rerotating(turn: Callable[[Array, Array, dict[str, Any]], Array]) -> Callable[..., Any]:
    """Return the shift of a wrong rotation: without the magnitude factor, which keys have already."""

    def compute(given: Arguments) -> Array:
        shared, y = rotary(given), turn(given["k"], shifts(given), rotary(given))
        place = np.arange(y.shape[-1]) - shared["rotary_start"]
        return np.where((place >= 0) & (place < shared["rotary_dim"]), y / magnitude(shared), y)

    return called(NAME, compute)


def _laddered(change: Callable[[Array], Array]) -> Callable[..., Any]:
    return rerotating(lambda k, delta, given: turned(k, delta, climbed(given, change), given))


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _call(k: Any, delta: int, output: list[float], width: int = 2, **params: Any) -> dict[str, Any]:
    options = {"rotary_dim": width, "base": 10000.0, "pairing": "half", **params}
    return {"inputs": {"k": k, "delta": delta}, "params": options, "output": output}


AT_5: Final = [
    [3.1604350094526417, 1.7975838437072192, -0.10793771827345968, 4.0949593801212216, 5.0, 6.0, 7.0, 8.0]
]
"""Keys 1 to 8 of which four are rotated at position 5."""

MISTAKES: Final = (
    _mistake(
        "whole-head-shifted",
        "pass-through",
        "a shift of the whole head gives, though a part of it was rotated",
        called(NAME, whole),
        "https://github.com/ggml-org/llama.cpp/issues/4889",
        **_call(
            AT_5,
            -2,
            [
                3.23128210,
                2.95376783,
                0.0320745354,
                4.11095118,
                -4.95450960,
                5.52327469,
                7.00075866,
                7.99179409,
            ],
            width=4,
        ),
    ),
    _mistake(
        "magnitude-again",
        "magnitude-again",
        "the magnitude factor applied again gives: the keys have it already",
        called(NAME, again),
        "https://github.com/NVIDIA/kvpress/issues/84",
        **_call([[1.0, 0.0]], 0, [1.138629436111989, 0.0], scaling=YARN),
    ),
    _mistake(
        "scaling-not-applied",
        "scaling-ignored",
        "plain frequencies give: the keys were rotated on a scaled ladder",
        called(NAME, plain),
    ),
    _mistake(
        "not-shifted",
        "shift-missing",
        "the keys themselves give: they keep their old positions",
        called(NAME, lambda given: np.asarray(given["k"])),
        **_call([[1.0, 0.0]], 5, [1.0, 0.0]),
    ),
    _mistake(
        "shifted-twice",
        "double-rotation",
        "a shift applied twice gives",
        replaced(NAME, twice),
        "https://github.com/NVIDIA/TensorRT-LLM/issues/16378",
        **_call([[1.0, 0.0]], 5, [-0.839071529, -0.544021111]),
    ),
    _mistake(
        "sign-reversed",
        "rotation-sign",
        "a shift the other way gives",
        altered(NAME, lambda given: {"delta": -np.asarray(given["delta"])}),
        **_call([[1.0, 0.0]], 5, [0.283662185, 0.958924275]),
    ),
    _mistake(
        "other-pairing",
        "pairing",
        "the other pairing gives: adjacent pairs and halves interchanged",
        altered(NAME, lambda given: {"pairing": OTHER[given["pairing"]]}),
        **_call([[1.0, 2.0, 3.0, 4.0]], 1, [-1.14263966, 1.9220756, 2.95985067, 4.0297995], width=4),
    ),
    _mistake(
        "base-10000",
        "fixed-base",
        "base 10000 gives where another is declared",
        altered(NAME, lambda given: {"base": 10000.0}),
    ),
    *(
        _mistake(name, "frequency-exponent", text, _laddered(change))
        for name, (change, text) in LADDERS.items()
    ),
    _mistake(
        "ladder-over-head",
        "frequency-width",
        "a ladder over the head width gives where the rotated width is declared",
        called(NAME, widest),
    ),
    _mistake(
        "shift-of-token-0",
        "token-shift",
        "the shift of the first token gives for all",
        altered(NAME, first_shift),
    ),
    _mistake(
        "start-ignored",
        "slice-start",
        "a slice at the front gives: `rotary_start` was ignored",
        altered(NAME, lambda given: {"rotary_start": 0}),
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
    *moved(NAME, "positions-absolute", "positions-bfloat16"),
)
