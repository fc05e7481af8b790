"""The certified values of scenarios: composed exactly, the bound of each step with the earlier ones in it."""

from collections.abc import Mapping, Sequence
from typing import Any

from posref import operation
from posref.corpus import encode_scenario
from posref.corpus.certified import FIRST_VERSION, Array, array, bounds, engine_class, with_bounds
from posref.corpus.certify import Rounded
from posref.corpus.certify_scenario import certify_scenario
from posref.corpus.encode import Expected, Json
from posref.corpus.parameters import complete
from posref.corpus.read import STORED
from posref.corpus.read_scenario import kinds
from posref.operation import FromStep, Scenario, ScenarioGroup, Step

Outputs = Mapping[str, Mapping[str, Rounded]]
Bounds = Mapping[tuple[str, str], Array]


def group(entry: ScenarioGroup, engine: str) -> Json:
    """Return a group of scenarios as it stands in its file."""
    values = {}
    for scenario in entry.cases:
        try:
            values[scenario.id] = expected(scenario, engine)
        except Exception as error:
            error.add_note(f"in the scenario {scenario.id} of {entry.scenario}")
            raise
    source = {"name": f"posref.cases.{entry.scenario.partition('.')[0]}", "version": FIRST_VERSION}
    return encode_scenario.group(entry, values, source)


def expected(scenario: Scenario, engine: str) -> list[dict[str, dict[str, Expected]]]:
    """Return the expected outputs of each step; no value of a scenario may overflow."""
    dtypes = [STORED[kind] if floating else () for kind, floating in kinds(scenario.objects, scenario.steps)]
    exact = certify_scenario(engine_class(engine), scenario, dtypes)
    found: list[Bounds] = []
    for index, step in enumerate(scenario.steps):
        missing = [
            dtype for output in exact[index].values() for dtype in dtypes[index] if dtype not in output
        ]
        if missing:
            raise ValueError(f"step {index} overflows {missing[0]}")
        found.append(_bounds(scenario, step, exact[index], exact, found))
    return [with_bounds(outputs, limits) for outputs, limits in zip(exact, found, strict=True)]


def _bounds(
    scenario: Scenario, step: Step, own: Outputs, exact: Sequence[Outputs], found: Sequence[Bounds]
) -> Bounds:
    """Return the bounds of one step; `exact` and `found` have what came of those before it."""
    made = scenario.objects[step.object]
    signature = operation.signature(made.operation)
    earlier = {name: value for name, value in step.inputs.items() if isinstance(value, FromStep)}

    def widest(value: Any) -> Array:
        by_dtype = exact[value.step][value.output] if isinstance(value, FromStep) else {"": (value, "")}
        return array(next(iter(by_dtype.values()))[0])

    def errors(dtype: str) -> dict[str, Array]:
        """Return the bounds of the earlier outputs; integers are exact."""
        pairs = {name: found[value.step].get((value.output, dtype)) for name, value in earlier.items()}
        return {name: limit for name, limit in pairs.items() if limit is not None}

    params = complete(signature, {**made.params, **step.overrides})
    inputs = {name: widest(value) for name, value in step.inputs.items()}
    return bounds(signature, params, inputs, own, errors)
