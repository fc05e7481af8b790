"""Bounds of `alibi`: precision.C8."""

from fractions import Fraction

import numpy as np

from posref.bounds._ladder import ladder, log
from posref.bounds._size import inexact, power_of_two, tiny, unit
from posref.bounds.model import Model, Parts


def slopes(
    model: Model, *, num_heads: int, bias_max: float, head_start: int = 0, head_count: int | None = None
) -> Parts:
    """Bound of the slopes: powers of a first slope that is rounded once."""
    whole = 1 << (num_heads.bit_length() - 1)
    count = num_heads - head_start if head_count is None else head_count
    heads = np.arange(head_start, head_start + count)
    plain = heads < whole
    factor = np.where(plain, heads + 1, 2 * (heads - whole) + 1).astype(np.float64)
    size = np.where(plain, _slopes(bias_max, whole, heads), _slopes(bias_max, 2 * whole, heads - whole, 2))
    exact = np.where(plain, _whole(bias_max, whole), _whole(bias_max, 2 * whole))
    stretch = factor * bias_max / np.where(plain, whole, 2 * whole) * log(2.0)
    careful = float(inexact(np.array(bias_max), model.angle))
    angle = size * (factor + 2 * model.k_p + 1 + careful * stretch)
    return Parts(np.where(exact, 0.0, angle), np.zeros(count), np.zeros(count), size)


def _slopes(bias_max: float, parts: int, index: np.ndarray, stride: int = 1) -> np.ndarray:
    """Return ``2 ** (-bias_max (stride i + 1) / parts)`` at each index; 0 for a negative one."""
    step = Fraction(bias_max) / parts
    top = int(np.max(index, initial=0)) * stride + 2
    powers = ladder(2.0, step, top)
    return np.where(index < 0, 0.0, powers[np.maximum(index, 0) * stride + 1])


def _whole(bias_max: float, parts: int) -> bool:
    """Whether the first slope, and with it every power of it, is a power of two."""
    return (Fraction(bias_max) / parts).denominator == 1


def bias(
    model: Model,
    q_positions: np.ndarray,
    k_positions: np.ndarray,
    slopes: np.ndarray,
    *,
    form: str,
    future: str,
) -> Parts:
    """Bound of the bias: a slope that may be rounded, times an integer that may be rounded."""
    query = np.asarray(q_positions, dtype=np.int64)[..., None, :, None]
    key = np.asarray(k_positions, dtype=np.int64)[..., None, None, :]
    slope = np.asarray(slopes, dtype=np.float64)[:, None, None]
    steps = (key + 0 * query if form == "key_index" else query - key).astype(np.float64)
    value = np.abs(slope * steps)
    small = tiny(model.operand)
    lost = np.where(
        (inexact(slope, model.operand) > 0) | (np.abs(slope) < small), np.maximum(abs(slope), small), 0
    )
    table = lost * np.abs(steps) * unit(model.operand) / model.table_unit()
    product = np.where(power_of_two(slope) | power_of_two(steps), 0.0, value)
    floor = np.where(product > 0, tiny(model.arithmetic), 0.0)
    arithmetic = value * inexact(steps, model.arithmetic) + product * model.last + floor
    exact = value == 0
    return Parts(np.zeros(value.shape), np.where(exact, 0.0, table), np.where(exact, 0.0, arithmetic), value)
