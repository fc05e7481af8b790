"""Heads in float64: frequencies and angles are float32."""

import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
from keras_hub.layers import RotaryEmbedding

heads = keras.ops.reshape(keras.ops.convert_to_tensor([0.0, 1.0, 0.0, 0.0], dtype="float64"), (1, 1, 4))
layer = RotaryEmbedding(10000, dtype="float64")
turned = layer(heads, positions=keras.ops.convert_to_tensor([[1001]], dtype="int64"))

# The second pair turns by 1001 / 10000^(2/4) = 10.01, and cos 10.01 = -0.83358945541...
print("right: -0.8335894554")
print(f"got:   {float(keras.ops.reshape(turned, (-1,))[1]):.10f}")
