"""The layers of KerasHub as one implementation, and tensors of the backend."""

import warnings
from collections.abc import Callable
from typing import Any

import keras
import keras_hub
import numpy as np

from posref.adapters import Implementation
from posref.adapters.keras_hub import additive, biases, rotary


def write(values: np.ndarray, dtype: str) -> Any:
    """Return exact values as a tensor of `dtype`."""
    return keras.ops.convert_to_tensor(values, dtype=dtype)


def read(tensor: Any) -> tuple[str, np.ndarray]:
    """Return the dtype name of a tensor and its exact values."""
    name = keras.backend.standardize_dtype(tensor.dtype)
    wide = keras.ops.cast(tensor, "float64") if "float" in name else tensor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of how a backend hands its memory to NumPy
        return name, keras.ops.convert_to_numpy(wide)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "rope.apply": rotary.apply,
    "rope.apply_qk": rotary.apply_qk,
    "sinusoidal.encode": additive.encode,
    "learned.lookup": additive.lookup,
    "alibi.bias": biases.alibi,
    "t5.bucket": biases.bucket,
    "deberta.bucket": biases.log_bucket,
    "swin.index": biases.swin_index,
}

REMARKS = {
    "rope.apply": "RotaryEmbedding; Llama's layer for llama3, Phi-3's for longrope; ntk is its 'dynamic'.",
    "alibi.bias": "Distances to the last key.",
}


def implementation() -> Implementation:
    """Return the layers as one implementation."""
    version = f"{keras_hub.__version__} with keras {keras.__version__} on {keras.backend.backend()}"
    return Implementation(
        "keras_hub",
        OPERATIONS,
        version,
        write=write,
        read=read,
        remarks=REMARKS,
        sessions={"rope.apply": rotary.rope},
    )
