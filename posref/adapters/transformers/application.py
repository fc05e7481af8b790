"""Rotation by positions: a layer made for one call, or kept for several."""

from collections.abc import Callable
from typing import Any

from posref.adapters.transformers.layer import Layer


def apply_qk(q: Any, k: Any, positions: Any, *, seq_len: int | None = None, **params: Any) -> Any:
    """Rotate queries and keys as the model's attention layer does."""
    return Layer(q.shape[-1], **params)(q, k, positions, seq_len)


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Rotate x in the place of the queries."""
    return apply_qk(x, x, positions, **params)[0]


def session(*, seq_len: int | None = None, **params: Any) -> Callable[..., Any]:
    """Return a layer that is kept; it is made at the first call, from the width of the heads."""
    layers: dict[int, Layer] = {}

    def call(x: Any, positions: Any, *, seq_len: int | None = seq_len) -> Any:
        layer = layers.setdefault(x.shape[-1], Layer(x.shape[-1], **params))
        return layer(x, x, positions, seq_len)[0]

    return call


OPERATIONS = {"rope.apply": apply, "rope.apply_qk": apply_qk}
SESSIONS = {"rope.apply": session}
