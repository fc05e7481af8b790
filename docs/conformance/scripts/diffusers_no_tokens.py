"""Half pairs of no tokens: a reshape by -1 beside an axis of 0 is an error."""

import torch
from diffusers.models.embeddings import apply_rotary_emb

heads, table = torch.zeros(1, 1, 0, 4), torch.zeros(0, 4)

print("right: shape (1, 1, 0, 4)")
try:
    print(f"got:   shape {tuple(apply_rotary_emb(heads, (table, table), use_real_unbind_dim=-2).shape)}")
except RuntimeError as error:
    print(f"got:   RuntimeError: {str(error).partition(' because')[0]}")
