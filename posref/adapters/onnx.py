"""ONNX: RotaryEmbedding of operator set 23, as the reference evaluator computes it."""

from functools import cache
from math import prod
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from posref.adapters import Implementation, Unsupported


@cache
def evaluator(interleaved: bool, rotary_dim: int) -> Any:
    """Return the evaluator of a model of one node."""
    node = onnx.helper.make_node(
        "RotaryEmbedding",
        ["x", "cos", "sin"],
        ["y"],
        interleaved=int(interleaved),
        rotary_embedding_dim=rotary_dim,
    )
    inputs = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in ("x", "cos", "sin")
    ]
    output = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    graph = onnx.helper.make_graph([node], "rotary", inputs, [output])
    return ReferenceEvaluator(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 23)]))


def rotate(x: Any, cos: Any, sin: Any, *, pairing_in: str, pairing_out: str, rotary_start: int = 0) -> Any:
    """Rotate x, reshaped to (batch, 1 head, tokens, width), with tables of shape (batch, tokens, pairs)."""
    if pairing_in != pairing_out:
        raise Unsupported("one pairing serves reading and writing")
    if rotary_start or not isinstance(rotary_start, int):
        raise Unsupported("the rotated slice is a leading one")
    if not x.dtype == cos.dtype == sin.dtype:
        raise Unsupported("tables are taken in the dtype of x")
    lead, (tokens, width), pairs = x.shape[:-2], x.shape[-2:], cos.shape[-1]
    tables = [np.broadcast_to(table, (*lead, *table.shape[-2:])) for table in (cos, sin)]
    tables = [table.reshape(prod(lead), *table.shape[-2:]) for table in tables]
    rotary_dim = 2 * pairs if 2 * pairs != width else 0
    feeds = dict(zip(("x", "cos", "sin"), (x.reshape(prod(lead), 1, tokens, width), *tables), strict=True))
    return evaluator(pairing_in == "adjacent", rotary_dim).run(None, feeds)[0].reshape(x.shape)


def load() -> Implementation:
    """Return the reference evaluator as an implementation; tables exist in float32, and so must x."""
    return Implementation("onnx", {"rope.rotate": rotate}, version=onnx.__version__, dtypes=("float32",))
