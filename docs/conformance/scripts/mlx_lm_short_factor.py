"""longrope in a short sequence: short_factor is never read."""

import mlx.core as mx
import numpy as np
from mlx_lm.models.rope_utils import initialize_rope

scaling = {
    "type": "longrope",
    "original_max_position_embeddings": 4096,
    "short_factor": [1.0] * 4,
    "long_factor": [4.0] * 4,
}
layer = initialize_rope(8, 10000.0, False, scaling, 4096)
heads = mx.zeros((1, 1, 1, 8)).at[..., 0].add(1)
turned = np.array(layer(heads, offset=4)).ravel()

# Five tokens are short: the first pair turns by 4 / 1, and cos 4 = -0.653643...; cos(4 / 4) is 0.540302...
print("right: -0.653644")
print(f"got:   {turned[0]:.6f}")
