"""The array libraries that the reference is tested on: `on` runs a test once on each."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from needed import unavailable

settings.register_profile("posref", deadline=None)  # a slow example may be a busy machine's
settings.load_profile("posref")


@dataclass(frozen=True)
class Backend:
    """A library: how a NumPy array gets there and how a result comes back."""

    name: str
    put: Callable[[np.ndarray], Any]
    back: Callable[[Any], np.ndarray]

    def __call__(self, array: Any) -> Any:
        return self.put(np.asarray(array))


def read_only(array: np.ndarray) -> np.ndarray:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return unavailable(name, f"{name} is not installed")


def strict() -> Backend:
    """Return array-api-strict on its far device, where a leak of NumPy raises as it does with CuPy."""
    xp = library("array_api_strict")
    far, near = xp.Device("device1"), xp.Device("CPU_DEVICE")

    def back(array: Any) -> np.ndarray:
        assert array.device == far
        return np.asarray(array.to_device(near))

    return Backend("strict", lambda array: xp.asarray(array, device=far), back)


def cupy() -> Backend:
    xp = library("cupy")
    if not xp.is_available():
        unavailable("cupy", "cupy finds no CUDA device")
    return Backend("cupy", xp.asarray, xp.asnumpy)


def torch() -> Backend:
    xp = library("torch")
    return Backend("torch", lambda array: xp.from_dlpack(np.array(array)), lambda tensor: tensor.numpy())


BACKENDS: dict[str, Callable[[], Backend]] = {
    "numpy": lambda: Backend("numpy", np.asarray, np.asarray),
    "read-only": lambda: Backend("read-only", read_only, np.asarray),
    "strict": strict,
    "cupy": cupy,
    "torch": torch,
}


@pytest.fixture
def need() -> Callable[[str], Any]:
    """Import a library by name; where it is missing, skip or fail as for `on`."""
    return library


@pytest.fixture
def gpu() -> Backend:
    """CuPy and its device; where either is missing, skip or fail as for `on`."""
    return cupy()


@pytest.fixture(params=BACKENDS)
def on(request: pytest.FixtureRequest) -> Backend:
    """One array library a time."""
    return BACKENDS[request.param]()
