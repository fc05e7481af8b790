"""The certified outputs of a scenario: the exact functions composed, each step rounded by itself."""

from collections.abc import Callable, Sequence
from typing import Any

from posref import operation
from posref.corpus.certify import Carried, Engine, Rounded, decided, evaluate, rounded
from posref.operation import FromStep, Scenario, Tensor


def certify_scenario(
    engine: Callable[[int], Any], scenario: Scenario, dtypes: Sequence[Sequence[str]]
) -> list[dict[str, dict[str, Rounded]]]:
    """Return the certified outputs of each step of a scenario, as `certify` does those of one call.

    The steps compose the exact functions: an input that is an earlier output is its real value, never a
    rounded one. `dtypes` has the floating dtypes wanted of each step. No tensor of a step is empty.
    """
    return decided(engine, lambda real: _play(real, scenario, dtypes), f"{scenario.id}: the values")


def _play(
    real: Engine, scenario: Scenario, dtypes: Sequence[Sequence[str]]
) -> list[dict[str, dict[str, Rounded]]]:
    """Evaluate and round every step once, at the precision of `real`."""
    found: list[dict[str, dict[str, Rounded]]] = []
    made: list[dict[str, Carried]] = []
    for step, wanted in zip(scenario.steps, dtypes, strict=True):
        call = scenario.objects[step.object]
        inputs: dict[str, Tensor | Carried] = {
            name: made[value.step][value.output] if isinstance(value, FromStep) else value
            for name, value in step.inputs.items()
        }
        signature = operation.signature(call.operation)
        params = {**call.params, **step.overrides}
        outputs = evaluate(real, call.operation, inputs, params)
        found.append(rounded(real, signature, inputs, outputs, wanted))
        pairs = zip(signature.outputs, outputs, strict=True)
        made.append({entry.name: Carried(output) for entry, output in pairs})
    return found
