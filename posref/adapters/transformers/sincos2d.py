"""Tables of two axes: ViT-MAE's, which is height first, and OmDet-Turbo's, which is width first."""

from typing import Any

import torch
from transformers.models.omdet_turbo.modeling_omdet_turbo import OmDetTurboHybridEncoder
from transformers.models.vit_mae.modeling_vit_mae import build_2d_sinusoidal_position_embedding

from posref.adapters import Unsupported

SIDE = 128


def grid(
    rows: Any, cols: Any, *, dim: int, base: float, denominator: str, axis_order: str, layout: str, dtype: str
) -> Any:
    """Look up ViT-MAE's table, which is height first, or OmDet-Turbo's, which is width first."""
    if (denominator, layout) != ("dim", "axis_major") or dtype == "float64":
        raise Unsupported("a table has the sines and cosines of one axis after the other, in float32")
    if rows.shape != cols.shape or bool(((rows < 0) | (rows >= SIDE) | (cols < 0) | (cols >= SIDE)).any()):
        raise Unsupported(f"a grid of {SIDE} by {SIDE} patches is built")
    height = int(rows.max()) + 1 if rows.numel() else 1
    width = int(cols.max()) + 1 if cols.numel() else 1
    if axis_order == "y_first":
        found = build_2d_sinusoidal_position_embedding(height, width, dim, base)
        found = found.view(height, width, dim)[rows, cols]
    else:
        build = OmDetTurboHybridEncoder.build_2d_sincos_position_embedding
        found = build(width, height, dim, base).view(width, height, dim)[cols, rows]
    return found.to(getattr(torch, dtype))


OPERATIONS = {"sincos2d.encode": grid}
