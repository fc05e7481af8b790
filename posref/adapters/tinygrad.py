"""tinygrad: the rotation of its language models, and RotaryEmbedding of its ONNX operators."""

from importlib.metadata import version
from math import prod
from typing import Any

import numpy as np
import tinygrad
from tinygrad.llm.model import apply_rope, precompute_freqs_cis
from tinygrad.nn.onnx import onnx_ops

from posref.adapters import Implementation, Unsupported

ROWS = 512


def write(values: np.ndarray, dtype: str) -> Any:
    """Return exact values as a tensor of `dtype`."""
    kind = getattr(tinygrad.dtypes, dtype)
    if "float" not in dtype:
        return tinygrad.Tensor(np.ascontiguousarray(values), dtype=kind)
    wide = values if dtype == "float64" else values.astype(np.float32)
    return tinygrad.Tensor(np.ascontiguousarray(wide)).cast(kind)


def read(tensor: Any) -> tuple[str, np.ndarray]:
    """Return the dtype name of a tensor and its exact values."""
    names = {
        "double": "float64",
        "float": "float32",
        "half": "float16",
        "__bf16": "bfloat16",
        "long": "int64",
    }
    wide = tensor.cast(tinygrad.dtypes.float64) if "int" not in names[tensor.dtype.name] else tensor
    return names[tensor.dtype.name], wide.numpy()


def rotate(x: Any, cos: Any, sin: Any, *, pairing_in: str, pairing_out: str, rotary_start: int = 0) -> Any:
    """Rotate x, reshaped to (batch, 1 head, tokens, width), with tables of shape (batch, tokens, pairs)."""
    if pairing_in != pairing_out or rotary_start or not isinstance(rotary_start, int):
        raise Unsupported("one pairing serves reading and writing, and the rotated slice is a leading one")
    if not x.dtype == cos.dtype == sin.dtype:
        raise Unsupported("tables are taken in the dtype of x")
    lead, (tokens, width), pairs = x.shape[:-2], x.shape[-2:], cos.shape[-1]
    tables = [table.expand(*lead, *table.shape[-2:]) for table in (cos, sin)]
    tables = [table.reshape(prod(lead), *table.shape[-2:]) for table in tables]
    heads = x.reshape(prod(lead), 1, tokens, width)
    adjacent, cut = int(pairing_in == "adjacent"), 0 if 2 * pairs == width else 2 * pairs
    turned = onnx_ops["RotaryEmbedding"](heads, *tables, interleaved=adjacent, rotary_embedding_dim=cut)
    return turned.reshape(*x.shape)


def apply(x: Any, positions: Any, **params: Any) -> Any:
    """Rotate half pairs of whole heads, by rows of the model's table; a width cut off is joined again."""
    width, row = params["rotary_dim"], positions.numpy()
    if params["pairing"] != "half" or params.get("scaling") is not None or params.get("rotary_start", 0) != 0:
        raise Unsupported("half pairs of a leading slice, and no scaling")
    if row.ndim != 1 or row.dtype != np.int64 or np.any((row < 0) | (row >= ROWS)):
        raise Unsupported(f"one row of positions below {ROWS}")
    table = precompute_freqs_cis(width, int(row.max(initial=-1)) + 1, params["base"])
    rows = table[positions].cast(x.dtype)
    heads = x.reshape(1, prod(x.shape[:-2]), *x.shape[-2:])
    return apply_rope(heads[..., :width], rows).cat(heads[..., width:], dim=-1).reshape(*x.shape)


def load() -> Implementation:
    """Return both, on the device that tinygrad chooses."""
    try:
        number = f"{version('tinygrad')} on {tinygrad.Device.DEFAULT}"
    except RuntimeError as missing:
        raise ImportError(f"tinygrad has no device here: {missing}") from missing
    return Implementation(
        "tinygrad", {"rope.rotate": rotate, "rope.apply": apply}, number, write=write, read=read
    )
