"""The groups and tests of a file of scenarios, read strictly."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from posref.corpus import parameters
from posref.corpus.encode_scenario import case_hash
from posref.corpus.read import (
    HASH,
    LEGAL,
    STORED,
    Test,
    about,
    by_dtype,
    check_float16,
    heads,
    one_input,
    tests_of,
)
from posref.corpus.strict import SLUG, Place
from posref.operation import FromStep, Input, Made, Scenario, Signature, Step, Tensor, signature, signatures


@dataclass(frozen=True)
class ScenarioTest:
    """A scenario with the certified answers of its steps.

    `calls` has each step as a test of its operation: the parameters with the step's own, the inputs
    that are given (those that are earlier outputs are left out), what is expected.
    """

    scenario: Scenario
    calls: tuple[Test, ...]
    name: str
    requires: tuple[str, ...]
    signed_zero: Literal["ignore", "strict"]
    file: str
    group: str
    source: Mapping[str, str]
    case_hash: str

    @property
    def id(self) -> str:
        """Its identifier."""
        return self.scenario.id

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags that it raises."""
        return self.scenario.flags

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations of its objects, each once."""
        return tuple(dict.fromkeys(made.operation for made in self.scenario.objects.values()))

    @property
    def integer(self) -> bool:
        """Whether no output of any step is a float."""
        return all(signature(name).integer for name in self.operations)

    @property
    def expected(self) -> tuple[Any, ...]:
        """What is expected of each step."""
        return tuple(call.expected for call in self.calls)


def kinds(objects: Mapping[str, Made], steps: Sequence[Step]) -> list[tuple[str | None, bool]]:
    """Return for each step the dtype of its main inputs, as stored at first, and whether it gives floats."""
    found: list[tuple[str | None, bool]] = []
    for step in steps:
        entry = signature(objects[step.object].operation)
        values = [step.inputs[one.name] for one in entry.main if one.name in step.inputs]
        main = {found[one.step][0] if isinstance(one, FromStep) else one.dtype for one in values}
        if len(main) > 1:
            raise ValueError(f"the main inputs of a step have one dtype, not {', '.join(map(str, main))}")
        found.append((main.pop() if main else None, not entry.integer))
    return found


def scenario_groups(place: Place, name: str, notes: tuple[str, ...]) -> Iterator[tuple[ScenarioTest, Place]]:
    """Yield the tests of all groups of the file of scenarios `name`, each with its place."""
    for members, said in heads(place):
        for test in tests_of(members["tests"]):
            yield _test(test, name, notes, said), test


def _test(place: Place, name: str, notes: tuple[str, ...], said: Mapping[str, Any]) -> ScenarioTest:
    members = place.record("id", "comment", "flags", "clauses", "objects", "steps", "case_hash")
    fields = about(members, notes)
    objects = {key: _object(key, entry) for key, entry in members["objects"].members().items()}
    steps: list[Step] = []
    calls: list[Test] = []
    for entry in members["steps"].elements():
        step, call = _step(entry, objects, steps, {**fields, **said, "file": place.file})
        steps.append(step)
        calls.append(call)
    if len(steps) < 2:
        members["steps"].fail("a scenario has at least two steps")
    unused = objects.keys() - {step.object for step in steps}
    if unused:
        members["objects"].at(min(unused)).fail("no step calls this object")
    found = members["case_hash"].text(HASH)
    if found != case_hash(place.value):
        members["case_hash"].fail(f"the test hashes to {case_hash(place.value)}")
    scenario = Scenario(objects=objects, steps=tuple(steps), **fields)
    calls = [replace(call, case_hash=found) for call in calls]
    return ScenarioTest(scenario, tuple(calls), name, file=place.file, case_hash=found, **said)


def _object(key: str, place: Place) -> Made:
    if not SLUG.fullmatch(key):
        place.fail(f"{key!r} is not the name of an object")
    members = place.record("operation", "params")
    entry = signatures()[members["operation"].one_of(tuple(signatures()))]
    return Made(entry.name, parameters.decode(members["params"], entry))


def _step(
    place: Place, objects: Mapping[str, Made], earlier: Sequence[Step], fields: Mapping[str, Any]
) -> tuple[Step, Test]:
    head = place.members()
    if "object" not in head:
        place.fail("'object' is missing")
    made = objects[head["object"].one_of(tuple(objects))]
    entry = signature(made.operation)
    length = [one for one in entry.parameters if one.name == "seq_len"]
    members = place.record("object", "inputs", "expected", optional=[one.name for one in length])
    given = members.get("seq_len")
    seq_len = parameters.DECODERS["integer"](given, length[0]) if given else None
    inputs = _inputs(members["inputs"], entry, objects, earlier)
    step = Step(head["object"].value, inputs, seq_len)
    try:
        kind, _ = kinds(objects, [*earlier, step])[-1]
    except ValueError as error:
        members["inputs"].fail(str(error))
    tensors = {name: value for name, value in inputs.items() if isinstance(value, Tensor)}
    if kind == "bfloat16":
        check_float16(members["inputs"], entry, tensors)
    outputs = {output.name: output for output in entry.outputs}
    expected = {}
    for name, answer in members["expected"].record(*outputs).items():
        legal = STORED[kind] if outputs[name].dtype == "float" else LEGAL[outputs[name].dtype]
        expected[name] = by_dtype(answer, legal, fields["signed_zero"] == "strict")
    params = {**made.params, **step.overrides}
    call = Test(
        **fields,
        operation=entry.name,
        kind="value",
        params=params,
        inputs=tensors,
        expected=expected,
        error=None,
        case_hash="",
    )
    return step, call


def _inputs(
    place: Place, entry: Signature, objects: Mapping[str, Made], earlier: Sequence[Step]
) -> dict[str, Tensor | FromStep]:
    required = [one.name for one in entry.inputs if not one.optional]
    optional = [one.name for one in entry.inputs if one.optional]
    members = place.record(*required, optional=optional)
    found: dict[str, Tensor | FromStep] = {}
    for one in entry.inputs:
        if one.name not in members:
            continue
        member = members[one.name]
        if isinstance(member.value, dict) and "from_step" in member.value:
            found[one.name] = _from_step(member, one, objects, earlier)
        else:
            found[one.name] = one_input(member, one, None)
    return found


def _from_step(place: Place, one: Input, objects: Mapping[str, Made], earlier: Sequence[Step]) -> FromStep:
    """Return an earlier output as input: a float for a main input, integers for positions and indices."""
    members = place.record("from_step", "output")
    index = members["from_step"].integer(0, len(earlier) - 1)
    outputs = signature(objects[earlier[index].object].operation).outputs
    kind = {output.name: output.dtype for output in outputs}
    name: str = members["output"].one_of(tuple(kind))
    takes = "float" if one.role == "main" else "int" if one.dtype == "int_or_float" else one.dtype
    if kind[name] != takes or (takes == "float" and one.role != "main"):
        place.fail(f"{one.name} does not take an output of type {kind[name]}")
    return FromStep(index, name)
