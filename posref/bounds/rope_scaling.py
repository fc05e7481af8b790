"""Bounds of `rope_scaling`: precision.C17 to C19."""

from typing import Any

import numpy as np

from posref.bounds._config import read
from posref.bounds._scaled import Ladder, divided, growing, rounds, scaled
from posref.bounds._size import inexact
from posref.bounds.model import Model, Parts


def _parts(ladder: Ladder) -> tuple[Parts, Parts]:
    """Return the bound of frequencies and factor."""
    size = np.abs(ladder.frequency)
    return _angle(size, ladder.error), _number(ladder.factor, ladder.off)


def _angle(size: np.ndarray, error: np.ndarray) -> Parts:
    zero = np.zeros(size.shape)
    return Parts(size * error, zero, zero, size)


def _number(value: float, off: float) -> Parts:
    return _angle(np.array(value), np.array(off))


def linear(model: Model, inv_freq: np.ndarray, *, factor: float) -> tuple[Parts, Parts]:
    """Bound of given frequencies divided by a factor."""
    given = Ladder(inv_freq, inexact(inv_freq, model.angle))
    return _parts(divided(model, given, np.full(inv_freq.shape, float(factor))))


def ntk(model: Model, *, rotary_dim: int, base: float, **scaling: Any) -> tuple[Parts, Parts]:
    """Bound of a ladder with another base."""
    return _parts(scaled(model, {"rope_type": "ntk", **scaling}, rotary_dim, base, None))


def dynamic(
    model: Model, *, rotary_dim: int, base: float, seq_len: int, **scaling: Any
) -> tuple[Parts, Parts]:
    """Bound of a ladder whose base depends on the length."""
    return _parts(scaled(model, {"rope_type": "dynamic", **scaling}, rotary_dim, base, seq_len))


def yarn(model: Model, *, rotary_dim: int, base: float, **scaling: Any) -> tuple[Parts, Parts]:
    """Bound of a ladder interpolated by parts."""
    return _parts(scaled(model, {"rope_type": "yarn", **scaling}, rotary_dim, base, None))


def llama3(model: Model, *, rotary_dim: int, base: float, **scaling: Any) -> tuple[Parts, Parts]:
    """Bound of a ladder interpolated by bands."""
    return _parts(scaled(model, {"rope_type": "llama3", **scaling}, rotary_dim, base, None))


def longrope(
    model: Model,
    short_factor: np.ndarray,
    long_factor: np.ndarray,
    *,
    rotary_dim: int,
    base: float,
    seq_len: int,
    **scaling: Any,
) -> tuple[Parts, Parts]:
    """Bound of a ladder with a divisor for each frequency."""
    lists = {"rope_type": "longrope", "short_factor": short_factor, "long_factor": long_factor}
    return _parts(scaled(model, {**lists, **scaling}, rotary_dim, base, seq_len))


def proportional(model: Model, *, head_dim: int, base: float, **scaling: Any) -> tuple[Parts, Parts]:
    """Bound of a ladder that ends in zeros."""
    return _parts(scaled(model, {"rope_type": "proportional", **scaling}, head_dim, base, None))


def resolve(
    model: Model,
    *,
    config: dict[str, Any],
    seq_len: int | None = None,
    layer_type: str | None = None,
    layer_index: int | None = None,
) -> tuple[Parts, ...]:
    """Bound of what a configuration comes to; the width is an integer and exact."""
    asked = read(config, layer_type, layer_index)
    if asked.width:
        ladder = scaled(model, asked.scaling, asked.width, asked.base, seq_len)
    else:
        ladder = Ladder(np.zeros(0), np.zeros(0))
    softmax, off = 1.0, 0.0
    if asked.softmax and asked.scaling:
        root = growing(model, asked.softmax, float(asked.scaling["factor"]))
        softmax, off = root.factor * root.factor, 2 * root.off + (1.0 if root.off else 0.0)
    base = _number(asked.base, rounds(model, asked.base))
    return (*_parts(ladder), _number(softmax, off), _number(float(asked.width), 0.0), base)
