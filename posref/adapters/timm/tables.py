"""Rotation by given tables, axes of channels, resampled tables."""

from typing import Any

import torch
from timm.layers.pos_embed import resample_abs_pos_embed
from timm.layers.pos_embed_sincos import RotaryEmbeddingMRope, apply_rot_embed

from posref.adapters import Unsupported
from posref.adapters._torch import leading


def rotate(x: Any, cos: Any, sin: Any, *, pairing_in: str, pairing_out: str, rotary_start: int = 0) -> Any:
    """Turn x by given tables, each column made two."""
    leading(rotary_start)
    if pairing_in != pairing_out or 2 * cos.shape[-1] != x.shape[-1]:
        raise Unsupported("one pairing, and the whole width")
    if pairing_in == "half":
        return apply_rot_embed(x, torch.cat((sin, sin), -1), torch.cat((cos, cos), -1), half=True)
    return apply_rot_embed(x, sin.repeat_interleave(2, -1), cos.repeat_interleave(2, -1))


def axis_of_channel(*, mrope_section: list[int], arrangement: str) -> Any:
    """Return the buffer of axes."""
    if arrangement != "interleaved":
        raise Unsupported("axes alternate")
    return RotaryEmbeddingMRope(2 * sum(mrope_section), tuple(mrope_section)).axis


def resize(table: Any, *, length: int, align_corners: bool) -> Any:
    """Resample a grid of one row."""
    if table.dtype == torch.float64:
        raise Unsupported("interpolation is in float32")
    size, old = [1, length], [1, len(table)]
    given = {"num_prefix_tokens": 0, "interpolation": "bilinear", "antialias": False}
    return resample_abs_pos_embed(table[None], size, old, align_corners=align_corners, **given)[0]


OPERATIONS = {"rope.rotate": rotate, "mrope.axis_of_channel": axis_of_channel, "learned.resize": resize}
