"""CuPy played on the host: memory that NumPy may not read, and kernels that a C++ compiler made.

An array of it is no array of NumPy: who wants its numbers asks with ``get``, ``bool``, ``int`` or ``float``,
for which a GPU is waited for, and every such look is counted. All else is NumPy's, but for what CuPy lacks.
New memory holds no zeros and lies between margins, so that what a kernel leaves out or writes beside shows.
"""

import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from compiled import Compiled, kernels
from numpy.lib.mixins import NDArrayOperatorsMixin

from posref.numerics.cuda import Launch

LACKS: Final = ("__array_namespace_info__", "bfloat16", "longdouble", "spacing", "unstack", "vecdot")
"""Names of NumPy that CuPy 14 has not."""

MARGIN: Final = 2**14
"""Bytes before and after new memory."""

FILLING: Final = 0xA5
"""What every byte of new memory is."""

STORED: Final = {
    "double": ("float64",),
    "unsigned long long": ("float64",),
    "unsigned int": ("float32",),
    "unsigned short": ("float16", "bfloat16"),
    "long long": ("int64",),
    "int": ("int32",),
    "bool": ("bool",),
}
"""The dtypes of the arrays that a kernel may take as pointers to a C++ type."""


class Device:
    """A device, current inside a ``with`` statement; the first one is current outside of all."""

    entered: Final[list["Device"]] = []

    def __init__(self, number: int | None = None) -> None:
        self.id = Device.current().id if number is None else number

    @staticmethod
    def current() -> "Device":
        return Device.entered[-1] if Device.entered else Device(0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __enter__(self) -> None:
        Device.entered.append(self)

    def __exit__(self, *_: object) -> None:
        assert Device.entered.pop() is self


class Array(NDArrayOperatorsMixin):
    """An array of the library `cupy` on a device; `host` is its memory."""

    __module__ = "cupy._core.core"

    def __init__(self, cupy: "StandIn", host: np.ndarray, device: Device | None = None) -> None:
        self.cupy = cupy
        self.host = host
        self.device = device or Device.current()

    def __getattr__(self, name: str) -> Any:
        if name in ("dtype", "itemsize", "nbytes", "ndim", "shape", "size", "strides"):
            return getattr(self.host, name)
        raise AttributeError(f"the stand-in has no {name}")

    @property
    def data(self) -> Any:
        return types.SimpleNamespace(ptr=self.host.ctypes.data)

    def __getitem__(self, index: Any) -> "Array":
        return Array(self.cupy, np.asarray(self.host[self.cupy.inside(index)]), self.device)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return self.cupy.call(getattr(ufunc, method), *inputs, **named)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def get(self) -> np.ndarray:
        self.cupy.looks += 1
        return self.host.copy()

    def __bool__(self) -> bool:
        return bool(self.get())

    def __int__(self) -> int:
        return int(self.get())

    def __float__(self) -> float:
        return float(self.get())


@dataclass(frozen=True)
class Launched:
    """A kernel that ran: its name, its grid, its arrays and its whole numbers."""

    name: str
    grid: tuple[int, ...]
    arrays: tuple[Array, ...]
    numbers: tuple[int, ...]


class RawKernel:
    """A kernel from its source, which must be one of those that were compiled; see `Compiled`."""

    def __init__(self, cupy: "StandIn", code: str, name: str) -> None:
        self.cupy = cupy
        self.kernel = next(one for one in kernels() if one.name == name)
        assert code == self.kernel.source
        cupy.made.append(name)

    def __call__(self, grid: tuple[int, int], block: tuple[int], args: tuple[Any, ...]) -> None:
        across, along = grid
        assert 1 <= across <= self.cupy.widest, "blocks along the first axis"
        assert 1 <= along <= self.cupy.tallest, "blocks along the second axis"
        assert 1 <= block[0] <= 1024, "threads of a block"
        for declared, given in zip(self.kernel.parameters, args, strict=True):
            self._admit(declared, given)
        arrays = tuple(one for one in args if isinstance(one, Array))
        numbers = args[len(arrays) :]
        if self.kernel.name.split("_")[-3] == "paired":
            _check_aligned(arrays[0], numbers[1], arrays[1].shape[-1])
        hosts = [array.host for array in arrays]
        self.cupy.compiled.run(Launch(self.kernel, grid, block[0], numbers), *hosts)
        for host in hosts:
            _check_margins(host)
        self.cupy.launched.append(Launched(self.kernel.name, grid, arrays, numbers))

    def _admit(self, declared: str, given: Any) -> None:
        """Refuse what a kernel would take for something else."""
        kind, pointer, _ = declared.removeprefix("const ").rpartition("*")
        if not pointer:
            assert type(given) is int, f"{declared}: a {type(given).__name__}"
            assert declared.startswith("long long ")
            return
        assert given.dtype.name in STORED[kind], f"{declared}: an array of {given.dtype.name}"
        assert given.device == Device.current(), f"{declared}: of another device"


class StandIn(types.ModuleType):
    """The module: what was `made` and `launched` on it, and how many `looks` there were at its numbers."""

    ndarray = Array
    cuda = types.SimpleNamespace(Device=Device)
    __version__ = "14.0.0"

    def __init__(self, compiled: Compiled) -> None:
        super().__init__("cupy")
        self.compiled = compiled
        self.RawKernel = partial(RawKernel, self)
        self.made: list[str] = []
        self.launched: list[Launched] = []
        self.looks = 0
        self.widest, self.tallest = 2**31 - 1, 2**16 - 1

    def kinds(self) -> list[str]:
        """Return what kinds of kernels were launched: "rotation", "bias", "wide" or "narrow"."""
        return [one.name.split("_")[1] for one in self.launched]

    def results(self, function: Callable[..., Any], *inputs: np.ndarray, **params: Any) -> list[np.ndarray]:
        """Return what a function makes of inputs that lie here as they do there; launches and looks are its.

        Its results must be arrays of this library, whole and new, and the inputs what they were.
        """
        before = [array.tobytes() for array in inputs]
        self.launched, self.looks = [], 0
        found = function(*(Array(self, array) for array in inputs), **params)
        assert [array.tobytes() for array in inputs] == before
        results = found if isinstance(found, tuple) else (found,)
        for result in results:
            assert type(result) is Array
            assert result.host.flags.c_contiguous
            assert not any(np.may_share_memory(result.host, array) for array in inputs)
        return [result.host for result in results]

    def __getattr__(self, name: str) -> Any:
        if name in LACKS:
            raise AttributeError(f"CuPy has no {name}")
        found = getattr(np, name)
        if isinstance(found, type) or not callable(found):
            return found
        return lambda *inputs, **named: self.call(found, *inputs, **named)

    def is_available(self) -> bool:
        return True

    def asnumpy(self, array: Array) -> np.ndarray:
        return array.get()

    def asarray(self, values: Any, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return an array on the current device; of NumPy's arrays, which nothing else takes, a copy."""
        if isinstance(values, Array):
            return self.call(np.asarray, values, dtype=dtype, copy=copy)
        return Array(self, np.array(values, dtype=dtype))

    def empty(self, shape: tuple[int, ...], dtype: Any = float) -> Array:
        kind = np.dtype(dtype)
        inside = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        room = np.full(MARGIN + inside + MARGIN, FILLING, np.uint8)
        return Array(self, room[MARGIN : MARGIN + inside].view(kind).reshape(shape))

    def inside(self, given: Any) -> Any:
        """Return NumPy's own of arguments or an index; what is NumPy's already is refused, as CuPy does."""
        if isinstance(given, Array):
            return given.host
        if isinstance(given, np.ndarray):
            raise TypeError("Unsupported type <class 'numpy.ndarray'>")
        if isinstance(given, tuple | list):
            return type(given)(self.inside(one) for one in given)
        return given

    def call(self, function: Callable[..., Any], *inputs: Any, **named: Any) -> Any:
        """Return what a function of NumPy makes of arrays of the stand-in; views stay on their device."""
        with np.errstate(all="ignore"):
            found = function(*self.inside(inputs), **{name: self.inside(one) for name, one in named.items()})
        seen = [one for one in inputs if isinstance(one, Array)]
        if isinstance(found, tuple):
            parts = [self._outside(part, seen) for part in found]
            return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
        return self._outside(found, seen)

    def _outside(self, found: Any, seen: list[Array]) -> Any:
        if not isinstance(found, np.ndarray | np.generic):
            return found
        host = np.asarray(found)
        for one in seen:
            if one.host is host:
                return one
        owners = (one.device for one in seen if np.may_share_memory(one.host, host))
        return Array(self, host, next(owners, None))


def _check_aligned(x: Array, start: int, count: int) -> None:
    """Refuse two neighbours read at once that are not at a multiple of their size: a GPU reads none."""
    assert x.strides[-1] == x.itemsize
    places = x.data.ptr + (start + 2 * np.arange(count)) * x.itemsize
    for size, step in zip(x.shape[:-1], x.strides[:-1], strict=True):
        places = np.add.outer(np.arange(size) * step, places)
    assert not (places % (2 * x.itemsize)).any(), "a pair that is not aligned"


def _check_margins(host: np.ndarray) -> None:
    """Refuse that a kernel has written before or after memory that `empty` gave."""
    room = host.base
    if isinstance(room, np.ndarray) and room.dtype == np.uint8 and room.size >= 2 * MARGIN:
        assert (room[:MARGIN] == FILLING).all(), "written before the array"
        assert (room[-MARGIN:] == FILLING).all(), "written after the array"
