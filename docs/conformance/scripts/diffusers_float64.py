"""Heads in float64 are turned in float32."""

import torch
from diffusers.models.embeddings import apply_rotary_emb

heads = torch.tensor([0.0, 1 / 3, 0.0, 0.0], dtype=torch.float64).view(1, 1, 1, 4)
cos, sin = torch.ones(1, 4, dtype=torch.float64), torch.zeros(1, 4, dtype=torch.float64)
turned = apply_rotary_emb(heads, (cos, sin))  # by the angle 0

print("right: 0.3333333333333333")
print(f"got:   {turned.flatten()[1].item():.16f} as {turned.dtype}")
