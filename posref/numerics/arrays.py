"""Arrays of any library brought to the host, bit for bit."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posref.numerics.rounding import bfloat16


def host(array: Any) -> NDArray[Any]:
    """Return an array of NumPy, torch, JAX or anything that NumPy reads as a NumPy array.

    A torch tensor may be on any device and require a gradient. bfloat16 keeps its bits.

    Parameters
    ----------
    array : array, tensor or nested sequence
        What to read; it is not changed.

    Returns
    -------
    array
        Same shape, values and dtype; it may share memory with what was given.

    Raises
    ------
    ImportError
        If it is a bfloat16 tensor of torch and ml_dtypes is not installed.
    TypeError
        If NumPy has no such dtype.

    Examples
    --------
    >>> host([1.0, 2.0])
    array([1., 2.])
    """
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(array, torch.Tensor):
        return np.asarray(array)
    tensor = array.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        bits: NDArray[Any] = tensor.view(torch.int16).numpy()
        return bits.view(bfloat16())
    values: NDArray[Any] = tensor.numpy()
    return values
