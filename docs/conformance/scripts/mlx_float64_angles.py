"""Heads in float64: frequencies and angles are float32."""

import mlx.core as mx
import numpy as np
from mlx import nn

with mx.stream(mx.cpu):
    heads = mx.array(np.array([0.0, 1.0, 0.0, 0.0]), dtype=mx.float64).reshape(1, 1, 1, 4)
    turned = np.array(nn.RoPE(4)(heads, offset=1001)).ravel()

# The second pair turns by 1001 / 10000^(2/4) = 10.01, and cos 10.01 = -0.83358945541...
print("right: -0.8335894554")
print(f"got:   {turned[1]:.10f}")
