"""The table of RoPE as a textbook writes it, once in each library, everything in one dtype.

Each function returns a callable from integer positions to cosines and sines, and the library's version.
A library that is not installed is an ImportError.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

WIDTH, BASE = 128, 10000.0

Table = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def numpy_table(dtype: str) -> tuple[Table, str]:
    """Return the formula in NumPy."""
    kind = np.dtype(dtype).type

    def table(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inv_freq = 1 / kind(BASE) ** (np.arange(0, WIDTH, 2, dtype=kind) / kind(WIDTH))
        angle = positions.astype(kind)[:, None] * inv_freq
        return np.cos(angle), np.sin(angle)

    return table, np.__version__


def torch_table(
    positions_dtype: str = "float32", angle_dtype: str = "float32", table_dtype: str = "float32"
) -> tuple[Table, str]:
    """Return the formula in PyTorch; the dtypes say where something is rounded to a shorter one."""
    import torch

    def short(tensor: Any, dtype: str) -> Any:
        return tensor.to(getattr(torch, dtype)).float()

    def table(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inv_freq = 1.0 / BASE ** (torch.arange(0, WIDTH, 2).float() / WIDTH)
        at = short(torch.from_numpy(positions), positions_dtype)
        angle = short(at[:, None] * inv_freq, angle_dtype)
        cos, sin = (short(part, table_dtype).numpy() for part in (angle.cos(), angle.sin()))
        return cos, sin

    return table, torch.__version__


def jax_table() -> tuple[Table, str]:
    """Return the formula in JAX."""
    import jax
    import jax.numpy as jnp

    def table(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inv_freq = 1.0 / BASE ** (jnp.arange(0, WIDTH, 2, dtype=jnp.float32) / WIDTH)
        angle = jnp.asarray(positions.astype(np.float32))[:, None] * inv_freq
        return np.asarray(jnp.cos(angle)), np.asarray(jnp.sin(angle))

    return table, jax.__version__


def onnxruntime_table() -> tuple[Table, str]:
    """Return the formula as a graph of Pow, Reciprocal, Mul, Cos and Sin."""
    import onnxruntime
    from onnx import TensorProto, helper

    lines = ("Pow power base share", "Reciprocal inv_freq power", "Mul angle at inv_freq")
    nodes = [
        helper.make_node(name, inputs, [output])
        for name, output, *inputs in map(str.split, (*lines, "Cos cos angle", "Sin sin angle"))
    ]
    inputs, outputs = (
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names]
        for names in (("at", "base", "share"), ("cos", "sin"))
    )
    graph = helper.make_graph(nodes, "table", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    kernels = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])

    def table(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        share = np.arange(0, WIDTH, 2, dtype=np.float32) / np.float32(WIDTH)
        feeds = {"at": positions.astype(np.float32)[:, None], "base": np.float32([BASE]), "share": share}
        cos, sin = kernels.run(["cos", "sin"], feeds)
        return cos, sin

    return table, onnxruntime.__version__


def ladders() -> dict[str, np.ndarray]:
    """Return the frequencies in NumPy's float32, by the ways in which programs spell them."""
    single = np.float32
    share = np.arange(0, WIDTH, 2, dtype=single) / single(WIDTH)
    ratio = single(BASE) ** single(-2 / WIDTH)
    steps = np.full(WIDTH // 2, ratio, dtype=single)
    steps[0] = 1
    return {
        "power of the base": single(BASE) ** -share,
        "reciprocal of the power": 1 / single(BASE) ** share,
        "exponential of a logarithm": np.exp(-share * np.log(single(BASE))),
        "iterated product": np.multiply.accumulate(steps),
        "float64, then rounded": (BASE ** (-np.arange(0, WIDTH, 2) / WIDTH)).astype(single),
    }
