"""Equinox: the rotary module, whose tokens are counted from 0."""

from math import prod
from typing import Any

import equinox
import jax
import jax.numpy as jnp
import numpy as np

from posref.adapters import Implementation, Unsupported, write_numpy

ROWS = 4096


def write(values: np.ndarray, dtype: str) -> Any:
    """Return exact values as a jax array; integers are 32 bits wide."""
    if dtype == "int64" and np.any(values != values.astype(np.int32)):
        raise Unsupported("integers have 32 bits")
    return jnp.asarray(write_numpy(values, dtype))


def rope(
    *,
    rotary_dim: int,
    base: float,
    pairing: str,
    scaling: Any = None,
    rotary_start: int = 0,
    seq_len: int | None = None,
) -> Any:
    """Return the module as a function of heads and positions, which are put into a whole sequence."""
    if pairing != "half" or scaling is not None or rotary_start or not isinstance(rotary_start, int):
        raise Unsupported("half pairs of whole heads, and no scaling")

    def run(x: Any, positions: Any, seq_len: int | None = None) -> Any:
        row = np.asarray(positions)
        if x.shape[-1] != rotary_dim and rotary_dim % 2 == 0:
            raise Unsupported("half pairs of whole heads, and no scaling")
        if row.ndim != 1 or len(set(row.tolist())) != row.size or np.any((row < 0) | (row >= ROWS)):
            raise Unsupported(f"one row of different positions below {ROWS}")
        lead, (tokens, width) = x.shape[:-2], x.shape[-2:]
        empty = jnp.zeros((prod(lead), int(row.max(initial=-1)) + 1, width), x.dtype)
        sequence = empty.at[:, row].set(x.reshape(prod(lead), tokens, width))
        module = equinox.nn.RotaryPositionalEmbedding(rotary_dim, base, x.dtype)
        return jax.vmap(module)(sequence)[:, row].reshape(x.shape)

    return run


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Rotate heads by a module made for the call."""
    return rope(**params)(x, positions)


def load() -> Implementation:
    """Return the module as an implementation."""
    dtypes = ("float32", "bfloat16", "float16")
    operations, sessions = {"rope.apply": apply}, {"rope.apply": rope}
    return Implementation("equinox", operations, equinox.__version__, dtypes, write=write, sessions=sessions)
