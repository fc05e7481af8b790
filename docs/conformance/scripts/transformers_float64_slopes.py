"""BLOOM in float64: slopes are powers of a base that was rounded to float32."""

import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor

bias = build_alibi_tensor(torch.ones(1, 2, dtype=torch.int64), 16, torch.float64)

# 16 heads: slope h is 2^(-h/2); the third is 2^(-3/2) = 0.35355339059327379.
print("right: 0.3535533905932738")
print(f"got:   {bias[2, 0, 1].item():.16f} as {bias.dtype}")
