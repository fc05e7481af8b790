"""The export as an NPZ archive; bfloat16 as its bits in uint16, which the index says (wire-protocol.C17)."""

import io
from collections.abc import Iterator

import numpy as np

from posref.conformance.export.selection import Selection
from posref.conformance.export.tensors import index, tensors
from posref.conformance.wire.messages import Array, Block
from posref.numerics.rounding import native, round_bits

INDEX = "index"
"""The array that holds the index, bytes of ASCII."""


def written(chosen: Selection) -> Iterator[bytes]:
    """Yield the bytes of an archive."""
    text = index(chosen, bfloat16="uint16").encode("ascii")
    arrays = {INDEX: np.frombuffer(text, np.uint8)}
    arrays |= {name: _array(block) for name, block in tensors(chosen)}
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    yield stream.getvalue()


def _array(block: Block) -> Array:
    if block.dtype == "bfloat16":
        return round_bits(block.values, "bfloat16").astype(np.uint16)
    return np.asarray(native(block.values, block.dtype))
