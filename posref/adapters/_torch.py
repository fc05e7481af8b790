"""What adapters of torch libraries share: tensors, exact both ways, and refusals they have in common."""

from math import prod
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
    """Refuse a dtype other than the one in which frequencies and tables are made."""
    if dtype != "float32":
        raise Unsupported("frequencies are float32")


def leading(rotary_start: Any) -> None:
    """Refuse a slice that does not start at the first coordinate."""
    if rotary_start or not isinstance(rotary_start, int):
        raise Unsupported("the rotated slice is a leading one")


def plain(scaling: Any, seq_len: Any) -> None:
    """Refuse what changes the frequencies."""
    if scaling is not None or seq_len is not None:
        raise Unsupported("frequencies are not scaled")


def counted(positions: Any) -> bool:
    """Whether positions are one row of 0, 1, 2, ..."""
    return bool(torch.equal(positions, torch.arange(positions.shape[-1])))


def first(positions: Any) -> int:
    """Return the position from which one row of positions follow each other."""
    start = int(positions[0]) if positions.ndim == 1 and len(positions) else 0
    if positions.is_floating_point() or not counted(positions - start):
        raise Unsupported("positions of all sequences follow each other from one offset")
    return start


def rows(tensor: Any, lead: Any) -> Any:
    """Return a tensor with its leading axes broadcast to `lead` and made one."""
    return tensor.expand(*lead, *tensor.shape[-2:]).reshape(prod(lead), *tensor.shape[-2:])
