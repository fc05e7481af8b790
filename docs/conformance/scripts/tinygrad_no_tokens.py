"""Rotation of no tokens: a reshape divides by the number of elements, which is 0."""

from tinygrad import Tensor
from tinygrad.llm.model import apply_rope, precompute_freqs_cis

heads, rows = Tensor.zeros(1, 1, 0, 8), precompute_freqs_cis(8, 1, 10000.0)[:0]

print("right: shape (1, 1, 0, 8)")
try:
    print(f"got:   shape {apply_rope(heads, rows).shape}")
except ZeroDivisionError as error:
    print(f"got:   ZeroDivisionError: {error}")
