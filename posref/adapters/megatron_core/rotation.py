"""Rotation of (tokens, sequences, heads, width), by angles or by tables."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from megatron.core.models.common.embeddings import rope_utils

from posref.adapters import Unsupported
from posref.adapters._torch import first, leading, rows
from posref.adapters.megatron_core.buffers import arguments, module


def rotate(x: Any, cos: Any, sin: Any, *, pairing_in: str, pairing_out: str, rotary_start: int = 0) -> Any:
    """Turn x by given tables."""
    leading(rotary_start)
    if pairing_in != pairing_out or cos.ndim != 2:
        raise Unsupported("one pairing, and one table for all sequences")
    adjacent = pairing_in == "adjacent"
    return tokens_first(
        x, rope_utils.apply_rotary_pos_emb_with_cos_sin, cos, sin, rotary_interleaved=adjacent
    )


def tokens_first(x: Any, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Call a function on x with its tokens first and its other axes as heads."""
    heads = rows(x, x.shape[:-2]).transpose(0, 1)[:, None]
    return function(heads, *given, **named)[:, 0].transpose(0, 1).reshape(x.shape)


def session(
    *, rotary_dim: int, rotary_start: int = 0, base: float, pairing: str, scaling: Any = None, **given: Any
) -> Callable[..., Any]:
    """Return a rotary embedding that is kept, as a function of x and positions."""
    leading(rotary_start)
    if given.get("seq_len") is not None:
        raise Unsupported("frequencies do not depend on the length")
    rotary = module(rotary_dim, base, **arguments(scaling))
    layer = SimpleNamespace(apply_rope_fusion=False, multi_latent_attention=False)
    layer.rotary_interleaved = pairing == "adjacent"

    def call(x: Any, positions: Any) -> Any:
        freqs = rotary.get_freqs_non_repeated(positions.shape[-1], first(positions))
        both = freqs.repeat_interleave(2, -1) if layer.rotary_interleaved else torch.cat((freqs, freqs), -1)
        turn = rope_utils.apply_rotary_pos_emb
        return tokens_first(x, turn, both[:, None, None], layer, cp_group=layer)

    return call


OPERATIONS = {
    "rope.rotate": rotate,
    "rope.apply": lambda x, positions, **params: session(**params)(x, positions),
}
SESSIONS = {"rope.apply": session}
