"""Scenarios as the JSON of the vector format."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from posref import operation
from posref.corpus import encode, parameters
from posref.corpus.encode import Expected, Json
from posref.corpus.kinds import SCENARIO
from posref.operation import FromStep, Made, Scenario, ScenarioGroup, Step, Tensor

Values = Mapping[str, Mapping[str, Expected]]
"""The expected outputs of one step, by output and dtype."""


def group(entry: ScenarioGroup, values: Mapping[str, Sequence[Values]], source: Mapping[str, str]) -> Json:
    """Return a group as JSON; `values` holds the expected outputs of each step by the scenario's id."""
    return {
        "group": entry.name,
        "source": {"name": source["name"], "version": source["version"]},
        "requires": sorted(entry.requires),
        "compare": {"signed_zero": entry.signed_zero},
        "tests": [_test(item, values[item.id]) for item in sorted(entry.cases, key=lambda item: item.id)],
    }


def _test(entry: Scenario, values: Sequence[Values]) -> Json:
    test: Json = {
        **encode.about(entry),
        "objects": {name: _object(made) for name, made in entry.objects.items()},
        "steps": [
            _step(step, entry.objects[step.object], found)
            for step, found in zip(entry.steps, values, strict=True)
        ],
    }
    return {**test, "case_hash": case_hash(test)}


def _object(made: Made) -> Json:
    signature = operation.signature(made.operation)
    return {
        "operation": made.operation,
        "params": parameters.encode(signature, made.params, loose=False),
    }


def _step(step: Step, made: Made, values: Values) -> Json:
    signature = operation.signature(made.operation)
    order = [item.name for item in signature.inputs if item.name in step.inputs]
    return {
        "object": step.object,
        "inputs": {name: _input(step.inputs[name]) for name in order},
        **step.overrides,
        "expected": encode.outputs(signature, values),
    }


def _input(value: Tensor | FromStep) -> Json:
    if isinstance(value, FromStep):
        return {"from_step": value.step, "output": value.output}
    return encode.tensor(value)


def case_hash(test: Json) -> str:
    """Return the hash of what a scenario says, its bounds left out."""
    steps = [{**step, "expected": encode.without_bounds(step["expected"])} for step in test["steps"]]
    return encode.digest({"objects": test["objects"], "steps": steps})


def document(name: str, groups: Iterable[Json]) -> Json:
    """Return a whole file of scenarios as JSON."""
    found = list(groups)
    used = sorted({operation for entry in found for operation in _operations(entry["tests"])})
    texts = [f"{one}: {encode.header(one)}" for one in used]
    text = " ".join(["Several calls on objects that are made once, before the first, and kept.", *texts])
    return encode.whole(name, SCENARIO, {SCENARIO: name}, text, found)


def _operations(tests: Iterable[Any]) -> set[str]:
    return {made["operation"] for test in tests for made in test["objects"].values()}
