"""Invalid cases: one for every limit that the registry declares of a parameter, and for every input."""

import pytest

from posref.operation import find, signature, signatures

WRONG_TYPES = {
    "integer": (str, bool), "real": (str, bool), "boolean": (str, int), "choice": (int, float, bool),
    "string": (int, float), "integers": (int, float, str), "choices": (str, int), "scaling": (str, int),
    "config": (str, int, list),
}  # fmt: skip
KIND = {"int64": "int", "bool": "bool"}


def refused(operation, name):
    """Return (parameters, case) of the refusals that name this parameter or input."""
    groups = tuple(find("cases", operation)())
    pairs = [(group.params, case) for group in groups for case in group.cases if case.error]
    return [(params, case) for params, case in pairs if case.error.parameter == name]


def wanted(entry):
    """Yield a word and a test for each way to be outside what is declared."""
    if entry.required:
        yield "left out", lambda one: one is ...
    elif not entry.nullable:
        yield "null", lambda one: one is None
    yield "type", lambda one: type(one) in WRONG_TYPES[entry.type]
    if entry.type == "integer":
        yield "float", lambda one: isinstance(one, float)
    if entry.type in ("integer", "real"):
        yield from numeric(entry)
    if entry.type == "choice":
        yield "unknown", lambda one: isinstance(one, str) and one not in entry.values
    if entry.type in ("integers", "choices"):
        yield from listed(entry)


def numeric(entry):
    def number(test):
        return lambda one: isinstance(one, int | float) and not isinstance(one, bool) and test(one)

    if entry.at_least is not None:
        yield "at least", number(lambda one: one < entry.at_least)
    if entry.above is not None:
        yield "above", number(lambda one: one <= entry.above)
    if entry.at_most is not None:
        yield "at most", number(lambda one: one > entry.at_most)
    if entry.even:
        yield "even", number(lambda one: one % 2 == 1)
    if entry.multiple_of is not None:
        yield "multiple of", number(lambda one: one % entry.multiple_of != 0)


def listed(entry):
    def some(test):
        return lambda one: isinstance(one, list) and any(test(value) for value in one)

    yield "empty", lambda one: one == []
    if entry.type == "choices":
        yield "unknown", some(lambda value: value not in entry.values)
        yield "twice", lambda one: isinstance(one, list) and len(set(one)) < len(one)
        return
    yield "float entry", some(lambda value: isinstance(value, float))
    if entry.at_least is not None:
        yield "entry at least", some(lambda value: value < entry.at_least)
    if entry.count:
        yield "count", lambda one: isinstance(one, list) and len(one) > entry.count
    if entry.even:
        yield "even entry", some(lambda value: value % 2 == 1)


PARAMETERS = [(name, entry) for name in signatures() for entry in signature(name).parameters]
INPUTS = [(name, entry) for name in signatures() for entry in signature(name).inputs]


@pytest.mark.parametrize(("operation", "entry"), PARAMETERS, ids=[f"{n}-{e.name}" for n, e in PARAMETERS])
def test_every_declared_limit_of_a_parameter_has_a_refusal(operation, entry):
    given = [params.get(entry.name, ...) for params, _ in refused(operation, entry.name)]
    assert [word for word, test in wanted(entry) if not any(test(one) for one in given)] == []


@pytest.mark.parametrize(("operation", "entry"), INPUTS, ids=[f"{n}-{e.name}" for n, e in INPUTS])
def test_every_input_is_refused_in_another_kind_shape_and_range(operation, entry):
    cases = [case for _, case in refused(operation, entry.name)]
    kinds = {case.error.kind for case in cases}
    held = {KIND.get(case.inputs[entry.name].dtype, "float") for case in cases if entry.name in case.inputs}
    assert held - set(entry.dtype.split("_or_"))
    assert "INVALID_SHAPE" in kinds or entry.shape == "..."
    assert "OUT_OF_RANGE" in kinds or entry.role != "positions"
