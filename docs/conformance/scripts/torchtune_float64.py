"""Heads in float64 are turned in float32."""

import torch
from torchtune.modules import RotaryPositionalEmbeddings

heads = torch.tensor([0.0, 1 / 3, 0.0, 0.0], dtype=torch.float64).view(1, 1, 1, 4)
turned = RotaryPositionalEmbeddings(4)(heads)  # at position 0, where nothing turns

print("right: 0.3333333333333333")
print(f"got:   {turned.flatten()[1].item():.16f} as {turned.dtype}")
