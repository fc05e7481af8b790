"""The array libraries whose arrays an implementation under test may want."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from posref.adapters import Unsupported, write_numpy
from posref.numerics.rounding import round_bits
from posref.operation import DTYPES


@dataclass(frozen=True)
class Library:
    """How exact values become arrays of one library.

    `dtypes` are the floating dtypes that it has here; `wide` says whether it has 64-bit numbers.
    """

    name: str
    write: Callable[[np.ndarray, str], Any] = write_numpy
    dtypes: tuple[str, ...] = DTYPES
    wide: bool = True


def library(name: str) -> Library:
    """Return the library `name`: ``"numpy"``, ``"torch"`` or ``"jax"``.

    JAX has 64-bit numbers only where ``jax_enable_x64`` is set; without it integers become int32, and
    what int32 does not hold raises `Unsupported`.
    """
    if name not in LIBRARIES:
        raise ValueError(f"library is one of {', '.join(LIBRARIES)}, got {name!r}")
    return LIBRARIES[name]()


def need(module: str, why: str, extra: str = "") -> Any:
    """Return an imported module; an ImportError says what needs it and how it is installed."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        package = f"'posref[{extra}]'" if extra else module
        raise ImportError(f"{why} needs {module.partition('.')[0]}: pip install {package}") from missing


def _torch() -> Library:
    torch = need("torch", "library='torch'")

    def write(values: np.ndarray, dtype: str) -> Any:
        if dtype == "bfloat16":
            return torch.from_numpy(round_bits(values, dtype).view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(np.array(write_numpy(values, dtype)))

    return Library("torch", write)


def _jax() -> Library:
    jax = need("jax", "library='jax'")
    wide = bool(jax.config.jax_enable_x64)

    def write(values: np.ndarray, dtype: str) -> Any:
        if not wide and dtype == "float64":
            raise Unsupported("JAX has no float64 here: jax_enable_x64 is not set")
        if not wide and dtype == "int64":
            if np.any(values != values.astype(np.int32)):
                raise Unsupported("JAX has no int64 here, and int32 does not hold the values")
            return jax.numpy.asarray(values.astype(np.int32))
        return jax.numpy.asarray(write_numpy(values, dtype))

    return Library("jax", write, DTYPES if wide else DTYPES[1:], wide)


LIBRARIES: Final[dict[str, Callable[[], Library]]] = {
    "numpy": lambda: Library("numpy"),
    "torch": _torch,
    "jax": _jax,
}
