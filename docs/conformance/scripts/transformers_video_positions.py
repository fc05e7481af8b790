"""Qwen2.5-VL: text after a video goes back in time, and the delta of decoding does not agree with it."""

from types import SimpleNamespace

import torch
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel

vision = SimpleNamespace(spatial_merge_size=2, tokens_per_second=1)
model = SimpleNamespace(config=SimpleNamespace(vision_config=vision))
model.get_vision_position_ids = Qwen2_5_VLModel.get_vision_position_ids.__get__(model)

# Three tokens of text (0, 1, 2), a video of 6 frames of 2 x 2 patches, an interval of 2, then one of text.
types = torch.tensor([[0] * 3 + [2] * 24 + [0]])
ids, delta = Qwen2_5_VLModel.get_rope_index(
    model,
    types,
    mm_token_type_ids=types,
    video_grid_thw=torch.tensor([[6, 4, 4]]),
    second_per_grid_ts=torch.tensor([2.0]),
)

# The video starts at 3 and is 2 high and wide: the text stands at 3 + 2 = 5, the next token at 6, and
# the delta (next position less the 28 tokens) is 6 - 28 = -22. Time runs to 3 + 2 * 5 = 13.
print("right: text at 5, delta -22")
print(f"got:   text at {ids[0, 0, -1].item()}, delta {delta.item()}")
