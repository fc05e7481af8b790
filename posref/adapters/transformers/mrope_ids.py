"""Position ids of text, images and videos: Qwen2.5-VL."""

from types import SimpleNamespace
from typing import Any

import torch
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel

from posref.adapters import Unsupported


def position_ids(
    token_types: Any, grids: Any, temporal_interval: Any, *, spatial_merge_size: int, advance: str
) -> Any:
    """Return the positions of Qwen2.5-VL, whose videos have an interval, for one sequence."""
    if advance != "max_hw":
        raise Unsupported("the next position follows the larger of height and width")
    kinds = kinds_of(token_types, grids, spatial_merge_size)
    vision = SimpleNamespace(spatial_merge_size=spatial_merge_size, tokens_per_second=1)
    model = SimpleNamespace(config=SimpleNamespace(vision_config=vision))
    model.get_vision_position_ids = Qwen2_5_VLModel.get_vision_position_ids.__get__(model)
    ids, delta = Qwen2_5_VLModel.get_rope_index(
        model,
        token_types[None],
        mm_token_type_ids=token_types[None],
        image_grid_thw=grids[kinds == 1],
        video_grid_thw=grids[kinds == 2],
        second_per_grid_ts=temporal_interval[:, 0] / temporal_interval[:, 1],
    )
    return ids[:, 0], delta.reshape(())


def kinds_of(token_types: Any, grids: Any, merge: int) -> Any:
    """Return whether each grid is an image or a video: the kind of its first token."""
    media = [kind for kind in token_types.tolist() if kind]
    found = []
    for time, height, width in grids.tolist():
        found.append(media[0] if media else 0)
        media = media[time * (height // merge) * (width // merge) :]
    return torch.tensor(found, dtype=torch.int64)


OPERATIONS = {"mrope.position_ids": position_ids}
