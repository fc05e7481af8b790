"""Two rotary embeddings of one width and different bases: the second gets the table of the first."""

import equinox
import jax.numpy as jnp
import numpy as np

heads = jnp.zeros((2, 4)).at[:, 1].set(1)  # the second pair, at positions 0 and 1
first = equinox.nn.RotaryPositionalEmbedding(4, 10000.0)(heads)
second = equinox.nn.RotaryPositionalEmbedding(4, 100.0)(heads)

# Base 100 turns the second pair by 100^(-2/4) = 0.1 a position: cos 0.1 = 0.99500416...
print("right: 0.995004")
print(f"got:   {np.asarray(second)[1, 1]:.6f}")
