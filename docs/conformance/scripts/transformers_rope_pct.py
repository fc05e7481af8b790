"""StableLM: rope_pct, the name of its first files, is not read."""

from transformers import StableLmConfig
from transformers.models.stablelm.modeling_stablelm import StableLmRotaryEmbedding

config = StableLmConfig(hidden_size=320, num_attention_heads=4, rope_pct=0.6)

# Heads are 80 wide, 0.6 of it is 48: 24 frequencies.
print("right: 24 frequencies")
print(f"got:   {len(StableLmRotaryEmbedding(config).inv_freq)} frequencies")
