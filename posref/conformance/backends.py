"""The array library that an implementation under test computes with: its inputs there, its outputs too.

An implementation for a GPU that hands its work to NumPy on the way gives right numbers. So inputs are put
on the library's device, and an output that is not an array of that library on that device is an error.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.adapters import Implementation, write_numpy
from posref.conformance.exchange import SkippedError
from posref.numerics.rounding import exact
from posref.operation import signatures

Array = NDArray[Any]
Call = Callable[..., Any]


@dataclass(frozen=True)
class Backend:
    """How arrays of NumPy get to a library's device and back, and what shows that an array is there.

    `check` raises a TypeError for what is no array of the library on its device.
    """

    name: str
    put: Callable[[Array, str], Any]
    take: Callable[[Any], Array]
    check: Callable[[Any], None]

    def write(self, values: Array, dtype: str) -> Any:
        """Write a tensor as `Implementation.write` does."""
        return self.put(write_numpy(values, dtype), dtype)

    def read(self, array: Any) -> tuple[str, Array]:
        """Read a tensor as `Implementation.read` does."""
        self.check(array)
        return exact(self.take(array))


def on_backend(implementation: Implementation, name: str | None) -> Implementation:
    """Return `implementation` with the tensors of a library; None leaves it as it is.

    An operation without inputs also gets ``like``, an array of the library, from which it takes the device.

    Parameters
    ----------
    implementation : Implementation
        Its arrays are NumPy's.
    name : {"numpy", "cupy", "array-api-strict"} or None
        The library.

    Raises
    ------
    ValueError
        If there is no such backend, or the implementation writes its own tensors.
    ImportError
        If the library is not installed.
    OSError
        If it finds no device.
    """
    if name is None:
        return implementation
    if name not in BACKENDS:
        raise ValueError(f"no backend {name!r}; there are {', '.join(BACKENDS)}")
    if implementation.write is not write_numpy:
        raise ValueError(f"{implementation.name} writes its own tensors: leave the backend out")
    backend = BACKENDS[name]()
    give_like = {one.name for one in signatures().values() if not one.inputs}
    operations, sessions = (
        {one: _like(backend, call) if one in give_like else call for one, call in calls.items()}
        for calls in (implementation.operations, implementation.sessions)
    )
    return replace(
        implementation,
        name=f"{implementation.name} (on {name})",
        operations=operations,
        sessions=sessions,
        write=backend.write,
        read=backend.read,
    )


def _like(backend: Backend, function: Call) -> Call:
    def call(*inputs: Any, **named: Any) -> Any:
        return function(*inputs, **named, like=backend.write(np.zeros(1), "float64"))

    return call


def _need(module: str, name: str, how: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        raise ImportError(f"the backend {name} needs {module}: pip install {how}") from missing


def _unlike(array: Any, wanted: str) -> TypeError:
    kind = type(array)
    return TypeError(f"{kind.__module__.partition('.')[0]}.{kind.__name__} is no array of {wanted}")


def _numpy() -> Backend:
    def check(array: Any) -> None:
        if not isinstance(array, np.ndarray | np.generic):
            raise _unlike(array, "numpy")

    return Backend("numpy", lambda array, dtype: array, lambda array: array, check)


def _strict() -> Backend:
    """Return array-api-strict on a device that is not the host's, where NumPy cannot read unasked."""
    xp = _need("array_api_strict", "array-api-strict", "array-api-strict")
    far, near = xp.Device("device1"), xp.Device("CPU_DEVICE")
    kind = type(xp.asarray(0))

    def put(array: Array, dtype: str) -> Any:
        if not hasattr(xp, dtype):
            raise SkippedError(f"array_api_strict has no dtype {dtype}")
        return xp.asarray(array, device=far)

    def check(array: Any) -> None:
        if not isinstance(array, kind):
            raise _unlike(array, "array_api_strict")
        if array.device != far:
            raise TypeError(f"array on {array.device}, not on {far} where the inputs are")

    return Backend("array-api-strict", put, lambda array: np.asarray(array.to_device(near)), check)


def _cupy() -> Backend:
    xp = _need("cupy", "cupy", "'posref[cuda12]' or 'posref[cuda13]'")
    if not xp.is_available():
        raise OSError("the backend cupy needs a CUDA device, and cupy finds none")
    device = xp.cuda.Device()

    def put(array: Array, dtype: str) -> Any:
        try:
            return xp.asarray(array)
        except (TypeError, ValueError):  # bfloat16 came with CuPy 14
            raise SkippedError(f"cupy {xp.__version__} has no dtype {dtype}") from None

    def check(array: Any) -> None:
        if not isinstance(array, xp.ndarray):
            raise _unlike(array, "cupy")
        if array.device != device:
            raise TypeError(f"array on {array.device}, not on {device} where the inputs are")

    return Backend("cupy", put, xp.asnumpy, check)


BACKENDS: Final[dict[str, Callable[[], Backend]]] = {
    "numpy": _numpy,
    "cupy": _cupy,
    "array-api-strict": _strict,
}
"""The libraries by the names that ``posref check --backend`` takes."""
