"""MPT with alibi_bias_max = 140: the last slope, which float32 has, is 0."""

from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

bias = build_mpt_alibi_tensor(4, 2, 140)  # keys at distance 1 and 0 of the last token

# 4 heads: slope h is 2^(-140 h / 4); the last is 2^-140, a subnormal number of float32.
print(f"right: {2.0**-140:.6e}")
print(f"got:   {abs(bias[3, 0, 0].item()):.6e}")
