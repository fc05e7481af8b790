"""Known wrong implementations of the operations in `spec/schemes/sincos2d.md`."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import (
    Arguments,
    Array,
    altered,
    called,
    moved,
    replaced,
)
from posref.mistakes._ignored import ignored
from posref.mistakes._precision import Change, short, shortened
from posref.operation import Mistake

NAME: Final = "sincos2d.encode"
OTHER: Final = {
    "x_first": "y_first",
    "y_first": "x_first",
    "axis_major": "component_major",
    "component_major": "axis_major",
    "dim": "count_minus_1",
    "count_minus_1": "dim",
}


def exponents(arguments: Arguments) -> Array:
    """Return the right exponents."""
    count = arguments["dim"] // 4
    divisor = count if arguments["denominator"] == "dim" else count - 1
    return np.asarray(np.arange(count) / divisor)


def table(
    arguments: Arguments, powers: Array, frequency: Change = np.asarray, angle: Change = np.asarray
) -> Array:
    """Return the table for these exponents, with frequencies and angles changed."""
    places = [np.asarray(arguments[name], np.float64)[:, None] for name in ("cols", "rows")]
    if arguments["axis_order"] == "y_first":
        places.reverse()
    first, second = (angle(place * frequency(arguments["base"] ** -powers)) for place in places)
    blocks = [np.sin(first), np.cos(first), np.sin(second), np.cos(second)]
    if arguments["layout"] == "component_major":
        blocks = [blocks[0], blocks[2], blocks[1], blocks[3]]
    return np.concatenate(blocks, axis=-1)


def _laddered(change: Callable[[Array], Array]) -> Callable[..., Any]:
    return called(NAME, lambda arguments: table(arguments, change(exponents(arguments))))


def changed(arguments: Arguments, frequency: Change, angle: Change) -> Array:
    """Return the table with frequencies and angles changed."""
    return table(arguments, exponents(arguments), frequency, angle)


def next_rung(powers: Array) -> Array:
    """Count the index in the exponent from 1."""
    return powers + (powers[1] if powers.size > 1 else 1.0)


def exchanged(right: Array, arguments: Arguments) -> Array:
    """Exchange sines and cosines."""
    parts = np.split(right, 4, axis=-1)
    order = (1, 0, 3, 2) if arguments["layout"] == "axis_major" else (2, 3, 0, 1)
    return np.concatenate([parts[place] for place in order], axis=-1)


def interleaved(right: Array, arguments: Arguments) -> Array:
    """Put the sine and the cosine of a frequency side by side."""
    parts = np.split(right, 4, axis=-1)
    if arguments["layout"] == "component_major":
        parts = [parts[0], parts[2], parts[1], parts[3]]
    pairs = [np.stack(parts[n : n + 2], axis=-1).reshape(len(right), right.shape[-1] // 2) for n in (0, 2)]
    return np.concatenate(pairs, axis=-1)


def _other(name: str) -> Callable[..., Any]:
    return altered(NAME, lambda arguments: {name: OTHER[arguments[name]]})


def other_denominator(arguments: Arguments) -> Arguments:
    """Exchange the two ladders, where there is another."""
    return {"denominator": OTHER[arguments["denominator"]]} if arguments["dim"] > 4 else {}


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _patch(row: int, column: int, dim: int, **changed: str) -> dict[str, Any]:
    """Return a call with one patch."""
    plain = {"denominator": "dim", "axis_order": "x_first", "layout": "axis_major"}
    params = {"dim": dim, "base": 10000.0, **plain, **changed}
    return {"inputs": {"rows": [row], "cols": [column]}, "params": params}


MAE: Final = [
    0.909297427,
    0.019998667,
    -0.416146837,
    0.999800007,
    0.841470985,
    0.009999833,
    0.540302306,
    0.99995,
]
BIG_VISION: Final = [
    *(0.909297427, 0.0002, -0.416146837, 0.99999998),
    *(0.841470985, 0.0001, 0.540302306, 0.999999995),
]
TIMM: Final = [
    0.841470985,
    0.009999833,
    0.909297427,
    0.019998667,
    0.540302306,
    0.99995,
    -0.416146837,
    0.999800007,
]

MISTAKES: Final = (
    _mistake(
        "axes-exchanged",
        "axis-order",
        "row and column interchanged give",
        _other("axis_order"),
        "https://github.com/facebookresearch/mae/issues/18",
        **_patch(0, 2, 4),
        output=[0.0, 1.0, 0.909297427, -0.416146837],
    ),
    _mistake(
        "other-blocks",
        "sincos-blocks",
        "the other order of blocks gives: by axis and by component interchanged",
        _other("layout"),
        **_patch(1, 2, 8, axis_order="y_first"),
        output=TIMM,
    ),
    _mistake(
        "other-denominator",
        "ladder-end",
        "the other ladder gives: divided by dim/4 and by dim/4 - 1 interchanged",
        altered(NAME, other_denominator),
        **_patch(1, 2, 8),
        output=BIG_VISION,
    ),
    _mistake(
        "interleaved",
        "sine-layout",
        "sine and cosine side by side give where blocks are declared",
        replaced(NAME, interleaved),
    ),
    _mistake(
        "whole-width",
        "axis-width",
        "a ladder over the whole width gives: each axis has half of it",
        _laddered(lambda powers: powers / 2),
    ),
    _mistake(
        "exponent-positive",
        "frequency-exponent",
        "a positive exponent gives: frequencies grow with the column",
        _laddered(lambda powers: -powers),
    ),
    _mistake(
        "exponent-from-1",
        "frequency-exponent",
        "an index counted from 1 gives: the first frequency is not 1",
        _laddered(next_rung),
    ),
    _mistake(
        "base-10000",
        "fixed-base",
        "base 10000 gives where another is declared",
        altered(NAME, lambda arguments: {"base": 10000.0}),
    ),
    _mistake(
        "sine-cosine-exchanged",
        "sine-cosine-order",
        "sines and cosines interchanged give",
        replaced(NAME, exchanged),
    ),
    _mistake(
        "rows-zero",
        "axis-lost",
        "row 0 for every token gives: the vertical place is lost",
        altered(NAME, lambda arguments: {"rows": np.zeros_like(arguments["rows"])}),
        "https://github.com/vllm-project/vllm/issues/29425",
    ),
    _mistake(
        "angle-bfloat16",
        "angle-rounding",
        "angles rounded to bfloat16 give: the product ran under autocast",
        called(NAME, lambda given: changed(given, np.asarray, short)),
        "https://github.com/huggingface/diffusers/issues/13922",
    ),
    *shortened(NAME, changed),
    *moved(NAME, "positions-plus-1", "positions-absolute", "positions-bfloat16"),
    *ignored("sincos2d"),
)
