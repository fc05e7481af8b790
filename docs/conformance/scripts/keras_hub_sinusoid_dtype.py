"""The sinusoidal table in bfloat16: the angle, too, is rounded to bfloat16."""

import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
from keras_hub.layers import SinePositionEncoding

table = SinePositionEncoding(dtype="bfloat16")(
    keras.ops.zeros((1, 1, 2), "bfloat16"), positions=keras.ops.convert_to_tensor([[257.0]], dtype="bfloat16")
)

# The first frequency is 1: sin 257 = -0.57335...; bfloat16 has no 257, and sin 256 = -0.99920...
print("right: -0.57")
print(f"got:   {float(table[0, 0, 0]):.2f}")
