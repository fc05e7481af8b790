"""MLX: its fused rotation, and the positional layers of mlx.nn."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import mlx.core as mx
from mlx import nn

from posref.adapters import Implementation, Unsupported
from posref.adapters.mlx.additive import bias, encode, slopes
from posref.adapters.mlx.arrays import read, turn, write


def rope(
    *,
    rotary_dim: int,
    base: float,
    pairing: str,
    scaling: Any = None,
    rotary_start: int = 0,
    seq_len: Any = None,
) -> Any:
    """Return the layer as a function of heads and positions."""
    if rotary_start or not isinstance(rotary_start, int):
        raise Unsupported("the rotated slice is a leading one")
    if scaling is not None and scaling["rope_type"] != "linear":
        raise Unsupported("positions are scaled, nothing else is")
    scale = 1.0 if scaling is None else 1 / scaling["factor"]
    layer = nn.RoPE(rotary_dim, traditional=pairing == "adjacent", base=base, scale=scale)
    return lambda x, positions, seq_len=None: turn(layer, x, positions)


def rope_qk(**params: Any) -> Any:
    """Return the layer as a function of queries, keys and positions."""
    layer = rope(**params)
    return lambda q, k, positions, seq_len=None: (layer(q, positions), layer(k, positions))


def apply_vjp(grad_y: Any, x: Any, positions: Any, **params: Any) -> Any:
    """Pull a cotangent back through the layer."""
    layer = rope(**params)
    return mx.vjp(lambda heads: layer(heads, positions), [x], [grad_y])[1][0]


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Rotate heads by a layer made for the call."""
    return rope(**params)(x, positions)


def apply_qk(q: Any, k: Any, positions: Any, **params: Any) -> Any:
    """Rotate queries and keys."""
    return rope_qk(**params)(q, k, positions)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "rope.apply": apply,
    "rope.apply_qk": apply_qk,
    "rope.apply_vjp": apply_vjp,
    "sinusoidal.encode": encode,
    "alibi.slopes": slopes,
    "alibi.bias": bias,
}


def load() -> Implementation:
    """Return the layers as one implementation."""
    sessions = {"rope.apply": rope, "rope.apply_qk": rope_qk}
    return Implementation(
        "mlx", OPERATIONS, version=version("mlx"), write=write, read=read, sessions=sessions
    )
