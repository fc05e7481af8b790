"""What frameworks do for the same work, as calls to be timed: one thread, their own eager or compiled code.

Each function gets NumPy arrays, prepares whatever a model would have at hand, and returns a call without
arguments. A framework that is missing is an ImportError.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

Call = Callable[[], Any]


def torch_rotation(x: Any, cos: Any, sin: Any, pairing: str) -> Call:
    """Return transformers' own `apply_rotary_pos_emb`, of Llama (half) or Cohere (adjacent)."""
    import torch

    torch.set_num_threads(1)
    if pairing == "half":
        from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

        tables = [np.concatenate((table, table), axis=-1) for table in (cos, sin)]
    else:
        from transformers.models.cohere.modeling_cohere import apply_rotary_pos_emb

        tables = [np.repeat(table, 2, axis=-1) for table in (cos, sin)]
    q = torch.from_numpy(x)
    k = q[:0]  # it always rotates keys too: none of them
    wide = [torch.from_numpy(table.astype(np.float32))[None] for table in tables]
    return lambda: apply_rotary_pos_emb(q, k, *wide)


def onnxruntime_rotation(x: Any, cos: Any, sin: Any, pairing: str) -> Call:
    """Return one RotaryEmbedding node of operator set 23."""
    import onnxruntime
    from onnx import TensorProto, helper

    names = ("x", "cos", "sin")
    node = helper.make_node("RotaryEmbedding", names, ["y"], interleaved=int(pairing == "adjacent"))
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "rotary", inputs, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    tables = [table.astype(np.float32)[None] for table in (cos, sin)]
    feeds = dict(zip(names, (x, *tables), strict=True))
    return lambda: session.run(None, feeds)


def jax_rotation(x: Any, cos: Any, sin: Any, pairing: str) -> Call:
    """Return the plain expression, compiled, in float32."""
    import jax
    import jax.numpy as xp

    def rotate(x: Any, cos: Any, sin: Any) -> Any:
        if pairing == "half":
            u, w = xp.split(x, 2, axis=-1)
            return xp.concatenate((u * cos - w * sin, u * sin + w * cos), axis=-1)
        u, w = x[..., 0::2], x[..., 1::2]
        return xp.stack((u * cos - w * sin, u * sin + w * cos), axis=-1).reshape(x.shape)

    arrays = [jax.device_put(part.astype(np.float32)) for part in (x, cos, sin)]
    compiled = jax.jit(rotate)
    return lambda: compiled(*arrays).block_until_ready()


def torch_table(positions: Any, frequencies: Any) -> Call:
    """Return the rotary table as models make it: outer product, cosine, sine, in float32."""
    import torch

    torch.set_num_threads(1)
    at, inv_freq = (torch.from_numpy(part.astype(np.float32)) for part in (positions, frequencies))

    def run() -> Any:
        angles = torch.outer(at, inv_freq)
        return angles.cos(), angles.sin()

    return run


ROTATIONS: Final[Mapping[str, Callable[[Any, Any, Any, str], Call]]] = {
    "torch, transformers": torch_rotation,
    "onnxruntime": onnxruntime_rotation,
    "jax jit": jax_rotation,
}
"""Everything that rotates, by name."""
