"""Rotation by tables that a module builds when it is made."""

from collections.abc import Callable
from typing import Any

from torchtune.models.phi3 import Phi3RotaryPositionalEmbeddings
from torchtune.modules import RotaryPositionalEmbeddings

from posref.adapters import Unsupported
from posref.adapters._torch import leading, rows
from posref.adapters.torchtune.modules import ROWS, llama3

MODULES = {"adjacent": RotaryPositionalEmbeddings, "half": Phi3RotaryPositionalEmbeddings}


def session(
    *, rotary_dim: int, rotary_start: int = 0, base: float, pairing: str, scaling: Any = None, **given: Any
) -> Callable[..., Any]:
    """Return a module with a table of `ROWS` rows, as a function of x and positions."""
    leading(rotary_start)
    banded = scaling is not None and scaling["rope_type"] == "llama3" and pairing == "adjacent"
    if given.get("seq_len") is not None or not (banded or scaling is None):
        raise Unsupported("frequencies are plain, or those of Llama 3 in adjacent pairs")
    module = llama3(rotary_dim, base, scaling, ROWS) if banded else MODULES[pairing](rotary_dim, ROWS, base)
    return lambda x, positions: turn(module, x, positions)


def turn(module: Any, x: Any, positions: Any) -> Any:
    """Rotate x as (sequences, tokens, heads, width)."""
    several = positions.ndim == 2 and x.ndim == 3
    if module.dim != x.shape[-1] or positions.is_floating_point() or not (several or positions.ndim == 1):
        raise Unsupported("the whole width, and rows of a table for the tokens of a sequence")
    if bool(((positions < 0) | (positions >= ROWS)).any()):
        raise Unsupported(f"tables of {ROWS} rows are built")
    if several:
        return module(x[:, :, None], input_pos=positions)[:, :, 0]
    heads = rows(x, x.shape[:-2]).transpose(0, 1)[None]
    return module(heads, input_pos=positions)[0].transpose(0, 1).reshape(x.shape)


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Rotate x."""
    return session(**params)(x, positions)


def apply_qk(q: Any, k: Any, positions: Any, **params: Any) -> Any:
    """Rotate queries and keys by one module."""
    call = session(**params)
    return call(q, positions), call(k, positions)


OPERATIONS = {"rope.apply": apply, "rope.apply_qk": apply_qk}
SESSIONS = {"rope.apply": session}
