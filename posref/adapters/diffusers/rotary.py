"""Rotation: the table of one axis, and the function that turns by it."""

from typing import Any

import torch
from diffusers.models.embeddings import apply_rotary_emb, get_1d_rotary_pos_embed

from posref.adapters import Unsupported
from posref.adapters._torch import leading, rows

DIMENSION = {"adjacent": -1, "half": -2}


def turn(x: Any, tables: Any, pairing: str) -> Any:
    """Turn x, its leading axes made one batch axis."""
    heads = rows(x, x.shape[:-2])[None]
    return apply_rotary_emb(heads, tables, use_real_unbind_dim=DIMENSION[pairing]).reshape(x.shape)


def rotate(x: Any, cos: Any, sin: Any, *, pairing_in: str, pairing_out: str, rotary_start: int = 0) -> Any:
    """Turn x by given tables, each column made two."""
    leading(rotary_start)
    if pairing_in != pairing_out or 2 * cos.shape[-1] != x.shape[-1] or cos.ndim != 2:
        raise Unsupported("one pairing, the whole width, and one table for all sequences")
    if pairing_in == "adjacent":
        return turn(x, [table.repeat_interleave(2, -1) for table in (cos, sin)], pairing_in)
    return turn(x, [torch.cat((table, table), -1) for table in (cos, sin)], pairing_in)


def apply_qk(q: Any, k: Any, positions: Any, *, rotary_dim: int, rotary_start: int = 0, **given: Any) -> Any:
    """Turn queries and keys by the table of their positions."""
    leading(rotary_start)
    pairing, scaling = given["pairing"], given.get("scaling")
    kind, factor = (scaling["rope_type"], scaling["factor"]) if scaling is not None else ("linear", 1.0)
    if kind != "linear" or given.get("seq_len") is not None:
        raise Unsupported("frequencies are divided by a factor; ntk_factor is the one of the base itself")
    if rotary_dim != q.shape[-1] or positions.ndim != 1:
        raise Unsupported("the whole width, and positions for all sequences alike")
    form = {"use_real": True, "repeat_interleave_real": pairing == "adjacent", "freqs_dtype": torch.float64}
    tables = get_1d_rotary_pos_embed(rotary_dim, positions, theta=given["base"], linear_factor=factor, **form)
    return turn(q, tables, pairing), turn(k, tables, pairing)


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Turn x in the place of the queries."""
    return apply_qk(x, x, positions, **params)[0]


OPERATIONS = {"rope.rotate": rotate, "rope.apply": apply, "rope.apply_qk": apply_qk}
