"""Libraries that may be missing here, played by stand-ins: what is asked of them, and what comes back."""

import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import posref
from posref.numerics.namespace import Space, space
from posref.numerics.rounding import decode_bits, round_bits

KEYWORDS: dict[str, Any] = {"rotary_dim": 4, "base": 10000.0, "pairing": "half"}
X = np.array([[1.0, -2.0, 0.5, 3.0], [0.25, 1.5, -1.0, 4.0], [-0.125, 7.0, 2.0, 1.0]])
POSITIONS = np.array([0, 1, 355])


class Kind:
    """A dtype that, like torch's, is told by how it prints."""

    def __init__(self, name: str) -> None:
        self.text = name

    def __repr__(self) -> str:
        return f"torch.{self.text}"


NAMES = ("float64", "float32", "float16", "int64", "int16", "bool")
KINDS = {name: Kind(name) for name in (*NAMES, "bfloat16")}


class Tensor:
    """A tensor that gives its memory through DLPack, but not as bfloat16, which NumPy has not."""

    def __init__(self, stored: np.ndarray, dtype: Kind, device: str = "cpu", requires_grad: bool = False):
        self.stored = stored
        self.dtype = dtype
        self.shape = stored.shape
        self.device = types.SimpleNamespace(type=device)
        self.requires_grad = requires_grad

    def view(self, dtype: Kind) -> "Tensor":
        return Tensor(self.stored, dtype)

    def __dlpack__(self, **options: Any) -> Any:
        if self.dtype is KINDS["bfloat16"]:
            raise BufferError("no such dtype")
        return self.stored.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.stored.__dlpack_device__()


def from_dlpack(array: np.ndarray) -> Tensor:
    assert array.dtype.kind in "iufb"  # what DLPack has
    return Tensor(array, KINDS[array.dtype.name])


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = types.SimpleNamespace(Tensor=Tensor, from_dlpack=from_dlpack, **KINDS)
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


def tensor(values: np.ndarray, name: str) -> Tensor:
    if name == "bfloat16":
        return Tensor(round_bits(values, name).view(np.int16), KINDS[name])
    return Tensor(values.astype(name), KINDS[name])


@pytest.mark.parametrize("name", ["float64", "float32", "bfloat16", "float16"])
def test_tensors_go_through_and_come_back_in_their_dtype(torch: Any, name: str) -> None:
    got = posref.rope.apply(tensor(X, name), tensor(POSITIONS, "int64"), **KEYWORDS)
    assert type(got) is Tensor
    assert got.dtype is KINDS[name]
    expected = posref.rope.apply(X, POSITIONS, **KEYWORDS)
    bits = got.stored.view({8: np.uint64, 4: np.uint32, 2: np.uint16}[got.stored.itemsize])
    assert np.array_equal(decode_bits(bits, name), decode_bits(round_bits(expected, name), name))


def test_integers_and_booleans_come_back_as_tensors(torch: Any) -> None:
    lengths = tensor(np.array([0, 2, 5]), "int64")
    got = posref.positions.from_lengths(lengths)
    assert type(got) is Tensor
    assert got.stored.tolist() == [0, 1, 0, 1, 2]
    given = Space("torch", np).give(np.array([True, False]))
    assert type(given) is Tensor
    assert given.stored.tolist() == [True, False]


@pytest.mark.parametrize(("device", "gradient"), [("cuda", False), ("cpu", True), ("cuda", True)])
def test_tensors_elsewhere_or_with_a_gradient_are_refused(torch: Any, device: str, gradient: bool) -> None:
    bad = Tensor(X, KINDS["float64"], device, gradient)
    with pytest.raises(TypeError, match=r"x: .*x\.detach\(\)\.cpu\(\)"):
        space({"x": bad})


def test_what_is_no_tensor_is_no_tensor_though_torch_is_there(torch: Any) -> None:
    assert space({"x": X}) == Space("numpy", np, "cpu")


class Device:
    """A device that must be entered, as CuPy's, before an array is made there."""

    entered = 0

    def __enter__(self) -> None:
        Device.entered += 1

    def __exit__(self, *_: Any) -> None:
        Device.entered -= 1


HERE = Device()


class Far(np.ndarray):
    """An array that has no ``__array_namespace__`` and lives on a device."""

    __module__ = "cupy._core.core"

    @property
    def device(self) -> Any:
        return HERE

    @property
    def __array_namespace__(self) -> Any:
        raise AttributeError

    def __array_finalize__(self, _: Any) -> None:
        pass


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    module = types.ModuleType("cupy")

    def asarray(values: Any, dtype: Any) -> Any:
        assert Device.entered == 1
        return np.asarray(values, dtype=dtype).view(Far)

    def arange(start: int, stop: int, dtype: Any = "int32") -> Any:
        assert Device.entered == 1
        return np.arange(start, stop, dtype=dtype).view(Far)

    def missing(name: str) -> Any:
        if name == "bfloat16":
            raise AttributeError(name)
        return getattr(np, name)

    vars(module).update(asarray=asarray, arange=arange, __getattr__=missing)
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


def test_constants_are_made_on_the_device_of_the_arguments(cupy: Any) -> None:
    far = space({"x": X.view(Far), "positions": POSITIONS.view(Far)})
    assert far == Space("cupy", cupy, HERE)
    for dtype in ("float64", "int64"):
        made = far.constant([1, 2], dtype)
        assert type(made) is Far
        assert made.dtype == dtype
    assert Device.entered == 0


def test_whole_numbers_are_int64_on_the_device_of_the_arguments(cupy: Any) -> None:
    made = Space("cupy", cupy, HERE).whole(slice(2, 5))
    assert type(made) is Far
    assert (made.dtype, made.tolist()) == (np.int64, [2, 3, 4])
    assert Device.entered == 0


def test_whole_numbers_are_int64_where_that_is_not_the_default() -> None:
    def arange(start: int, stop: int, dtype: Any = "int32", device: Any = None) -> Any:
        assert device is HERE
        return np.arange(start, stop, dtype=dtype)

    made = Space("elsewhere", types.SimpleNamespace(arange=arange, int64=np.int64), HERE).whole(slice(2, 5))
    assert (made.dtype, made.tolist()) == (np.int64, [2, 3, 4])


def test_an_array_of_another_library_beside_it_is_refused(cupy: Any) -> None:
    with pytest.raises(TypeError, match="x is of cupy, positions of numpy"):
        space({"x": X.view(Far), "positions": POSITIONS})
