"""Heads in float64: the table of cosines and sines is float32."""

from tinygrad import Tensor, dtypes
from tinygrad.llm.model import apply_rope, precompute_freqs_cis

heads = Tensor([0.0, 1.0, 0.0, 0.0], dtype=dtypes.float64).reshape(1, 1, 1, 4)
rows = precompute_freqs_cis(4, 512, 10000.0)[501:502].cast(dtypes.float64)
turned = apply_rope(heads, rows)

# The second pair turns by 501 / 10000^(2/4) = 5.01, and cos 5.01 = 0.29323708539...
print("right: 0.2932370854")
print(f"got:   {turned.flatten()[1].item():.10f}")
