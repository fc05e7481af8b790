"""Biases of scores: ALiBi, T5's and DeBERTa's buckets, Swin's index."""

from typing import Any

import keras
from keras_hub.layers import AlibiBias
from keras_hub.src.models.deberta_v3.disentangled_self_attention import DisentangledSelfAttention
from keras_hub.src.models.swin_transformer.swin_transformer_layers import get_relative_position_index
from keras_hub.src.models.t5.t5_multi_head_attention import T5MultiHeadAttention

from posref.adapters import Unsupported


def alibi(q_positions: Any, k_positions: Any, slopes: Any, *, form: str, future: str, dtype: str) -> Any:
    """Return the bias of the last query, where the given slopes are the layer's own."""
    keys, heads = k_positions.shape[-1], slopes.shape[0]
    queries = keras.ops.convert_to_numpy(q_positions).tolist()
    if queries != [keys - 1] or keras.ops.convert_to_numpy(k_positions).tolist() != list(range(keys)):
        raise Unsupported("distances are those to the last key, and keys are counted from 0")
    if form == "key_index":
        raise Unsupported("the bias is a distance")
    layer, kind = AlibiBias(dtype=dtype), keras.backend.standardize_dtype(slopes.dtype)
    own = keras.ops.convert_to_tensor(layer._get_slopes(heads), kind)
    if not bool(keras.ops.all(own == slopes)):
        raise Unsupported("slopes are made from the number of heads, never given")
    return layer(keras.ops.zeros((1, heads, 1, keys), dtype))[0]


def bucket(relative_position: Any, *, num_buckets: int, max_distance: int, bidirectional: bool) -> Any:
    """Run T5's bucket function."""
    return T5MultiHeadAttention._relative_position_bucket(
        relative_position, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance
    )


def log_bucket(
    relative_position: Any, *, position_buckets: int, max_relative_positions: int, clamp_first: bool
) -> Any:
    """Run the bucket function of DeBERTa's attention layer."""
    if clamp_first:
        raise Unsupported("distances are not clamped first")
    layer = DisentangledSelfAttention(1, 8, max_relative_positions, position_buckets)
    return layer._make_log_bucket_position(relative_position)


def swin_index(*, window: list[int]) -> Any:
    """Return the index of a window's pairs of patches."""
    return get_relative_position_index(*window)
