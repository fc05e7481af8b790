"""Checks that every operation gets from its signature: valid arguments are made from the registry, and
then each is spoiled in every way that the conventions refuse."""

import inspect
import math
from typing import Any

import numpy as np
import pytest

from posref.errors import SpecError
from posref.operation import Input, Parameter, Signature, find, signature, signatures

SIZES = {"T": 3, "Q": 2, "K": 3, "D": 4, "E": 5, "h": 2, "H": 2}
NAMES = tuple(signatures())


def valid_input(field: Input) -> np.ndarray:
    shape = tuple(SIZES[letter] for letter in field.shape.replace("...", "").split())
    if field.role == "positions":
        return np.arange(math.prod(shape)).reshape(shape) + 1
    if field.role == "mask":
        return np.ones(shape, dtype=bool)
    return np.linspace(0.25, 1.0, math.prod(shape)).reshape(shape)


def valid_parameter(field: Parameter) -> Any:
    if field.name in ("rotary_dim", "dim"):
        return 4
    if not field.required:
        return field.default
    if field.type == "choice":
        return field.values[0]
    return 3 if field.type == "integer" else 8.0


def valid(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    entry = signature(name)
    inputs = {field.name: valid_input(field) for field in entry.inputs}
    return inputs, {field.name: valid_parameter(field) for field in entry.parameters}


def call(name: str, inputs: dict[str, Any], params: dict[str, Any]) -> Any:
    return find("reference", name)(*inputs.values(), **params)


def refused(name: str, changed: dict[str, Any]) -> SpecError:
    inputs, params = valid(name)
    for key, value in changed.items():
        (inputs if key in inputs else params)[key] = value
    with pytest.raises(SpecError) as caught:
        call(name, inputs, params)
    return caught.value


def every(kind: str, **where: str) -> list[Any]:
    """Return (operation, field) for all parameters or inputs, those of one role if it is given."""
    return [
        pytest.param(name, field, id=f"{name}-{field.name}")
        for name in NAMES
        for field in getattr(signature(name), kind)
        if all(getattr(field, key) == value for key, value in where.items())
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_made_arguments_are_valid_and_stay_untouched(name: str) -> None:
    inputs, params = valid(name)
    copies = {key: value.copy() for key, value in inputs.items()}
    for value in inputs.values():
        value.flags.writeable = False
    call(name, inputs, params)
    assert all(np.array_equal(inputs[key], copies[key]) for key in inputs)


@pytest.mark.parametrize("name", NAMES)
def test_python_signature_is_the_registry_s(name: str) -> None:
    entry: Signature = signature(name)
    parameters = inspect.signature(find("reference", name)).parameters
    tensors = {field.name: (None if field.optional else ...) for field in entry.inputs}
    expected = tensors | {field.name: field.default for field in entry.parameters}
    if entry.generator:
        expected["dtype"] = "float64"
        if not entry.inputs:
            expected["like"] = None
    found = {
        key: (... if value.default is inspect.Parameter.empty else value.default)
        for key, value in parameters.items()
    }
    assert found == expected
    kinds = {key: value.kind for key, value in parameters.items()}
    named = [field.name for field in entry.parameters]
    assert all(kinds[key] is inspect.Parameter.POSITIONAL_OR_KEYWORD for key in tensors)
    assert all(kinds[key] is inspect.Parameter.KEYWORD_ONLY for key in named)
    assert list(parameters)[: len(tensors)] == list(tensors)


@pytest.mark.parametrize(("name", "field"), every("parameters"))
def test_wrong_type_of_parameter(name: str, field: Parameter) -> None:
    wrong: list[Any] = {
        "integer": [True, 4.0, "4", np.float64(4), [4], math.nan],
        "real": [True, "8.0", [8.0], 1j, math.inf, -math.inf, math.nan, 2**53 + 1, 10**400],
        "choice": [0, True, "", "no such thing", [field.values[0]] if field.values else []],
        "scaling": ["yarn", {}, {"rope_type": "no such thing"}, 2.0],
    }[field.type]
    for value in wrong:
        error = refused(name, {field.name: value})
        assert (error.kind, error.parameter) == ("INVALID_PARAMETER", field.name)


@pytest.mark.parametrize(("name", "field"), every("parameters"))
def test_parameter_outside_its_domain(name: str, field: Parameter) -> None:
    outside: list[Any] = []
    if field.at_least is not None:
        outside += [field.at_least - 1, -(10**30)]
    if field.at_most is not None:
        outside += [field.at_most + 1]
    if field.even:
        outside += [5]
    if field.above is not None:
        outside += [field.above, -1.0, 0]
    for value in outside:
        error = refused(name, {field.name: value})
        assert error.parameter == field.name
        assert error.clause.startswith(signature(name).scheme)
        assert str(value) in str(error)


@pytest.mark.parametrize(("name", "field"), every("parameters"))
def test_missing_parameter(name: str, field: Parameter) -> None:
    inputs, params = valid(name)
    if field.nullable:
        call(name, inputs, params | {field.name: None})
    else:
        error = refused(name, {field.name: None})
        assert (error.kind, error.parameter) == ("MISSING_PARAMETER", field.name)
    if field.required:
        del params[field.name]
        with pytest.raises(TypeError, match=f"missing .*'{field.name}'"):
            call(name, inputs, params)


@pytest.mark.parametrize("name", NAMES)
def test_unknown_keyword(name: str) -> None:
    inputs, params = valid(name)
    with pytest.raises(TypeError, match="unexpected keyword argument 'theta'"):
        call(name, inputs, params | {"theta": 1.0})


@pytest.mark.parametrize("name", NAMES)
def test_numpy_scalars_are_fine(name: str) -> None:
    inputs, params = valid(name)
    converted = {
        key: np.int16(value)
        if isinstance(value, int)
        else np.float32(value)
        if isinstance(value, float)
        else value
        for key, value in params.items()
    }
    got, expected = call(name, inputs, converted), call(name, inputs, params)
    assert np.array_equal(np.asarray(got), np.asarray(expected))


@pytest.mark.parametrize(("name", "field"), every("inputs"))
def test_wrong_dtype_of_input(name: str, field: Input) -> None:
    good = valid_input(field)
    wrong = {
        "main": [good.astype(np.int64), good > 0, good.astype(complex), good.astype(np.longdouble)],
        "table": [good.astype(np.int64), good > 0, good.astype(np.float16)],
        "positions": [good > 0, good.astype(np.float16), good.astype(complex)],
        "mask": [good.astype(np.float64), good.astype(np.int64)],
    }[field.role]
    if field.dtype == "int":
        wrong.append(good.astype(np.float64))
    for array in wrong:
        error = refused(name, {field.name: array})
        assert (error.kind, error.parameter) == ("INVALID_DTYPE", field.name)


@pytest.mark.parametrize(("name", "field"), every("inputs"))
def test_wrong_rank_and_empty_axes(name: str, field: Input) -> None:
    good = valid_input(field)
    letters = field.shape.replace("...", "").split()
    wrong = [good[(0,) * good.ndim], good[(0,) * good.ndim].reshape(())]
    if "..." in field.shape:
        wrong.append(np.zeros((0, *good.shape), dtype=good.dtype))
    else:
        wrong.append(good[None])
    for axis, letter in enumerate(letters):
        if letter not in ("T", "Q", "K"):
            wrong.append(np.take(good, [], axis=axis))
    for array in wrong:
        error = refused(name, {field.name: np.asarray(array)})
        assert (error.kind, error.parameter) == ("INVALID_SHAPE", field.name)


@pytest.mark.parametrize("name", [name for name in NAMES if len(signature(name).inputs) > 1])
def test_one_axis_has_one_size(name: str) -> None:
    """Of two inputs that share an axis, the later one is at fault."""
    entry = signature(name)
    seen: set[str] = set()
    for field in entry.inputs:
        letters = field.shape.replace("...", "").split()
        for axis, letter in enumerate(letters):
            if letter in seen:
                good = valid_input(field)
                error = refused(name, {field.name: np.concatenate([good, good], axis=axis)})
                assert (error.kind, error.parameter) == ("INVALID_SHAPE", field.name)
        seen |= set(letters)


@pytest.mark.parametrize(
    ("name", "field"),
    [*every("inputs", dtype="float"), *every("inputs", dtype="int_or_float")],
)
def test_nan_and_infinity(name: str, field: Input) -> None:
    for value in (math.nan, math.inf, -math.inf):
        array = valid_input(field).astype(np.float64)
        array.flat[-1] = value
        if (field.name, value) == ("bias", -math.inf):
            call(name, valid(name)[0] | {field.name: array}, valid(name)[1])
            continue
        error = refused(name, {field.name: array})
        assert (error.kind, error.parameter) == ("INVALID_PARAMETER", field.name)


@pytest.mark.parametrize(("name", "field"), every("inputs", role="positions"))
def test_positions_reach_to_two_to_the_53(name: str, field: Input) -> None:
    good = valid_input(field)
    for value in (2**53, -(2**53)):
        inputs, params = valid(name)
        call(name, inputs | {field.name: np.full(good.shape, value)}, params)
    beyond = [
        np.full(good.shape, 2**53 + 1),
        np.full(good.shape, -(2**63)),
        np.full(good.shape, 2**64 - 1, np.uint64),
    ]
    if field.dtype == "int_or_float":
        beyond.append(np.full(good.shape, 2.0**53 + 2))
    for array in beyond:
        error = refused(name, {field.name: array})
        assert (error.kind, error.parameter, error.clause) == ("OUT_OF_RANGE", field.name, "conventions.C4")


@pytest.mark.parametrize("name", [name for name in NAMES if len(signature(name).main) > 1])
def test_main_inputs_have_one_dtype(name: str) -> None:
    for field in signature(name).main[1:]:
        error = refused(name, {field.name: valid_input(field).astype(np.float32)})
        assert (error.kind, error.parameter) == ("INVALID_DTYPE", field.name)


@pytest.mark.parametrize("name", [name for name in NAMES if signature(name).inputs])
def test_integer_dtypes_of_positions_agree(name: str) -> None:
    inputs, params = valid(name)
    expected = call(name, inputs, params)
    for dtype in ("int8", "uint8", "int32", "uint32", "uint64"):
        changed = {
            field.name: inputs[field.name].astype(dtype) if field.role == "positions" else inputs[field.name]
            for field in signature(name).inputs
        }
        assert np.array_equal(np.asarray(call(name, changed, params)), np.asarray(expected))
