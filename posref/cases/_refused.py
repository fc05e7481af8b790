"""Refusals that the registry itself asks for: one thing wrong in a legal call, for every declared limit.

A scheme's own refusals come first, with reasons of their own; what they leave out of the declared
types, limits and shapes follows here, each with the smallest legal call of the operation around it.
"""

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any, Final

from posref.cases._build import Baseline, tensor
from posref.operation import Case, Group, Input, Parameter, Tensor, signature

Groups = Iterator[Group]
Wrong = tuple[str, str, Any]
"""What is wrong in a word, the reason, the value; ``...`` leaves the parameter out."""

TYPES: Final[Mapping[str, Wrong]] = {
    "integer": ("text", "A number as a text.", "4"),
    "real": ("text", "A number as a text.", "4.0"),
    "boolean": ("text", "A truth as a text.", "true"),
    "choice": ("number", "A number is no name of a convention.", 1),
    "string": ("number", "A number is no name.", 1),
    "integers": ("single", "One number is no list.", 4),
    "choices": ("single", "One name is no list.", "c2c"),
    "scaling": ("text", "A text is no object.", "linear"),
    "config": ("text", "A text is no configuration.", "default"),
}
"""A value of another type, for each type of parameter."""


def complete(cases: Callable[[], Groups]) -> Callable[[], Groups]:
    """Return the cases of an operation with the refusals that the registry asks for and they lack."""

    def groups() -> Groups:
        own = tuple(cases())
        yield from own
        yield from _lacking(own)

    groups.__doc__ = cases.__doc__
    return groups


def _lacking(own: tuple[Group, ...]) -> Groups:
    entry = signature(own[0].operation)
    base = _smallest(own)
    refused = [(group.params, case) for group in own for case in group.cases if case.error]
    for parameter in entry.parameters:
        given = [params.get(parameter.name, ...) for params, case in refused if _of(case) == parameter.name]
        for word, text, value in wrong_values(parameter):
            if not any(_alike(value, one, parameter) for one in given):
                yield _value(base, parameter.name, word, text, value)
    for tensor_input in entry.inputs:
        wrong = [case for _, case in refused if _of(case) == tensor_input.name]
        yield from _inputs(base, tensor_input, wrong)


def _of(case: Case) -> str:
    return case.error.parameter if case.error else ""


def _smallest(own: tuple[Group, ...]) -> Baseline:
    """Return the legal call with all inputs, none of them empty, that has the fewest elements."""
    legal = [
        (-len(case.inputs), sum(prod(one.shape) for one in case.inputs.values()), case.id, group, case)
        for group in own
        for case in group.cases
        if case.error is None and all(prod(one.shape) for one in case.inputs.values())
    ]
    *_, group, case = min(legal, key=lambda one: one[:3])
    return Baseline(group.operation, case.inputs, group.params)


def wrong_values(parameter: Parameter) -> Iterator[Wrong]:
    """Yield a value for each way to be outside what the registry declares of a parameter."""
    if parameter.required:
        yield "left-out", "Left out: there is no default.", ...
    elif not parameter.nullable:
        yield "null", "Null is no value: there is a default.", None
    yield TYPES[parameter.type]
    if parameter.type == "integer":
        yield "float", "An integer is no float.", 4.0
    if parameter.type in ("integer", "real"):
        yield from _outside(parameter)
    if parameter.type in ("choice", "string") and parameter.values:
        yield "unknown", "A name that this specification does not use.", "no-such-convention"
    if parameter.type == "integers":
        yield from _lists(parameter)
    if parameter.type == "choices":
        first = parameter.values[0]
        yield "unknown", "A name that this specification does not use.", ["no-such-term"]
        yield "twice", "One name twice.", [first, first]
        yield "empty", "None at all.", []


def _outside(parameter: Parameter) -> Iterator[Wrong]:
    number = int if parameter.type == "integer" else float
    if parameter.at_least is not None:
        yield "too-small", "Below the least.", number(parameter.at_least) - 1
    if parameter.above is not None:
        yield "at-the-limit", "At the limit, which is outside.", number(parameter.above)
    if parameter.at_most is not None:
        yield (
            "too-large",
            "Beyond the largest.",
            number(parameter.at_most) + number(2 if parameter.even else 1),
        )
    if parameter.even:
        yield "odd", "An odd number.", 7
    if parameter.multiple_of:
        yield "no-multiple", "Not a multiple.", 2 * parameter.multiple_of + 2


def _lists(parameter: Parameter) -> Iterator[Wrong]:
    least = int(parameter.at_least or 0)
    count = parameter.count or 2
    yield "empty", "No number at all.", []
    yield "float-entry", "An integer is no float.", [4.0] * count
    yield "small-entry", "An entry below the least.", [4] * (count - 1) + [least - 1 - parameter.even]
    if parameter.count:
        yield "long-list", "One number too many.", [4] * (count + 1)
    if parameter.even:
        yield "odd-entry", "An odd entry.", [4] * (count - 1) + [5]


def _alike(value: Any, given: Any, parameter: Parameter) -> bool:
    """Whether a scheme's own refusal has the same thing wrong."""
    if value in (..., None) or given in (..., None):
        return value is given
    if isinstance(value, list) or type(value) is not type(given):
        return bool(value == given) and type(value) is type(given)
    if isinstance(value, str):
        return True
    limits = [_faults(parameter, one) for one in (value, given)]
    return limits[0] == limits[1]


def _faults(parameter: Parameter, value: Any) -> tuple[bool, ...]:
    return (
        isinstance(value, float),
        parameter.at_least is not None and value < parameter.at_least,
        parameter.above is not None and value <= parameter.above,
        parameter.at_most is not None and value > parameter.at_most,
        parameter.even and value % 2 != 0,
        bool(parameter.multiple_of) and value % (parameter.multiple_of or 1) != 0,
    )


def _value(base: Baseline, name: str, word: str, text: str, value: Any) -> Group:
    case, clause = f"{name.replace('_', '-')}-{word}", "conventions.C6"
    if value is ...:
        return base.refuse(case, ("MISSING_PARAMETER", name), clause, text, without=(name,))
    kind = "MISSING_PARAMETER" if value is None else "INVALID_PARAMETER"
    wrong: dict[str, Any] = {name: value}
    return base.refuse(case, (kind, name), clause, text, **wrong)


def _inputs(base: Baseline, wanted: Input, refused: list[Case]) -> Groups:
    name, given = wanted.name, base.inputs.get(wanted.name)
    if given is None:
        return
    kinds = {case.error.kind for case in refused if case.error}
    dtypes = {case.inputs[name].dtype for case in refused if name in case.inputs}

    def refuse(word: str, kind: str, clause: str, text: str, wrong: Tensor) -> Group:
        case = f"{name.replace('_', '-')}-{word}"
        return base.refuse(case, (kind, name), clause, text, inputs={name: wrong})

    other = _other_kind(wanted, given)
    if not any(_is_float(dtype) != _is_float(given.dtype) or dtype == other.dtype for dtype in dtypes):
        yield refuse("kind", "INVALID_DTYPE", _clause(wanted), "Values of another kind.", other)
    if wanted.shape != "..." and "INVALID_SHAPE" not in kinds:
        single = Tensor(given.dtype, (), given.data[:1])
        yield refuse("rank", "INVALID_SHAPE", "conventions.C5", "A single value, without an axis.", single)
    if wanted.role == "positions" and "OUT_OF_RANGE" not in kinds:
        beyond = Tensor("int64", given.shape, (2**53 + 1, *given.data[1:]))
        yield refuse("beyond", "OUT_OF_RANGE", "conventions.C4", "One beyond the limit.", beyond)


def _is_float(dtype: str) -> bool:
    return dtype not in ("int64", "bool")


def _clause(wanted: Input) -> str:
    return "conventions.C4" if wanted.role == "positions" else "conventions.C3"


def _other_kind(wanted: Input, given: Tensor) -> Tensor:
    """Return integers for floats, and truths for integers."""
    if wanted.dtype == "float":
        return tensor("int64", tuple(range(len(given.data))), given.shape)
    if wanted.dtype == "bool":
        return tensor("int64", tuple(int(one) for one in given.data), given.shape)
    return tensor("bool", tuple(1 for _ in given.data), given.shape)
