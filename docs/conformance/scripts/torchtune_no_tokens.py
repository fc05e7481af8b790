"""Phi-3's rotation of no tokens: a view by -1 beside an axis of 0 is an error."""

import torch
from torchtune.models.phi3 import Phi3RotaryPositionalEmbeddings

print("right: shape (1, 0, 1, 4)")
try:
    print(f"got:   shape {tuple(Phi3RotaryPositionalEmbeddings(4)(torch.zeros(1, 0, 1, 4)).shape)}")
except RuntimeError as error:
    print(f"got:   RuntimeError: {str(error).partition(' because')[0]}")
