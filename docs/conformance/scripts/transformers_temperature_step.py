"""Ministral 3's query scale: the quotient is rounded to float32 before its floor is taken."""

import torch
from transformers.models.ministral3.modeling_ministral3 import get_llama_4_attn_scale

scale = get_llama_4_attn_scale(torch.tensor([[2**25 - 1]]), beta=1.0, max_position_embeddings=2**25)

# floor((2^25 - 1) / 2^25) = 0, so the scale is 1 + log(1 + 0) = 1.
print("right: 1.000000")
print(f"got:   {scale.item():.6f}")
