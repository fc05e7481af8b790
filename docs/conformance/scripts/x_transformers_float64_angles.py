"""Heads in float64: frequencies, angles, cosines and sines are float32."""

import torch
from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb

heads = torch.tensor([0.0, 0.0, 1.0, 0.0], dtype=torch.float64).view(1, 1, 1, 4)
turned = apply_rotary_pos_emb(heads, *RotaryEmbedding(4)(torch.tensor([1001])))

# The second pair turns by 1001 / 10000^(2/4) = 10.01, and cos 10.01 = -0.83358945541...
print("right: -0.8335894554")
print(f"got:   {turned.flatten()[2].item():.10f} as {turned.dtype}")
