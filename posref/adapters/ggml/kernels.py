"""Graphs of one node: a kernel of ggml, run on arrays."""

import ctypes
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import ggml
import numpy as np
from ggml import utils

from posref.adapters import Unsupported

KINDS = {"adjacent": ggml.GGML_ROPE_TYPE_NORMAL, "half": ggml.GGML_ROPE_TYPE_NEOX}


def compute(build: Callable[..., Any], *arrays: np.ndarray) -> np.ndarray:
    """Run the node that `build` makes of a context and tensors."""
    if not all(array.size for array in arrays):
        raise Unsupported("an empty tensor has no data to read")
    context = ggml.ggml_init(ggml.ggml_init_params(mem_size=1 << 24, mem_buffer=None))
    try:
        node = build(context, *(utils.from_numpy(np.ascontiguousarray(array), context) for array in arrays))
        graph = ggml.ggml_new_graph(context)
        ggml.ggml_build_forward_expand(graph, node)
        ggml.ggml_graph_compute_with_ctx(context, graph, 1)
        return np.array(utils.to_numpy(node))
    finally:
        ggml.ggml_free(context)


def as_int32(positions: np.ndarray) -> np.ndarray:
    """Return positions in the dtype that the kernels read."""
    if positions.dtype != np.int64 or np.any(positions != positions.astype(np.int32)):
        raise Unsupported("positions are 32-bit integers")
    return positions.astype(np.int32)


def rotary(kernel: Any, x: np.ndarray, positions: Any, kind: int, width: int, settings: Any) -> Any:
    """Run a rotary kernel; all tokens of x stand in one row of one head."""
    if x.dtype not in (np.float32, np.float16) or not 0 < width <= x.shape[-1] or width % 2:
        raise Unsupported("ggml ends the process over another dtype, and over a width it cannot rotate")
    tokens = prod(x.shape[:-1])
    flat = np.broadcast_to(as_int32(positions), x.shape[:-1]).reshape(tokens)

    def build(context: Any, a: Any, b: Any) -> Any:
        return kernel(context, a, b, None, width, kind, *settings)

    return compute(build, x.reshape(tokens, 1, x.shape[-1]), flat).reshape(x.shape)


def rotary_settings(base: float, scaling: Mapping[str, Any] | None) -> tuple[Any, ...]:
    """Return n_ctx_orig, freq_base, freq_scale, ext_factor, attn_factor, beta_fast, beta_slow."""
    kind = "default" if scaling is None else scaling["rope_type"]
    if scaling is None or kind == "linear":
        return 0, base, 1.0 if scaling is None else 1 / scaling["factor"], 0.0, 1.0, 0.0, 0.0
    ramp = (scaling["ramp"], scaling["truncate"]) if kind == "yarn" else ()
    if ramp != ("index", True) or scaling["attention_factor"] is not None:
        raise Unsupported("linear, or YaRN over whole pairs with its own magnitude factor")
    if scaling["mscale_rule"] not in ("hf", "log_only") or scaling["mscale"] or scaling["mscale_all_dim"]:
        raise Unsupported("the magnitude factor is 1 + 0.1 ln s")
    length, share = scaling["original_max_position_embeddings"], scaling["extrapolation_factor"]
    return length, base, 1 / scaling["factor"], share, 1.0, scaling["beta_fast"], scaling["beta_slow"]


def axes(mode: int, sections: list[int]) -> np.ndarray:
    """Return three rows: where a pair of (1, 0) turns when one axis alone has moved."""
    pairs = sum(sections)
    x = np.zeros((1, 1, 2 * pairs), np.float32)
    x[..., :pairs] = 1

    def build(context: Any, a: Any, b: Any) -> Any:
        split = (ctypes.c_int * 4)(*sections, 0)
        flat = (0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0)
        return ggml.ggml_rope_multi(context, a, b, None, 2 * pairs, split, mode, *flat)

    moved = [compute(build, x, row) for row in np.eye(3, 4, dtype=np.int32)]
    return np.stack([row.reshape(2, pairs)[1] != 0 for row in moved])
