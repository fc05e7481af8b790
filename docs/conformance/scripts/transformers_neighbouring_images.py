"""Qwen2.5-VL: two images without a token between them are taken for one."""

from types import SimpleNamespace

import torch
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel

vision = SimpleNamespace(spatial_merge_size=2, tokens_per_second=1)
model = SimpleNamespace(config=SimpleNamespace(vision_config=vision))
model.get_vision_position_ids = Qwen2_5_VLModel.get_vision_position_ids.__get__(model)
types = torch.tensor([[0, 1, 1]])

# One token of text at 0, then two images of one merged patch each: at 1 and at 2 on every axis.
print("right: time 0, 1, 2")
try:
    grids = torch.tensor([[1, 2, 2], [1, 2, 2]])
    ids, _ = Qwen2_5_VLModel.get_rope_index(model, types, mm_token_type_ids=types, image_grid_thw=grids)
    print(f"got:   time {', '.join(map(str, ids[0, 0].tolist()))}")
except RuntimeError as error:
    print(f"got:   RuntimeError: {str(error).partition(' (')[0]}")
