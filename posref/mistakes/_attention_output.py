"""Known wrong implementations of ``attention.output``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called
from posref.operation import Mistake
from posref.reference import attention

NAME = "attention.output"


def _logits(arguments: Arguments) -> Array:
    scores = attention.scores(arguments["q"], arguments["k"], scale=arguments["scale"])
    bias = arguments.get("bias")
    return np.asarray(scores if bias is None else scores + bias)


def _allowed(arguments: Arguments, logits: Array) -> Array:
    mask = arguments.get("mask")
    return np.ones(logits.shape, bool) if mask is None else np.broadcast_to(mask, logits.shape)


def _softmax(logits: Array, allowed: Array, axis: int = -1) -> Array:
    """Return the weights; a line without an allowed key gets zeros."""
    masked = np.where(allowed, logits, -np.inf)
    highest = masked.max(axis=axis, keepdims=True, initial=-np.inf)
    raised = np.exp(masked - np.where(np.isfinite(highest), highest, 0.0))
    total = raised.sum(axis=axis, keepdims=True)
    return np.asarray(raised / np.where(total > 0, total, 1.0))


def over_queries(arguments: Arguments) -> Array:
    """Normalise every column."""
    logits = _logits(arguments)
    return _softmax(logits, _allowed(arguments, logits), axis=-2)


def masked_after(arguments: Arguments) -> Array:
    """Set masked weights to zero after the softmax."""
    logits = _logits(arguments)
    return _softmax(logits, np.ones_like(logits, bool)) * _allowed(arguments, logits)


def mask_added(arguments: Arguments) -> Array:
    """Add the mask, as 0 and 1, to the scores."""
    logits = _logits(arguments)
    return _softmax(logits + _allowed(arguments, logits), np.ones_like(logits, bool))


def mask_inverted(arguments: Arguments) -> Array:
    """Keep what is masked."""
    logits = _logits(arguments)
    return _softmax(logits, ~_allowed(arguments, logits))


def equal(arguments: Arguments) -> Array:
    """Weigh all allowed keys alike."""
    logits = _logits(arguments)
    return _softmax(np.zeros_like(logits), _allowed(arguments, logits))


def _weighing(weights: Callable[[Arguments], Array]) -> Callable[..., Any]:
    return called(NAME, lambda arguments: weights(arguments) @ np.asarray(arguments["v"]))


def _negated(arguments: Arguments) -> Arguments:
    bias = arguments.get("bias")
    return {} if bias is None else {"bias": np.where(np.isneginf(bias), bias, -bias)}


def _scaled(arguments: Arguments) -> Arguments:
    bias = arguments.get("bias")
    return {} if bias is None else {"bias": bias * arguments["scale"]}


def _first_head(arguments: Arguments) -> Arguments:
    bias = arguments.get("bias")
    if bias is None or bias.ndim < 3:
        return {}
    return {"bias": np.broadcast_to(bias[..., :1, :, :], bias.shape)}


def _first_row(arguments: Arguments) -> Arguments:
    v = arguments["v"]
    return {"v": np.broadcast_to(v[:1], v.shape)} if v.ndim > 2 else {}


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


ONE: Final = {"q": [[1.0, 0.0]], "k": [[0.0, 1.0], [0.0, 2.0]], "v": [[1.0], [3.0]], "mask": [[True, False]]}
"""Both scores are 0: the weights are easy to see."""

MISTAKES: Final = (
    _mistake(
        "scale-forgotten",
        "scale-missing",
        "unscaled scores give",
        altered(NAME, lambda arguments: {"scale": 1.0}),
    ),
    _mistake(
        "scale-twice",
        "scale-twice",
        "`scale` applied twice gives",
        altered(NAME, lambda arguments: {"scale": arguments["scale"] ** 2}),
    ),
    _mistake(
        "scale-from-width",
        "scale-assumed",
        "1/sqrt(D) gives where another `scale` is declared",
        altered(NAME, lambda arguments: {"scale": arguments["q"].shape[-1] ** -0.5}),
    ),
    _mistake(
        "bias-forgotten", "bias-missing", "no bias gives", altered(NAME, lambda arguments: {"bias": None})
    ),
    _mistake("bias-subtracted", "bias-sign", "a subtracted bias gives", altered(NAME, _negated)),
    _mistake(
        "bias-scaled",
        "bias-scale",
        "a bias added before the scaling gives",
        altered(NAME, _scaled),
        "https://github.com/deepspeedai/Megatron-DeepSpeed/issues/222",
    ),
    _mistake(
        "bias-of-head-0", "bias-head", "the first head's bias gives in every head", altered(NAME, _first_head)
    ),
    _mistake(
        "mask-forgotten", "mask-missing", "no mask gives", altered(NAME, lambda arguments: {"mask": None})
    ),
    _mistake(
        "mask-inverted",
        "mask-inverted",
        "the opposite mask gives: true was read as masked",
        _weighing(mask_inverted),
        inputs=ONE,
        params={"scale": 1.0},
        output=[3.0],
    ),
    _mistake(
        "mask-added",
        "mask-additive",
        "a boolean mask added to the scores as 0 and 1 gives",
        _weighing(mask_added),
    ),
    _mistake(
        "masked-after-softmax",
        "mask-after-softmax",
        "weights masked after the softmax give: they do not sum to 1",
        _weighing(masked_after),
        inputs=ONE,
        params={"scale": 1.0},
        output=[0.5],
    ),
    _mistake(
        "softmax-over-queries", "softmax-axis", "a softmax over the queries gives", _weighing(over_queries)
    ),
    _mistake(
        "equal-weights",
        "uniform-weights",
        "equal weights give: the scores were not used",
        _weighing(equal),
        inputs={"q": [[1.0, 0.0]], "k": [[0.0, 1.0], [2.0, 0.0]], "v": [[1.0], [3.0]]},
        params={"scale": 1.0},
        output=[2.0],
    ),
    _mistake(
        "values-of-row-0",
        "batch-rows",
        "the values of the first row give for every row of the batch",
        altered(NAME, _first_row),
    ),
)
