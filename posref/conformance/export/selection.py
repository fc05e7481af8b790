"""What an export holds: the tests whose inputs are exact in one dtype, as requests of the wire."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from posref.adapters import Implementation
from posref.conformance import exchange
from posref.conformance.claims import check_dtypes
from posref.conformance.exchange import SkippedError, as_array
from posref.conformance.wire import target
from posref.conformance.wire.messages import Block, Open, Run, Step
from posref.corpus import manifest
from posref.corpus.load import Expected, ScenarioTest, Test, load_vectors
from posref.operation import FromStep, signature

_READER: Final = Implementation("export", {}, write=target.write, read=target.read)
"""Whoever will read the export: it takes every dtype as it is stored."""


@dataclass(frozen=True)
class Call:
    """A request with its answer; inputs that are `earlier` outputs are not among those of the request.

    `expected` is empty where the request must be refused.
    """

    request: Run | Step
    expected: Mapping[str, Expected]
    earlier: Mapping[str, FromStep] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """A test of one call."""

    test: Test
    call: Call


@dataclass(frozen=True)
class Scene:
    """A scenario: its objects, and its calls in order."""

    test: ScenarioTest
    dtype: str
    objects: tuple[Open, ...]
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Selection:
    """Everything that can be exported in one dtype, in the order of the corpus."""

    corpus: str
    tree_sha256: str
    dtype: str
    tests: tuple[Asked, ...]
    scenarios: tuple[Scene, ...]

    @property
    def values(self) -> tuple[Asked, ...]:
        """The tests with values, without those that must be refused."""
        return tuple(one for one in self.tests if one.test.error is None)


def select(dtype: str, operations: str | Sequence[str] = "*", root: str | Path | None = None) -> Selection:
    """Return the tests whose main inputs are exact in `dtype`, with the answers in `dtype`.

    Parameters
    ----------
    dtype : str
        A floating dtype; operations without float outputs are there whatever it is.
    operations : str or sequence of str, default "*"
        Globs of operations, as `posref.check` takes them.
    root : path, optional
        Folder of the corpus; default: the one that posref ships.

    Raises
    ------
    ValueError
        If there is no such dtype or a glob matches no operation.
    FormatError
        If the corpus is not what the specification says.
    """
    check_dtypes((dtype,))
    corpus = load_vectors(root, operations)
    return Selection(
        corpus.version,
        manifest.read(corpus.root).tree_sha256,
        dtype,
        tuple(Asked(test, call) for test in corpus.tests if (call := _asked(test, dtype)) is not None),
        tuple(scene for test in corpus.scenarios if (scene := _scene(test, dtype)) is not None),
    )


def _asked(test: Test, dtype: str) -> Call | None:
    """Return the call of a test; None where it cannot be put in `dtype`."""
    entry = signature(test.operation)
    own = target.asked_in(entry, dtype)
    try:
        inputs, expected = _both(test, own)
    except SkippedError:
        return None
    request = Run(test.id, test.operation, test.params, own, inputs, target.wanted(entry, own))
    return Call(request, expected)


def _both(test: Test, dtype: str) -> tuple[dict[str, Block], dict[str, Expected]]:
    """Return the inputs of a call and its outputs, each in the dtype in which it is put and judged."""
    entry = signature(test.operation)
    expected = {}
    for name, stored in test.expected.items():
        own = exchange.judged_in(stored, dtype)
        if own not in stored:
            raise SkippedError(f"no expected value in {dtype}")
        expected[name] = stored[own]
    values = {name: as_array(tensor) for name, tensor in test.inputs.items()}
    blocks = exchange.write_inputs(_READER, entry, test, values, dtype)
    return target.named(entry, tuple(blocks.get(one.name) for one in entry.inputs)), expected


def _scene(test: ScenarioTest, dtype: str) -> Scene | None:
    """Return a scenario; None where one of its calls cannot be put in `dtype`."""
    made = test.scenario.objects
    objects = tuple(Open(name, one.operation, one.params) for name, one in made.items())
    calls = []
    for step, call in zip(test.scenario.steps, test.calls, strict=True):
        entry = signature(call.operation)
        own = target.asked_in(entry, dtype)
        try:
            inputs, expected = _both(call, own)
        except SkippedError:
            return None
        earlier = {name: one for name, one in step.inputs.items() if isinstance(one, FromStep)}
        want = target.wanted(entry, own)
        request = Step(test.id, step.object, own, inputs, want, step.overrides.get("seq_len"))
        calls.append(Call(request, expected, earlier))
    return Scene(test, "int64" if test.integer else dtype, objects, tuple(calls))
