"""ModernBERT: local_rope_theta null, once "the global base", is no number to compute with."""

from transformers import ModernBertConfig
from transformers.models.modernbert.modeling_modernbert import ModernBertRotaryEmbedding

config = ModernBertConfig(
    hidden_size=96, num_attention_heads=12, global_rope_theta=160000.0, local_rope_theta=None
)

print("right: base 160000")
try:
    module = ModernBertRotaryEmbedding(config)
    print(f"got:   base {module.config.rope_parameters['sliding_attention']['rope_theta']}")
except TypeError as error:
    print(f"got:   TypeError: {error}")
