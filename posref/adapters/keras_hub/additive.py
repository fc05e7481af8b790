"""Tables added to embeddings."""

from math import prod
from typing import Any

import keras
from keras_hub.layers import PositionEmbedding, SinePositionEncoding

from posref.adapters import Unsupported

ODD = {"error", "zero_pad", "extra_sine"}


def encode(
    positions: Any, *, dim: int, base: float, denominator: str, layout: str, odd: str, dtype: str
) -> Any:
    """Run the sinusoidal layer."""
    if (denominator, layout) != ("dim", "interleaved") or odd not in ({"extra_sine"} if dim % 2 else ODD):
        raise Unsupported("interleaved columns, exponents divided by the width; an odd one ends in a sine")
    rows = keras.ops.reshape(positions, (prod(positions.shape[:-1]), positions.shape[-1]))
    found = SinePositionEncoding(base, dtype=dtype)(
        keras.ops.zeros((*rows.shape, dim), dtype), positions=rows
    )
    return keras.ops.reshape(found, (*positions.shape, dim))


def lookup(table: Any, positions: Any, *, offset: int = 0) -> Any:
    """Look rows up in the learned layer."""
    if offset or not isinstance(offset, int):
        raise Unsupported("the table starts at position 0")
    dtype = keras.backend.standardize_dtype(table.dtype)
    layer = PositionEmbedding(table.shape[0], dtype=dtype)
    layer.build((None, *table.shape))
    layer.position_embeddings.assign(table)
    rows = keras.ops.reshape(positions, (prod(positions.shape[:-1]), positions.shape[-1]))
    found = layer(keras.ops.zeros((*rows.shape, table.shape[1]), dtype), positions=rows)
    return keras.ops.reshape(found, (*positions.shape, table.shape[1]))
