"""Llama in float64: the angle is made in float32, so the cosine is right to 7 digits only."""

import torch
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

shape = {"hidden_size": 4, "num_attention_heads": 1, "max_position_embeddings": 2048}
rope = {"rope_type": "default", "rope_theta": 10000.0}
module = LlamaRotaryEmbedding(LlamaConfig(**shape, rope_parameters=rope))
cos, sin = module(torch.empty(0, dtype=torch.float64), torch.tensor([[1001]]))

# The second pair turns by 1001 / 10000^(2/4) = 10.01, and cos 10.01 = -0.83358945541...
print("right: -0.8335894554")
print(f"got:   {cos[0, 0, 1].item():.10f} as {cos.dtype}")
