"""Heads in float64: frequencies and angles are float32."""

import torch
from megatron.core.models.common.embeddings.rope_utils import _apply_rotary_pos_emb_bshd
from megatron.core.models.common.embeddings.rotary_pos_embedding import RotaryEmbedding

heads = torch.tensor([0.0, 0.0, 1.0, 0.0], dtype=torch.float64).view(1, 1, 1, 4)
rotary = RotaryEmbedding(4, 1.0, use_cpu_initialization=True)
angles = rotary.get_freqs_non_repeated(1, offset=1001).repeat_interleave(2, -1)[:, None, None]
turned = _apply_rotary_pos_emb_bshd(heads, angles, rotary_interleaved=True)

# The second pair turns by 1001 / 10000^(2/4) = 10.01, and cos 10.01 = -0.83358945541...
print("right: -0.8335894554")
print(f"got:   {turned.flatten()[2].item():.10f} as {turned.dtype}")
