"""What an error of an input does to the output: precision.C29, for steps that take an earlier output."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from posref.bounds._rotation import pairs_of
from posref.bounds._scaled import scaled
from posref.bounds._size import dot, hypot
from posref.bounds._table import phase
from posref.bounds.model import Model

Errors = Mapping[str, np.ndarray]
"""The largest error of each element of the inputs that have one, by name."""

Tensors = Mapping[str, np.ndarray]


def carried(
    name: str, model: Model, inputs: Tensors, params: Mapping[str, Any], errors: Errors
) -> np.ndarray:
    """Return how far an operation with one output may move when its inputs are off by `errors`."""
    if name not in CARRIERS:
        raise KeyError(f"{name} takes no earlier output: precision.C29 has no bound for it")
    return CARRIERS[name](model, inputs, params, errors)


def _apply(model: Model, inputs: Tensors, params: Mapping[str, Any], errors: Errors) -> np.ndarray:
    ladder = _ladder(model, params)
    turn = phase(inputs["positions"], ladder.frequency)
    return _turned(errors["x"], turn, params, float(ladder.factor))


def _rerotate(model: Model, inputs: Tensors, params: Mapping[str, Any], errors: Errors) -> np.ndarray:
    return _turned(errors["k"], phase(inputs["delta"], _ladder(model, params).frequency), params, 1.0)


def _ladder(model: Model, params: Mapping[str, Any]) -> Any:
    return scaled(model, params["scaling"], params["rotary_dim"], params["base"], params["seq_len"])


def _turned(error: np.ndarray, turn: np.ndarray, params: Mapping[str, Any], factor: float) -> np.ndarray:
    """Return the error of each coordinate after its pair has turned by at most `turn`."""
    found = np.array(error, dtype=np.float64)
    one, two = pairs_of(params["pairing"], params["rotary_dim"], params["rotary_start"])
    u, w = error[..., one], error[..., two]
    norm, low = hypot(u, w), np.minimum(1.0, turn)
    found[..., one] = factor * np.minimum(norm, u + w * low)
    found[..., two] = factor * np.minimum(norm, w + u * low)
    return found


def _scores(model: Model, inputs: Tensors, params: Mapping[str, Any], errors: Errors) -> np.ndarray:
    q, k = np.abs(inputs["q"]), np.abs(inputs["k"])
    of_q, of_k = errors.get("q", np.zeros(q.shape)), errors.get("k", np.zeros(k.shape))
    return np.asarray(abs(params["scale"]) * (dot(q + of_q, of_k) + dot(of_q, k)))


CARRIERS: Final[Mapping[str, Callable[[Model, Tensors, Mapping[str, Any], Errors], np.ndarray]]] = (
    MappingProxyType({"rope.apply": _apply, "rope.rerotate": _rerotate, "attention.scores": _scores})
)
"""The operations that a step may give an earlier floating output to."""
