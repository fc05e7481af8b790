"""Known wrong implementations of ``sinusoidal.encode``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import (
    Arguments,
    Array,
    Implementation,
    altered,
    called,
    moved,
    reference,
    replaced,
)
from posref.mistakes._precision import Change, short, shortened
from posref.operation import Mistake

NAME = "sinusoidal.encode"
DENOMINATORS: Final = {"dim": "count_minus_1", "count_minus_1": "dim"}
LAYOUTS: Final = {"interleaved": "sin_cos", "sin_cos": "interleaved", "cos_sin": "interleaved"}
Exponents = tuple[Array, Array]


def exponents(arguments: Arguments) -> tuple[Exponents, float]:
    """Return the right exponents of sines and of cosines, and the step between two."""
    dim, padded = arguments["dim"], arguments["dim"] % 2 == 1 and arguments["odd"] == "zero_pad"
    width = dim - 1 if padded else dim
    sines, cosines = (width + 1) // 2, width // 2
    step = 2 / width if arguments["denominator"] == "dim" else 1 / (sines - 1)
    return (np.arange(sines) * step, np.arange(cosines) * step), step


def assemble(sines: Array, cosines: Array, arguments: Arguments) -> Array:
    """Put the columns where the layout wants them, and a zero column where one is declared."""
    layout = arguments["layout"]
    if layout == "interleaved":
        table = np.empty((*sines.shape[:-1], sines.shape[-1] + cosines.shape[-1]))
        table[..., 0::2], table[..., 1::2] = sines, cosines
    else:
        table = np.concatenate([sines, cosines] if layout == "sin_cos" else [cosines, sines], axis=-1)
    missing = arguments["dim"] - table.shape[-1]
    return np.concatenate([table, np.zeros((*table.shape[:-1], missing))], axis=-1)


def table(
    arguments: Arguments, powers: Exponents, frequency: Change = np.asarray, angle: Change = np.asarray
) -> Array:
    """Return the table for these exponents, with frequencies and angles changed."""
    positions = np.asarray(arguments["positions"], np.float64)[..., None]
    sines, cosines = (angle(positions * frequency(arguments["base"] ** -power)) for power in powers)
    return assemble(np.sin(sines), np.cos(cosines), arguments)


def _laddered(change: Callable[[Array, float], Array]) -> Implementation:
    """Return the table with the exponents of both sines and cosines changed."""

    def compute(arguments: Arguments) -> Array:
        (sines, cosines), step = exponents(arguments)
        return table(arguments, (change(sines, step), change(cosines, step)))

    return called(NAME, compute)


def own_exponent(arguments: Arguments) -> Array:
    """Give every column j the exponent 2j/d instead of sharing one in a pair."""
    (sines, cosines), step = exponents(arguments)
    return table(arguments, (2 * sines, 2 * cosines + step))


def odd_cosine(arguments: Arguments) -> Array:
    """Take the exponent of a cosine from its own, odd column."""
    (sines, cosines), step = exponents(arguments)
    return table(arguments, (sines, cosines + step / 2))


def changed(arguments: Arguments, frequency: Change, angle: Change) -> Array:
    """Return the table with frequencies and angles changed."""
    return table(arguments, exponents(arguments)[0], frequency, angle)


def scaled(right: Array, arguments: Arguments) -> Array:
    """Multiply the table by sqrt(2 / d)."""
    return np.asarray(right * np.sqrt(2 / arguments["dim"]))


def exchanged(right: Array, arguments: Arguments) -> Array:
    """Exchange sines and cosines: columns of a pair, or blocks."""
    layout = arguments["layout"]
    if layout != "interleaved":
        other = "cos_sin" if layout == "sin_cos" else "sin_cos"
        return np.asarray(reference(NAME, {**arguments, "layout": other}))
    wrong, even = right.copy(), right.shape[-1] // 2 * 2
    wrong[..., 0:even:2], wrong[..., 1:even:2] = right[..., 1:even:2], right[..., 0:even:2]
    return wrong


def narrow_ladder(arguments: Arguments) -> Array:
    """Divide by dim - 1 where the odd width itself is declared."""
    powers, _ = exponents(arguments)
    dim = arguments["dim"]
    declared = dim % 2 and arguments["odd"] == "extra_sine" and arguments["denominator"] == "dim"
    factor = dim / (dim - 1) if declared else 1.0
    return table(arguments, (powers[0] * factor, powers[1] * factor))


def _other_denominator(arguments: Arguments) -> Arguments:
    pairs = (arguments["dim"] + (arguments["odd"] == "extra_sine")) // 2
    return {"denominator": DENOMINATORS[arguments["denominator"]]} if pairs > 1 else {}


def _other_odd(arguments: Arguments) -> Arguments:
    other = "extra_sine" if arguments["odd"] == "zero_pad" else "zero_pad"
    single = arguments["dim"] == 3 and arguments["denominator"] == "count_minus_1"
    return {"odd": other, **({"denominator": "dim"} if single else {})}


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _four(**changed: Any) -> dict[str, Any]:
    """Return the call of the public reports: width 4, position 1."""
    plain = {
        "dim": 4,
        "base": 10000.0,
        "denominator": "dim",
        "layout": "interleaved",
        "odd": "error",
    }
    return {"inputs": {"positions": [1]}, "params": {**plain, **changed}}


WHISPER: Final = [0.841470985, 9.99999998e-5, 0.540302306, 0.999999995]

MISTAKES: Final = (
    _mistake(
        "own-exponent",
        "frequency-exponent",
        "the exponent 2j/d on every column j gives: columns of a pair must share one",
        called(NAME, own_exponent),
        "https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/32",
        **_four(),
        output=[0.841470985, 0.99995, 9.99999998e-5, 1.0],
    ),
    _mistake(
        "odd-cosine-exponent",
        "frequency-exponent",
        "a cosine exponent taken from the odd column gives",
        called(NAME, odd_cosine),
        "https://github.com/maxjcohen/transformer/issues/62",
        **_four(base=1000.0),
        output=[0.841470985, 0.984230234, 0.0316175064, 0.999984189],
    ),
    _mistake(
        "exponent-positive",
        "frequency-exponent",
        "a positive exponent gives: frequencies grow with the column",
        _laddered(lambda power, _: -power),
    ),
    _mistake(
        "exponent-halved",
        "frequency-exponent",
        "the exponent i/d gives where 2i/d is declared",
        _laddered(lambda power, _: power / 2),
    ),
    _mistake(
        "exponent-from-1",
        "frequency-exponent",
        "a pair index counted from 1 gives: the first frequency is not 1",
        _laddered(lambda power, step: power + step),
    ),
    _mistake(
        "base-10000",
        "fixed-base",
        "base 10000 gives where another is declared",
        altered(NAME, lambda arguments: {"base": 10000.0}),
        "https://github.com/deepspeedai/DeepSpeed/issues/4442",
    ),
    _mistake(
        "other-denominator",
        "ladder-end",
        "the other ladder gives: divided by d/2 and by d/2 - 1 interchanged",
        altered(NAME, _other_denominator),
        "https://github.com/wenet-e2e/wenet/issues/2141",
        **_four(denominator="count_minus_1", layout="sin_cos"),
        output=[0.841470985, 0.00999983333, 0.540302306, 0.99995],
    ),
    _mistake(
        "other-layout",
        "sine-layout",
        "the other arrangement of columns gives: pairs and halves interchanged",
        altered(NAME, lambda arguments: {"layout": LAYOUTS[arguments["layout"]]}),
        "https://github.com/wenet-e2e/wenet/issues/2141",
        **_four(denominator="count_minus_1"),
        output=WHISPER,
    ),
    _mistake(
        "sine-cosine-exchanged",
        "sine-cosine-order",
        "sines and cosines interchanged give",
        replaced(NAME, exchanged),
        "https://github.com/huggingface/diffusers/issues/1369",
        **_four(layout="cos_sin"),
        output=[0.841470985, 0.00999983333, 0.540302306, 0.99995],
    ),
    _mistake(
        "other-odd-rule",
        "odd-rule",
        "the other rule for an odd width gives: a zero column and an extra sine interchanged",
        altered(NAME, _other_odd),
    ),
    _mistake(
        "odd-width-minus-1",
        "odd-denominator",
        "exponents over the width minus 1 give where the odd width is declared",
        called(NAME, narrow_ladder),
    ),
    _mistake(
        "angle-bfloat16",
        "angle-rounding",
        "angles rounded to bfloat16 give: the product ran under autocast",
        called(NAME, lambda given: changed(given, np.asarray, short)),
        "https://github.com/huggingface/diffusers/issues/13922",
    ),
    _mistake(
        "table-scaled",
        "embedding-scale",
        "a table times sqrt(2 / d) gives",
        replaced(NAME, scaled),
        "https://github.com/ml-explore/mlx/issues/1174",
        inputs={"positions": [0]},
        params={**_four()["params"], "dim": 8},
        output=[0.0, 0.5, 0.0, 0.5, 0.0, 0.5, 0.0, 0.5],
    ),
    *shortened(NAME, changed),
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
    ),
)
