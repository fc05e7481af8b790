"""Rotation by tables takes the cosine and the sine of the given cosines and sines."""

import torch
from megatron.core.models.common.embeddings.rope_utils import apply_rotary_pos_emb_with_cos_sin

heads = torch.tensor([1.0, 0.0]).view(1, 1, 1, 2)
turned = apply_rotary_pos_emb_with_cos_sin(heads, torch.tensor([[1.0]]), torch.tensor([[0.0]]))

# The angle 0: cosine 1, sine 0, and [1, 0] stays.
print("right: 1.0000 0.0000")
print("got:   " + " ".join(f"{value:.4f}" for value in turned.flatten().tolist()))
