"""T5's buckets of distances beyond 2^31: they wrap around."""

import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
from keras_hub.src.models.t5.t5_multi_head_attention import T5MultiHeadAttention

far = keras.ops.convert_to_tensor([-(2**31) + 1, -(2**31) - 1], dtype="int64")
bucket = T5MultiHeadAttention._relative_position_bucket(
    far, bidirectional=False, num_buckets=32, max_distance=128
)

# Everything beyond 128 back is in the last of 32 buckets.
print("right: 31 31")
print("got:   " + " ".join(str(int(value)) for value in keras.ops.convert_to_numpy(bucket)))
