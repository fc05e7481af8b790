"""Bounds of what moves rotary data: nothing is lost (precision.C24)."""

from typing import Any

import numpy as np

from posref.bounds._table import untouched
from posref.bounds.model import Model, Parts


def table_slice(
    model: Model, cos: np.ndarray, sin: np.ndarray, *, offset: int, length: int
) -> tuple[Parts, Parts]:
    """Bound of rows that are moved."""
    return untouched((length,), cos.shape[-1]), untouched((length,), sin.shape[-1])


def permute(model: Model, x: np.ndarray, **params: Any) -> Parts:
    """Bound of coordinates that are moved."""
    return untouched(x.shape[:-1], x.shape[-1])


def permute_weight(model: Model, weight: np.ndarray, **params: Any) -> Parts:
    """Bound of rows that are moved."""
    return untouched(weight.shape[:-1], weight.shape[-1])
