"""ONNX Runtime: RotaryEmbedding of operator set 23 and Resize, as its CPU kernels compute them."""

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np
import onnx
import onnxruntime

from posref.adapters import Implementation, Unsupported

KINDS = {"float64": "DOUBLE", "float32": "FLOAT", "float16": "FLOAT16"}


@cache
def session(operator: str, inputs: tuple[str, ...], dtype: str, **attributes: Any) -> Any:
    """Return a session of a model of one node."""
    kind = getattr(onnx.TensorProto, KINDS[dtype])
    sizes = onnx.TensorProto.INT64
    node = onnx.helper.make_node(operator, inputs, ["y"], **attributes)
    values = [
        onnx.helper.make_tensor_value_info(name, sizes if name == "sizes" else kind, None)
        for name in inputs
        if name
    ]
    output = onnx.helper.make_tensor_value_info("y", kind, None)
    graph = onnx.helper.make_graph([node], "one_node", values, [output])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 23)], ir_version=11)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])


def rotate(x: Any, cos: Any, sin: Any, *, pairing_in: str, pairing_out: str, rotary_start: int = 0) -> Any:
    """Rotate x, reshaped to (batch, 1 head, tokens, width), with tables of shape (batch, tokens, pairs)."""
    if pairing_in != pairing_out or rotary_start or not isinstance(rotary_start, int):
        raise Unsupported("one pairing serves reading and writing, and the rotated slice is a leading one")
    if not x.dtype == cos.dtype == sin.dtype or x.dtype == np.float64:
        raise Unsupported("x and tables are of one dtype, float32 or float16")
    lead, (tokens, width), pairs = x.shape[:-2], x.shape[-2:], cos.shape[-1]
    tables = [np.broadcast_to(table, (*lead, *table.shape[-2:])) for table in (cos, sin)]
    tables = [table.reshape(prod(lead), *table.shape[-2:]) for table in tables]
    feeds = dict(zip(("x", "cos", "sin"), (x.reshape(prod(lead), 1, tokens, width), *tables), strict=True))
    cut = {"rotary_embedding_dim": 2 * pairs} if 2 * pairs != width else {}
    kernel = session(
        "RotaryEmbedding", tuple(feeds), x.dtype.name, interleaved=int(pairing_in == "adjacent"), **cut
    )
    return kernel.run(None, feeds)[0].reshape(x.shape)


def resize(table: Any, *, length: int, align_corners: bool) -> Any:
    """Stretch a table as an image of one channel that keeps its width."""
    if table.dtype == np.float64:
        raise Unsupported("images are float32 or float16")
    mode = "align_corners" if align_corners else "half_pixel"
    inputs = ("x", "", "", "sizes")
    kernel = session("Resize", inputs, table.dtype.name, mode="linear", coordinate_transformation_mode=mode)
    sizes = np.array([1, 1, length, table.shape[1]])
    return kernel.run(None, {"x": table[None, None], "sizes": sizes})[0][0, 0]


def load() -> Implementation:
    """Return the CPU kernels as an implementation."""
    operations: dict[str, Callable[..., Any]] = {"rope.rotate": rotate, "learned.resize": resize}
    number = onnxruntime.__version__
    return Implementation("onnxruntime", operations, version=number, dtypes=("float32", "float16"))
