"""Tensors of torch: exact values written, exact values read."""

from typing import Any

import numpy as np
import torch

from posref.adapters import Unsupported


def write(values: np.ndarray, dtype: str) -> Any:
    """Return exact values as a tensor of `dtype`."""
    return torch.from_numpy(np.array(values)).to(getattr(torch, dtype))


def read(tensor: Any) -> tuple[str, np.ndarray]:
    """Return the dtype name of a tensor and its exact values."""
    values = tensor.detach().to(torch.float64) if tensor.is_floating_point() else tensor.detach()
    return str(tensor.dtype).removeprefix("torch."), values.numpy()


def single(dtype: str) -> None:
    """Refuse a dtype other than the one in which the models make their frequencies."""
    if dtype != "float32":
        raise Unsupported("frequencies are float32")


def counted(positions: Any) -> bool:
    """Whether positions are one row of 0, 1, 2, ..."""
    return bool(torch.equal(positions, torch.arange(positions.shape[-1])))
