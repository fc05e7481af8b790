"""Windows of Swin and Swin v2."""

from typing import Any

from timm.layers.pos_embed_rel import gen_relative_log_coords, gen_relative_position_index

from posref.adapters._torch import single


def index(*, window: list[int]) -> Any:
    """Run the function of indices."""
    return gen_relative_position_index(tuple(window))


def log_coords(*, window: list[int], pretrained_window: list[int] | None, dtype: str) -> Any:
    """Run the function of coordinates; a pretrained window of 0 is none."""
    single(dtype)
    return gen_relative_log_coords(tuple(window), tuple(pretrained_window or (0, 0)))


OPERATIONS = {"swin.index": index, "swin.log_coords": log_coords}
