"""Ernie 4.5 VL: no channels of time are all of them, because a slice ends at minus their number."""

import torch
from transformers import Ernie4_5_VLMoeTextConfig
from transformers.models.ernie4_5_vl_moe.modeling_ernie4_5_vl_moe import Ernie4_5_VLMoeTextRotaryEmbedding

rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 2, 0]}  # height, width, time
shape = {"hidden_size": 8, "head_dim": 8, "num_attention_heads": 1, "num_key_value_heads": 1}

# Four pairs, height and width in turn: h w h w.
print("right: h w h w")
try:
    module = Ernie4_5_VLMoeTextRotaryEmbedding(Ernie4_5_VLMoeTextConfig(**shape, rope_parameters=rope))
    axes = module.recomposition_frequencies(torch.arange(3)[:, None].expand(3, 4))[::2][:4]
    print(f"got:   {' '.join('thw'[axis] for axis in axes.tolist())}")
except RuntimeError as error:
    print(f"got:   RuntimeError: {str(error).partition(' (')[0]}")
