"""The one array library that all arguments of a call share.

No array library but NumPy is ever imported here: an array is recognised by the module of its type,
and the library is one that the caller has already imported.

- NumPy, and CuPy (whose arrays lack ``__array_namespace__``), take part as they are;
- so does any other library with ``__array_namespace__`` that really computes in float64;
- torch tensors on the CPU come through DLPack as NumPy arrays and go back;
- where NumPy computes, bfloat16 is stored as its bits.
"""

import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from posref.numerics import cuda, rounding


@dataclass(frozen=True)
class Space:
    """Where a call computes: the library of its arguments, the module that computes, the device."""

    library: str
    xp: Any
    device: Any = None

    def constant(self, values: Any, dtype: str = "float64") -> Any:
        """Return numbers of the host as an array of this library and device."""
        kind = getattr(self.xp, dtype)
        if self.library == "cupy":
            with self.device:
                return self.xp.asarray(values, dtype=kind)
        return self.xp.asarray(values, dtype=kind, device=self.device)

    def whole(self, span: slice) -> Any:
        """Return the whole numbers of a slice, as int64."""
        if self.library == "cupy":
            with self.device:
                return self.xp.arange(span.start, span.stop, dtype="int64")
        return self.xp.arange(span.start, span.stop, dtype=self.xp.int64, device=self.device)

    def zeros(self, shape: tuple[int, ...]) -> Any:
        """Return an array of float64 zeros."""
        return self.xp.broadcast_to(self.constant(0.0), shape) + 0.0

    @property
    def is_numpy(self) -> bool:
        """Whether NumPy computes: on the arrays of the call themselves, or on those that torch lends."""
        return self.xp is np

    def enter(self, array: Any) -> Any:
        """Return an argument as an array of the computing module; in NumPy a plain one, bfloat16 as bits."""
        if not self.is_numpy:
            return array
        if self.library == "numpy":
            array = np.asarray(array)
        if dtype_name(array.dtype) == "bfloat16":
            if self.library == "torch":
                array = np.from_dlpack(array.view(sys.modules["torch"].int16))
            return array.view(np.uint16)
        if self.library == "torch":
            return np.from_dlpack(array)
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))

    def widen(self, entered: Any, name: str | None = None) -> Any:
        """Return the values of an entered array of dtype `name`, exact, as float64, int64 or bool."""
        name = name or dtype_name(entered.dtype)
        if self.is_numpy:
            entered = rounding.wider(entered, name)
        if self.library == "cupy" and "float" in name:
            return cuda.wide(self.xp, self.device, entered)
        wide = "bool" if name == "bool" else "int64" if "int" in name else "float64"
        return self.xp.astype(entered, getattr(self.xp, wide), copy=False)

    def leave(self, stored: Any, dtype: Any) -> Any:
        """Return results as NumPy stores them (`enter`) as an array of `dtype` of the caller's library."""
        if self.library == "torch":
            torch = sys.modules["torch"]
            if dtype_name(dtype) == "bfloat16":
                return torch.from_dlpack(stored.view(np.int16)).view(torch.bfloat16)
            return torch.from_dlpack(stored)
        if dtype_name(dtype) == "bfloat16":
            return stored.view(rounding.bfloat16() if isinstance(dtype, str) else np.dtype(dtype))
        return stored

    def host(self, array: Any) -> Any:
        """Return an array as Python numbers, in a list for each axis; a GPU is waited for once."""
        if self.is_numpy:
            return array.tolist()
        if self.library == "cupy":
            return array.get().tolist()
        if array.shape:
            return [self.host(array[index, ...]) for index in range(array.shape[0])]
        return float(array) if "float" in dtype_name(array.dtype) else int(array)

    def extremes(self, array: Any) -> tuple[Any, Any]:
        """Return the least and the largest number of an array that is not empty."""
        if self.is_numpy:
            return array.min().tolist(), array.max().tolist()
        least, largest = self.host(self.xp.stack((self.xp.min(array), self.xp.max(array))))
        return least, largest

    def give(self, values: Any) -> Any:
        """Return computed integers or booleans as an array of the caller's library."""
        return sys.modules["torch"].from_dlpack(values) if self.library == "torch" else values

    @np.errstate(all="ignore")
    def round(self, values: Any, dtype: Any, masked: Any = None) -> Any:
        """Return computed values rounded once to a floating dtype of the caller's library.

        Parameters
        ----------
        values : array of float64
            What was computed; anything but a number has overflowed.
        dtype : str or dtype object
            What to round to, by name or as the library has it.
        masked : array of bool, optional
            Where the result is -infinity whatever the value is.

        Returns
        -------
        array of `dtype`
            Of the caller's library.

        Raises
        ------
        OverflowError
            If a value that is not masked has no finite neighbour in `dtype`.
        TypeError
            If the library has no such dtype.
        """
        name = dtype_name(dtype)
        if self.library == "cupy":
            return cuda.narrow(self.xp, self.device, values, name, masked)
        if masked is not None:
            values = self.xp.where(masked, self.constant(-float("inf")), values)
        if self.is_numpy:
            stored = np.empty(values.shape, stored_dtype(name))
            rounding.store(values, stored, name)
            legal, rounded = np.isfinite(rounding.wider(stored, name)), self.leave(stored, dtype)
        else:
            kind = getattr(self.xp, name, None)
            if kind is None:
                raise TypeError(f"{self.library} has no dtype {name}")
            direct = name in ("float64", "float32")
            rounded = self.xp.astype(values if direct else rounding.on_grid(values, name, self.xp), kind)
            legal = self.xp.isfinite(self.xp.astype(rounded, self.xp.float64))
        if not bool(self.xp.all(legal if masked is None else legal | masked)):
            raise OverflowError(f"a value overflows {name}")
        return rounded


def stored_dtype(name: str) -> np.dtype[Any]:
    """Return the NumPy dtype in which values of the dtype `name` are stored: bfloat16 as its bits."""
    return np.dtype("uint16" if name == "bfloat16" else name)


def space(arrays: Mapping[str, Any]) -> Space:
    """Return the space that all `arrays` share.

    Parameters
    ----------
    arrays : mapping of str to array
        Arguments by name; none at all means NumPy.

    Returns
    -------
    Space
        Library, computing module and device.

    Raises
    ------
    TypeError
        If something is not an array, if two libraries or devices meet, if the library does not
        honour float64, or if a torch tensor is elsewhere than on the CPU or requires a gradient.

    Examples
    --------
    >>> space({"x": np.zeros(3)}).library
    'numpy'
    """
    found = {name: _space_of(name, array) for name, array in arrays.items()}
    if not found:
        return Space("numpy", np)
    (first, here), *others = found.items()
    for name, other in others:
        if other.library != here.library:
            raise TypeError(
                f"one array library a call: {first} is of {here.library}, {name} of {other.library}"
            )
        if other.device != here.device:
            raise TypeError(f"one device a call: {first} is on {here.device}, {name} on {other.device}")
    if here.library not in ("numpy", "cupy", "torch"):
        _check_float64(here)
    return here


def _space_of(name: str, array: Any) -> Space:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        if array.device.type != "cpu" or array.requires_grad:
            raise TypeError(f"{name}: a torch tensor must be on the CPU and detached: {name}.detach().cpu()")
        return Space("torch", np)
    if type(array).__module__.partition(".")[0] == "cupy":
        return Space("cupy", sys.modules["cupy"], array.device)
    kinds = {kind.__name__ for kind in type(array).__mro__}
    array_like = hasattr(array, "__array_namespace__") and not isinstance(array, type)
    if kinds & {"MaskedArray", "matrix"} or not array_like:
        raise TypeError(f"{name} must be an array, got {type(array).__name__}: pass numpy.asarray({name})")
    xp = array.__array_namespace__()
    return Space(xp.__name__.partition(".")[0], xp, getattr(array, "device", None))


def _check_float64(here: Space) -> None:
    """Raise a TypeError that says what to do where float64 is refused or narrowed in silence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            honoured = dtype_name(here.constant([0.5]).dtype) == "float64"
    except (TypeError, ValueError):
        honoured = False
    if not honoured:
        how = (
            "call jax.config.update('jax_enable_x64', True)"
            if here.library == "jax"
            else "use another device"
        )
        raise TypeError(f"{here.library} does not compute in float64 here: {how}, or pass NumPy arrays")


def dtype_name(dtype: Any) -> str:
    """Return the plain name of a dtype of any library: ``"float32"``, ``"bfloat16"``, ``"int64"``.

    Examples
    --------
    >>> dtype_name(np.float32), dtype_name(np.dtype("int8")), dtype_name("bfloat16")
    ('float32', 'int8', 'bfloat16')
    """
    if isinstance(dtype, str):
        return dtype
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None)
    return name if isinstance(name, str) else str(dtype).rpartition(".")[2]
