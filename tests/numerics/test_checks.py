"""Checks that every operation gets from its signature: valid arguments are made from the registry, and
then each is spoiled in every way that the conventions refuse."""

import inspect
import math
import re
from typing import Any

import numpy as np
import pytest
from legal_calls import BOUNDED, NAMES, NEEDED, call, letters, outputs, valid, valid_input, valid_parameter

from posref.errors import SpecError
from posref.operation import Input, Parameter, Signature, find, signature


def refused(name: str, changed: dict[str, Any]) -> SpecError:
    inputs, params = valid(name)
    for key, value in changed.items():
        (inputs if key in inputs else params)[key] = value
    with pytest.raises(SpecError) as caught:
        call(name, inputs, params)
    assert re.fullmatch(r"[a-z0-9_]+\.C\d+", caught.value.clause)
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


def wrong_values(name: str, field: Parameter) -> list[Any]:
    good = valid_parameter(name, field)
    several = good if isinstance(good, list) else [4] * (field.count or 1)
    wrong: dict[str, list[Any]] = {
        "integer": [True, 4.0, "4", np.float64(4), [4], math.nan],
        "integers": [
            4, "44", True, [], np.array(several), *([one, *several[1:]] for one in (True, 4.0, "4", None)),
            *([[*several, 4], several[:-1]] if field.count else []),
        ],
        "real": [True, "8.0", [8.0], 1j, math.inf, -math.inf, math.nan, 2**53 + 1, 10**400],
        "boolean": [0, 1, 1.0, "true", "", np.int64(1), [True]],
        "choice": [0, True, "", "no such thing", [field.values[0]] if field.values else []],
        "choices": [
            0, True, "c2c", {"c2c": True}, [], [""], ["no such thing"], [True], [None], [["c2c"]],
            [*field.values, *field.values[:1]],
        ],
        "string": [0, True, 1.5, ["full_attention"], b"full_attention"],
        "scaling": ["yarn", {}, {"rope_type": "no such thing"}, 2.0],
        "config": ["llama", [], [("rope_theta", 1e4)], 4, True],
    }  # fmt: skip
    return wrong[field.type]


@pytest.mark.parametrize(("name", "field"), every("parameters"))
def test_wrong_type_of_parameter(name: str, field: Parameter) -> None:
    for value in wrong_values(name, field):
        error = refused(name, {field.name: value})
        assert (error.kind, error.parameter) == ("INVALID_PARAMETER", field.name)


@pytest.mark.parametrize(("name", "field"), every("parameters"))
def test_parameter_outside_its_domain(name: str, field: Parameter) -> None:
    outside: list[Any] = []
    if field.at_least is not None:
        outside += [field.at_least - 1, -(10**30)]
    if field.at_most is not None:
        outside += [field.at_most + 1]
    if field.even or field.multiple_of:
        outside += [5, *([6] if field.multiple_of == 4 else [])]
    if field.above is not None:
        outside += [field.above, -1.0, 0]
    for value in outside:
        listed = field.type == "integers"
        rest = [4] * ((field.count or 2) - 1)
        error = refused(name, {field.name: [*rest, value] if listed else value})
        assert (error.kind, error.parameter) == ("INVALID_PARAMETER", field.name)
        scheme = signature(name).scheme
        assert error.clause.partition(".")[0] in {scheme, *(["rope"] if scheme == "xpos" else [])}
        assert str(value) in str(error)


@pytest.mark.parametrize(("name", "field"), every("parameters"))
def test_missing_parameter(name: str, field: Parameter) -> None:
    inputs, params = valid(name)
    if field.nullable and (name, field.name) not in NEEDED:
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
    converted = {key: scalar(value) for key, value in params.items()}
    got, expected = outputs(call(name, inputs, converted)), outputs(call(name, inputs, params))
    assert all(np.array_equal(one, other) for one, other in zip(got, expected, strict=True))


def scalar(value: Any) -> Any:
    """Return NumPy's own kind of a number, also within a list."""
    if isinstance(value, list):
        return [scalar(entry) for entry in value]
    kinds: dict[type, Any] = {bool: np.bool_, int: np.int16, float: np.float32}
    return kinds.get(type(value), lambda same: same)(value)


@pytest.mark.parametrize(("name", "field"), every("inputs"))
def test_wrong_dtype_of_input(name: str, field: Input) -> None:
    good = valid_input(name, field)
    wrong = {
        "main": [good.astype(np.int64), good > 0, good.astype(complex), good.astype(np.longdouble)],
        "table": [good.astype(np.int64), good > 0, good.astype(np.float16)],
        "positions": [good > 0, good.astype(np.float16), good.astype(complex)],
        "index": [good > 0, good.astype(np.float16), good.astype(complex)],
        "mask": [good.astype(np.float64), good.astype(np.int64)],
    }[field.role]
    if field.dtype == "int":
        wrong.append(good.astype(np.float64))
    for array in wrong:
        error = refused(name, {field.name: array})
        assert (error.kind, error.parameter) == ("INVALID_DTYPE", field.name)


@pytest.mark.parametrize(("name", "field"), every("inputs"))
def test_wrong_rank_and_empty_axes(name: str, field: Input) -> None:
    good = valid_input(name, field)
    named = letters(field)
    if not named:
        return  # any shape will do
    wrong = [good[(0,) * good.ndim], good[(0,) * good.ndim].reshape(())]
    if "..." in field.shape:
        wrong.append(np.zeros((0, *good.shape), dtype=good.dtype))
    else:
        wrong.append(good[None])
    for axis, letter in enumerate(named):
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
        for axis, letter in enumerate(letters(field)):
            if letter in seen:
                good = valid_input(name, field)
                error = refused(name, {field.name: np.concatenate([good, good], axis=axis)})
                assert (error.kind, error.parameter) == ("INVALID_SHAPE", field.name)
        seen |= set(letters(field))


@pytest.mark.parametrize(
    ("name", "field"),
    [*every("inputs", dtype="float"), *every("inputs", dtype="int_or_float")],
)
def test_nan_and_infinity(name: str, field: Input) -> None:
    for value in (math.nan, math.inf, -math.inf):
        array = valid_input(name, field).astype(np.float64)
        array.flat[-1] = value
        if (field.name, value) == ("bias", -math.inf):
            call(name, valid(name)[0] | {field.name: array}, valid(name)[1])
            continue
        error = refused(name, {field.name: array})
        assert (error.kind, error.parameter) == ("INVALID_PARAMETER", field.name)


@pytest.mark.parametrize(("name", "field"), every("inputs", role="positions"))
def test_positions_reach_to_two_to_the_53(name: str, field: Input) -> None:
    good = valid_input(name, field)
    limit = 2**54 if field.name == "relative_position" else 2**53  # a difference reaches twice as far
    for value in (limit, -limit):
        far = {field.name: np.full(good.shape, value)}
        if name not in BOUNDED:
            inputs, params = valid(name)
            call(name, inputs | far, params)
        elif (name, value) != ("temperature.scale", limit):
            error = refused(name, far)
            assert (error.kind, error.parameter) == ("OUT_OF_RANGE", BOUNDED[name])
    beyond = [
        np.full(good.shape, limit + 1),
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
        error = refused(name, {field.name: valid_input(name, field).astype(np.float32)})
        assert (error.kind, error.parameter) == ("INVALID_DTYPE", field.name)


@pytest.mark.parametrize("name", [name for name in NAMES if signature(name).inputs])
def test_integer_dtypes_agree(name: str) -> None:
    inputs, params = valid(name)
    expected = outputs(call(name, inputs, params))
    whole = [field.name for field in signature(name).inputs if field.role in ("positions", "index")]
    for dtype in ("int8", "uint8", "int32", "uint32", "uint64"):
        if name == "transformer_xl.scores" and dtype.startswith("u"):
            continue  # its distances are of both signs
        changed = {key: value.astype(dtype) if key in whole else value for key, value in inputs.items()}
        got = outputs(call(name, changed, params))
        assert all(np.array_equal(one, other) for one, other in zip(got, expected, strict=True))


def test_a_position_of_float32_beyond_the_range_is_refused():
    x, far = np.ones((1, 2)), np.array([2.0**54], dtype=np.float32)
    with pytest.raises(SpecError, match=r"conventions\.C4.*2\*\*53"):
        find("reference", "rope.apply")(x, far, rotary_dim=2, base=10000.0, pairing="half")
