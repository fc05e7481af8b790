"""Known wrong implementations of the operations in `spec/schemes/fourier.md`."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import BFLOAT16, Arguments, Array, altered, called, replaced, significant
from posref.mistakes._ignored import ignored
from posref.operation import Mistake

NAME: Final = "fourier.encode"


def features(arguments: Arguments, change: Callable[[Array], Array]) -> Array:
    """Return the features of angles passed through `change`; input and order are right."""
    x = np.asarray(arguments["x"], np.float64)
    angle = x @ np.asarray(arguments["weights"], np.float64)
    angle = change(angle * 2 * np.pi if arguments["two_pi"] else angle)
    kept = [x] if arguments["include_input"] else []
    return np.concatenate([*kept, np.sin(angle), np.cos(angle)], axis=-1)


def half_turn(arguments: Arguments) -> Array:
    """Multiply by pi where 2 pi is declared, and where nothing is."""
    return features(arguments, lambda angle: angle / 2 if arguments["two_pi"] else angle * np.pi)


def half_angle(arguments: Arguments) -> Array:
    """Round the angle to bfloat16."""
    return features(arguments, lambda angle: significant(angle, BFLOAT16))


def parts(right: Array, arguments: Arguments) -> tuple[Array, Array, Array]:
    """Return the input columns, the sines and the cosines."""
    axes, bands = np.asarray(arguments["weights"]).shape
    kept = axes if arguments["include_input"] else 0
    return right[..., :kept], right[..., kept : kept + bands], right[..., kept + bands :]


def cosines_first(right: Array, arguments: Arguments) -> Array:
    """Exchange sines and cosines."""
    kept, sines, cosines = parts(right, arguments)
    return np.concatenate([kept, cosines, sines], axis=-1)


def interleaved(right: Array, arguments: Arguments) -> Array:
    """Put the sine and the cosine of a frequency side by side."""
    kept, sines, cosines = parts(right, arguments)
    pairs = np.stack([sines, cosines], axis=-1).reshape(*sines.shape[:-1], 2 * sines.shape[-1])
    return np.concatenate([kept, pairs], axis=-1)


def input_last(right: Array, arguments: Arguments) -> Array:
    """Put the input after the features."""
    kept, sines, cosines = parts(right, arguments)
    return np.concatenate([sines, cosines, kept], axis=-1)


def input_turned(right: Array, arguments: Arguments) -> Array:
    """Put the input times 2 pi before the features."""
    kept, sines, cosines = parts(right, arguments)
    return np.concatenate([kept * 2 * np.pi, sines, cosines], axis=-1)


def normalised(right: Array, arguments: Arguments) -> Array:
    """Divide sines and cosines by the root of their number."""
    kept, sines, cosines = parts(right, arguments)
    size = (2 * sines.shape[-1]) ** -0.5
    return np.concatenate([kept, sines * size, cosines * size], axis=-1)


def first_axis(arguments: Arguments) -> Array:
    """Project the first coordinate only."""
    weights = np.asarray(arguments["weights"], np.float64).copy()
    weights[1:] = 0.0
    return features({**arguments, "weights": weights}, np.asarray)


def first_batch(right: Array, arguments: Arguments) -> Array:
    """Use the first row of the batch for every row."""
    return np.broadcast_to(right[:1], right.shape) if right.ndim > 2 else right


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _bands(*weights: float, two_pi: bool, include_input: bool = False) -> dict[str, Any]:
    """Return a call with the coordinate 0.3."""
    params = {"two_pi": two_pi, "include_input": include_input}
    return {"inputs": {"x": [[0.3]], "weights": [list(weights)]}, "params": params}


HALF: Final = [0.809016994, 0.951056516, -0.587785252, 0.587785252, -0.309016994, -0.809016994]
"""Sines and cosines of 0.3 pi, 0.6 pi and 1.2 pi."""

MISTAKES: Final = (
    _mistake(
        "two-pi-exchanged",
        "two-pi",
        "projections taken in turns give where radians are declared, or the reverse",
        altered(NAME, lambda arguments: {"two_pi": not arguments["two_pi"]}),
        **_bands(1.0, two_pi=True),
        output=[0.295520207, 0.955336489],
    ),
    _mistake(
        "half-turn",
        "two-pi",
        "a factor of pi gives",
        called(NAME, half_turn),
        "https://github.com/lucidrains/perceiver-pytorch/issues/5",
        **_bands(1.0, 2.0, 4.0, two_pi=True),
        output=HALF,
    ),
    _mistake(
        "cosines-first",
        "sine-cosine-order",
        "cosines before sines give",
        replaced(NAME, cosines_first),
        **_bands(0.5, 1.0, 2.0, two_pi=True),
        output=[*HALF[3:], *HALF[:3]],
    ),
    _mistake("interleaved", "sine-layout", "sine and cosine side by side give", replaced(NAME, interleaved)),
    _mistake("input-last", "input-place", "the input after the features gives", replaced(NAME, input_last)),
    _mistake(
        "input-turned",
        "input-scaled",
        "the input times 2 pi gives: it is kept as it is",
        replaced(NAME, input_turned),
    ),
    _mistake(
        "normalised",
        "feature-scale",
        "features divided by the root of their number give",
        replaced(NAME, normalised),
    ),
    _mistake("first-axis", "axis-lost", "the first coordinate alone gives", called(NAME, first_axis)),
    _mistake(
        "first-row", "batch-rows", "the first row of the batch gives for all", replaced(NAME, first_batch)
    ),
    _mistake(
        "angle-bfloat16",
        "angle-rounding",
        "angles rounded to bfloat16 give: the projection ran under autocast",
        called(NAME, half_angle),
        "https://github.com/huggingface/diffusers/issues/13922",
    ),
    *ignored("fourier"),
)
