"""Windows of Swin and Swin v2."""

from typing import Any

import transformers
from transformers.models.swin.modeling_swin import SwinRelativePositionBias
from transformers.models.swinv2.modeling_swinv2 import Swinv2SelfAttention

from posref.adapters._torch import single


def swin_index(*, window: list[int]) -> Any:
    """Return Swin's buffer of indices."""
    bias = SwinRelativePositionBias(1, tuple(window))
    return bias.relative_position_index.view(bias.window_area, bias.window_area)


def log_coords(*, window: list[int], pretrained_window: list[int] | None, dtype: str) -> Any:
    """Return Swin v2's buffer of coordinates."""
    single(dtype)
    config = transformers.Swinv2Config(embed_dim=2, num_heads=[1], depths=[1])
    layer = Swinv2SelfAttention(config, 2, 1, list(window), list(pretrained_window or [0, 0]))
    return layer.relative_coords_table[0]


OPERATIONS = {"swin.index": swin_index, "swin.log_coords": log_coords}
