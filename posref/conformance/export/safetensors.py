"""The export as a file of safetensors, through its library; bfloat16 is BF16 there (wire-protocol.C17)."""

from collections.abc import Iterator

import numpy as np

from posref.conformance.export.selection import Selection
from posref.conformance.export.tensors import index, tensors
from posref.conformance.wire.messages import Array, Block
from posref.numerics.rounding import round_bits
from posref.operation import DTYPES

METADATA = "posref"
"""The key of the metadata that holds the index; one key, since the library does not keep an order."""

_BITS = {"float64": "<u8", "float32": "<u4", "bfloat16": "<u2", "float16": "<u2", "int64": "<i8", "bool": "?"}


def written(chosen: Selection) -> Iterator[bytes]:
    """Yield the bytes of a file; an ImportError names the extra where the library is missing."""
    try:
        from safetensors import TensorSpec, serialize
    except ImportError:
        raise ImportError("safetensors 0.8 is not installed: pip install 'posref[safetensors]'") from None
    arrays = {name: (block.dtype, _bits(block)) for name, block in tensors(chosen)}
    specs = {
        name: TensorSpec(
            dtype=dtype, shape=bits.shape, data_ptr=bits.ctypes.data, data_len=bits.nbytes
        )  # a view of the array, which lives in `arrays` until the bytes are made
        for name, (dtype, bits) in arrays.items()
    }
    yield bytes(serialize(specs, metadata={METADATA: index(chosen)}))


def _bits(block: Block) -> Array:
    """Return a contiguous array of the bytes that the file holds, least significant first."""
    bits = round_bits(block.values, block.dtype) if block.dtype in DTYPES else block.values
    return np.asarray(bits, dtype=_BITS[block.dtype], order="C")
