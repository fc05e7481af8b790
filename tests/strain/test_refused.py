"""What is no tensor of the signature is refused, whatever else it is; NumPy's own scalars are parameters."""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from calling import answer, any_dtype, arrays, drawn, outcome, refused
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from posref.errors import SpecError
from posref.operation import signatures
from posref.testing import Call
from posref.testing.strategies import calls


class Masked(np.ma.MaskedArray):
    """A subclass of NumPy's own."""


class Convertible:
    """What NumPy would make an array of."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.array


def as_type(name: str) -> Any:
    return lambda array: np.zeros(array.shape, name)


NO_TENSORS: Mapping[str, Any] = {
    "a list": lambda array: array.tolist(),
    "a tuple": lambda array: tuple(array.reshape(-1).tolist()),
    "a number": lambda _: 1.0,
    "text": lambda _: "1",
    "bytes": lambda array: array.tobytes(),
    "a mapping": lambda _: {},
    "a function": lambda _: len,
    "a type": lambda _: np.ndarray,
    "a dtype": lambda array: array.dtype,
    "convertible": Convertible,
    "memory": lambda array: memoryview(np.zeros(array.shape)),
    "masked": lambda array: np.ma.masked_array(array, np.zeros(array.shape, bool)),
    "of a subclass of masked": Masked,
    "a matrix": lambda array: array.reshape(1, -1).view(np.matrix),
    "objects": lambda array: array.astype(object),
    "complex64": as_type("complex64"),
    "complex128": as_type("complex128"),
    "longdouble": as_type("longdouble"),
    "strings": as_type("U3"),
    "byte strings": as_type("S3"),
    "dates": as_type("datetime64[s]"),
    "spans": as_type("timedelta64[s]"),
    "records": as_type("i4,f8"),
    "void": as_type("V2"),
}


def simplest(name: str) -> Call:
    """Return a legal call with all of its inputs, none of them empty."""

    def full(call: Call) -> bool:
        return all(tensor is not None and tensor[0].size for tensor in call.tensors.values())

    profile = settings(
        max_examples=2000,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    found: Call = find(calls(name, "float64"), full, settings=profile)
    return found


@pytest.mark.parametrize("name", [one.name for one in signatures().values() if one.inputs])
def test_what_is_no_tensor(name: str) -> None:
    call = simplest(name)
    assert not outcome(call).refused
    for (one, array), (what, make) in itertools.product(arrays(call).items(), NO_TENSORS.items()):
        bad = answer(call, {**arrays(call), one: make(array)})
        assert isinstance(bad, (SpecError, TypeError)), f"{one} is {what}: {bad!r}"
        assert one in str(bad)
        refused(call, bad)
        if isinstance(bad, SpecError):
            assert (bad.parameter, bad.kind) == (one, "INVALID_DTYPE"), f"{one} is {what}"


def spelled(value: Any, draw: Any) -> Any:
    """Return a parameter as NumPy spells it, what is in a list too."""
    if isinstance(value, bool):
        return draw(st.sampled_from((value, np.bool_(value))))
    if isinstance(value, int):
        kinds = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
        fit = [kind for kind in kinds if np.iinfo(kind).min <= value <= np.iinfo(kind).max]
        return draw(st.sampled_from([value, *(kind(value) for kind in fit)]))
    if isinstance(value, float):
        with np.errstate(all="ignore"):
            near = [kind(value) for kind in (np.float16, np.float32, np.float64, np.longdouble)]
        same = [one for one in near if float(one) == value]
        return draw(st.sampled_from([value, *same, *([int(value)] if value.is_integer() else [])]))
    if isinstance(value, (list, tuple)):
        return draw(st.sampled_from((list, tuple)))(spelled(one, draw) for one in value)
    return value


@pytest.mark.parametrize("name", [one.name for one in signatures().values() if one.parameters])
def test_parameters_as_numpy_spells_them(name: str) -> None:
    @drawn(20)
    @given(any_dtype(name), st.data())
    def search(call: Call, data: st.DataObject) -> None:
        other = {one: spelled(value, data.draw) for one, value in call.params.items()}
        assert outcome(replace(call, params=other)) == outcome(call), other

    search()
