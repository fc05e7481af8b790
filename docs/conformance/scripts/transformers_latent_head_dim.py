"""DeepSeek-V3: a head_dim in the file wins over qk_rope_head_dim, the width that is rotated."""

from transformers import DeepseekV3Config
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3RotaryEmbedding

widths = {"qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "head_dim": 24}

# The rotated part of each head is 8 wide: 4 frequencies.
print("right: 4 frequencies")
print(f"got:   {len(DeepseekV3RotaryEmbedding(DeepseekV3Config(**widths)).inv_freq)} frequencies")
