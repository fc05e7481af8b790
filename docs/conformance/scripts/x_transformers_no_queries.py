"""ALiBi on given positions: no queries are an error, where an empty bias would do."""

import torch
from x_transformers.x_transformers import AlibiPositionalBias

print("right: shape (1, 0, 2)")
try:
    bias = AlibiPositionalBias(1).forward_custom_pos(torch.arange(0), torch.arange(2))
    print(f"got:   shape {tuple(bias.shape)}")
except Exception as error:  # einx's own class
    print(f"got:   {type(error).__name__}")
