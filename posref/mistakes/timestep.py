"""Known wrong implementations of the operations in `spec/schemes/timestep.md`."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, replaced
from posref.mistakes._ignored import ignored
from posref.mistakes._precision import Change, short, shortened
from posref.operation import Mistake

NAME: Final = "timestep.encode"


def exponents(arguments: Arguments) -> Array:
    """Return the right exponents."""
    count = arguments["dim"] // 2
    return np.asarray(np.arange(count) / (count - arguments["freq_shift"]))


def table(
    arguments: Arguments, powers: Array, frequency: Change = np.asarray, angle: Change = np.asarray
) -> Array:
    """Return the table for these exponents, with frequencies and angles changed."""
    steps = np.asarray(arguments["timesteps"], np.float64)[:, None]
    angles = angle(steps * frequency(arguments["max_period"] ** -powers) * arguments["scale"])
    blocks = [np.sin(angles), np.cos(angles)]
    if arguments["flip_sin_to_cos"]:
        blocks.reverse()
    return np.concatenate([*blocks, np.zeros((len(steps), arguments["dim"] % 2))], axis=-1)


def _laddered(change: Callable[[Array, Arguments], Array]) -> Callable[..., Any]:
    return called(NAME, lambda arguments: table(arguments, change(exponents(arguments), arguments)))


def next_rung(powers: Array, arguments: Arguments) -> Array:
    """Count the index in the exponent from 1."""
    return np.asarray(powers + 1 / (arguments["dim"] // 2 - arguments["freq_shift"]))


def changed(arguments: Arguments, frequency: Change, angle: Change) -> Array:
    """Return the table with frequencies and angles changed."""
    return table(arguments, exponents(arguments), frequency, angle)


def other_shift(arguments: Arguments) -> Arguments:
    """Exchange the shifts 0 and 1, where there is another ladder."""
    shift = 1.0 if arguments["freq_shift"] == 0 else 0.0
    return {"freq_shift": shift} if arguments["dim"] > 3 else {}


def interleaved(right: Array, arguments: Arguments) -> Array:
    """Put the sine and the cosine of a frequency side by side."""
    even = right.shape[-1] // 2 * 2
    wrong = right.copy()
    wrong[:, 0:even:2], wrong[:, 1:even:2] = right[:, : even // 2], right[:, even // 2 : even]
    return wrong


def padded_left(right: Array, arguments: Arguments) -> Array:
    """Put the column of zeros first."""
    return np.roll(right, right.shape[-1] % 2, axis=-1)


def padded_between(right: Array, arguments: Arguments) -> Array:
    """Put the column of zeros between sines and cosines."""
    half = right.shape[-1] // 2
    if right.shape[-1] % 2 == 0:
        return right
    return np.concatenate([right[:, :half], right[:, -1:], right[:, half:-1]], axis=-1)


def scaled_result(right: Array, arguments: Arguments) -> Array:
    """Multiply the sines and cosines by the factor."""
    plain = table({**arguments, "scale": 1.0}, exponents(arguments))
    return np.asarray(plain * arguments["scale"])


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _step(step: float, dim: int, **changed: Any) -> dict[str, Any]:
    """Return a call with one step."""
    params = {
        "dim": dim,
        "max_period": 10000.0,
        "freq_shift": 0.0,
        "flip_sin_to_cos": False,
        "scale": 1.0,
        "odd": "error",
    }
    return {"inputs": {"timesteps": [step]}, "params": {**params, **changed}}


def _steps(change: Callable[[Array], Array]) -> Callable[..., Any]:
    return altered(NAME, lambda arguments: {"timesteps": change(np.asarray(arguments["timesteps"]))})


GUIDED: Final = [
    *(-0.839071529, 0.540302306, 0.995004165, 0.99995),
    *(-0.544021111, 0.841470985, 0.099833417, 0.009999833),
]

MISTAKES: Final = (
    _mistake(
        "order-exchanged",
        "sine-cosine-order",
        "sines and cosines in the other order give: the flag was ignored or applied twice",
        altered(NAME, lambda arguments: {"flip_sin_to_cos": not arguments["flip_sin_to_cos"]}),
        "https://github.com/huggingface/diffusers/issues/1369",
        **_step(1.0, 4),
        output=[0.540302306, 0.99995, 0.841470985, 0.00999983333],
    ),
    _mistake(
        "other-shift",
        "freq-shift",
        "another shift of the ladder's end gives: 0 and 1 interchanged, or 0 for any other",
        altered(NAME, other_shift),
        **_step(10.0, 8, freq_shift=1.0, flip_sin_to_cos=True),
        output=GUIDED,
    ),
    _mistake(
        "scale-missing",
        "angle-scale",
        "unscaled steps give: `scale` was not applied",
        altered(NAME, lambda arguments: {"scale": 1.0}),
        "https://github.com/ArchiMickey/Just-a-DiT/issues/9",
        **_step(0.5, 2, scale=1000.0),
        output=[0.479425539, 0.877582562],
    ),
    _mistake(
        "scale-of-result",
        "angle-scale",
        "sines and cosines times `scale` give: it belongs in the angle",
        replaced(NAME, scaled_result),
    ),
    _mistake(
        "interleaved",
        "sine-layout",
        "sine and cosine side by side give where two halves are declared",
        replaced(NAME, interleaved),
    ),
    _mistake(
        "exponent-positive",
        "frequency-exponent",
        "a positive exponent gives: frequencies grow with the column",
        _laddered(lambda powers, _: -powers),
    ),
    _mistake(
        "exponent-doubled",
        "frequency-exponent",
        "the exponent 2j/h gives where j/h is declared",
        _laddered(lambda powers, _: 2 * powers),
    ),
    _mistake(
        "exponent-from-1",
        "frequency-exponent",
        "an index counted from 1 gives: the first frequency is not 1",
        _laddered(next_rung),
    ),
    _mistake(
        "period-10000",
        "fixed-base",
        "a period of 10000 gives where another is declared",
        altered(NAME, lambda arguments: {"max_period": 10000.0}),
    ),
    _mistake("pad-left", "odd-pad-side", "a column of zeros at the left gives", replaced(NAME, padded_left)),
    _mistake(
        "pad-between",
        "odd-pad-side",
        "a column of zeros between the two halves gives",
        replaced(NAME, padded_between),
    ),
    _mistake("steps-truncated", "truncated-position", "steps cut to whole numbers give", _steps(np.trunc)),
    _mistake("steps-absolute", "unsigned-position", "steps without their sign give", _steps(np.abs)),
    _mistake(
        "angle-bfloat16",
        "angle-rounding",
        "angles rounded to bfloat16 give: the product ran under autocast",
        called(NAME, lambda given: changed(given, np.asarray, short)),
        "https://github.com/huggingface/diffusers/issues/13922",
    ),
    *shortened(NAME, changed),
    *ignored("timestep"),
)
