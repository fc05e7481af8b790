"""DeBERTa's bucket of the largest distance: a float32 logarithm is rounded up past the last bucket."""

import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
from keras_hub.src.models.deberta_v3.disentangled_self_attention import DisentangledSelfAttention

layer = DisentangledSelfAttention(1, 8, 512, 64)  # distances below 512, 64 buckets
bucket = layer._make_log_bucket_position(keras.ops.convert_to_tensor([511], dtype="int64"))

# ceil(31 * log(511 / 32) / log(511 / 32)) + 32 = 63.
print("right: 63")
print(f"got:   {int(keras.ops.convert_to_numpy(bucket)[0])}")
