"""Save what a model's own kernel was given and gave: 32 heads, 512 tokens, a cache that starts at 4096."""

import json

import mended_kernel
import numpy as np

parameters = {"rotary_dim": 128, "rotary_start": 0, "base": 500000.0, "pairing": "half"}
parameters |= {"scaling": None, "seq_len": None}
x = np.random.default_rng(0).standard_normal((1, 32, 512, 128)).astype(np.float32)
positions = np.arange(4096, 4096 + 512)

np.savez("inputs.npz", x=x, positions=positions)
np.savez("output.npz", y=mended_kernel.apply(x, positions - 4096, **parameters))  # the offset is lost
with open("params.json", "w") as file:
    json.dump(parameters, file)
