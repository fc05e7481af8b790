"""The sinusoidal ladder is built up from its lowest frequency, so the others lose digits."""

import numpy as np
from mlx import nn

layer = nn.SinusoidalPositionalEncoding(1024, min_freq=1e-4)
second = float(np.array(layer._sigmas)[1])

# Frequency i of n is 10000^(-i / (n - 1)); the second of 512 is 10000^(-1/511) = 0.982137...
right = 10000.0 ** (-1 / 511)
ulp = 2.0**-24  # of float32, from 1/2 to 1
print("right: less than 1 unit in the last place of float32")
print(f"got:   {abs(second - right) / ulp:.0f} units")
