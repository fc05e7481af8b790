"""Rotation from an offset, with the cache of the module, or by the frequencies of given positions."""

from collections.abc import Callable
from typing import Any

from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb

from posref.adapters import Unsupported
from posref.adapters._torch import first, leading

FACTORS = {"linear": "interpolate_factor", "ntk": "theta_rescale_factor"}


def session(*, rotary_dim: int, base: float, pairing: str, **given: Any) -> Callable[..., Any]:
    """Return a module that is kept, with its cache, as a function of x and positions."""
    scaling, start = given.get("scaling"), given.get("rotary_start", 0)
    kind, factor = (scaling["rope_type"], scaling["factor"]) if scaling is not None else ("ntk", 1.0)
    if pairing != "adjacent" or kind not in FACTORS or given.get("seq_len") is not None:
        raise Unsupported("adjacent pairs; positions are divided, or the base is scaled")
    module = RotaryEmbedding(rotary_dim, theta=base, **{FACTORS[kind]: factor})

    def call(x: Any, positions: Any) -> Any:
        if kind == "linear" or (not start and follows(positions)):
            leading(start)
            return module.rotate_queries_or_keys(x, offset=first(positions))
        if positions.ndim != 1:
            raise Unsupported("positions of all sequences are alike")
        return apply_rotary_emb(module(positions), x, start_index=start)

    return call


def follows(positions: Any) -> bool:
    """Whether positions are one row that follows from one offset."""
    try:
        first(positions)
    except Unsupported:
        return False
    return True


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Rotate x."""
    return session(**params)(x, positions)


def apply_qk(q: Any, k: Any, positions: Any, **params: Any) -> Any:
    """Rotate queries and keys by one module."""
    call = session(**params)
    return call(q, positions), call(k, positions)


OPERATIONS: dict[str, Callable[..., Any]] = {"rope.apply": apply, "rope.apply_qk": apply_qk}
SESSIONS = {"rope.apply": session}
