"""Swin v2 with a window of one row or column: coordinates are not normalised, or are no numbers."""

from transformers import Swinv2Config
from transformers.models.swinv2.modeling_swinv2 import Swinv2SelfAttention

config = Swinv2Config(embed_dim=2, num_heads=[1], depths=[1])

# Columns of a window of 3 lie up to 2 / (3 - 1) apart, so the last is log2(1 + 8) / 3 = 1.0566...
wide = Swinv2SelfAttention(config, 2, 1, [1, 3], [0, 0]).relative_coords_table
print("right: 1.0566")
print(f"got:   {wide[0, 0, -1, 1].item():.4f}")

# One column has the only distance 0, whose coordinate is 0.
tall = Swinv2SelfAttention(config, 2, 1, [4, 1], [4, 1]).relative_coords_table
print("right: 0.0")
print(f"got:   {tall[0, 0, 0, 1].item()}")
