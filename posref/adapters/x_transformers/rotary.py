"""Rotary embedding: plain, interpolated, or with a scaled base."""

from collections.abc import Callable
from typing import Any

from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb

from posref.adapters import Unsupported
from posref.adapters._torch import leading, rows

FACTORS = {"linear": "interpolation_factor", "ntk": "base_rescale_factor"}


def session(
    *, rotary_dim: int, rotary_start: int = 0, base: float, pairing: str, scaling: Any = None, **given: Any
) -> Callable[..., Any]:
    """Return a module that is kept, as a function of x and positions."""
    leading(rotary_start)
    kind, factor = (scaling["rope_type"], scaling["factor"]) if scaling is not None else ("linear", 1.0)
    if pairing != "adjacent" or kind not in FACTORS or given.get("seq_len") is not None:
        raise Unsupported("adjacent pairs; positions are divided, or the base is scaled")
    module = RotaryEmbedding(rotary_dim, base=base, **{FACTORS[kind]: factor})
    return lambda x, positions: turn(module, x, positions)


def turn(module: Any, x: Any, positions: Any) -> Any:
    """Rotate x as (sequences, heads, tokens, width), its positions one row, or a row a sequence."""
    if positions.ndim == 1:
        return apply_rotary_pos_emb(rows(x, x.shape[:-2])[None], *module(positions)).reshape(x.shape)
    if positions.ndim == 2 and x.ndim == 3:
        return apply_rotary_pos_emb(x, *module(positions))
    if positions.ndim == 3 and x.ndim == 4 and positions.shape[1] == 1:
        return apply_rotary_pos_emb(x, *module(positions[:, 0]))
    raise Unsupported("positions are those of tokens, or of the tokens of sequences")


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Rotate the leading part of x."""
    return session(**params)(x, positions)


def apply_qk(q: Any, k: Any, positions: Any, **params: Any) -> Any:
    """Rotate queries and keys by one module."""
    call = session(**params)
    return call(q, positions), call(k, positions)


OPERATIONS = {"rope.apply": apply, "rope.apply_qk": apply_qk}
SESSIONS = {"rope.apply": session}
