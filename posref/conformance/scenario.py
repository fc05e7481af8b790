"""Play scenarios with an implementation: objects made once and kept, calls in order, outputs handed on."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posref.adapters import BrokenError, Implementation, Unsupported
from posref.conformance import exchange
from posref.conformance.claims import default_claim, ladder
from posref.conformance.compare import Evidence, Outcome, assess
from posref.conformance.exchange import MismatchError, SkippedError, as_array
from posref.conformance.run import evidence, missing
from posref.conformance.verdict import Result
from posref.corpus.load import ScenarioTest
from posref.operation import FromStep, Made, Step, signature

Array = NDArray[Any]


class FailureError(Exception):
    """An exception of the implementation, quoted."""


@dataclass(frozen=True)
class Played:
    """One scenario played in one dtype, as far as its first failing step; evidence of each step compared."""

    test: ScenarioTest
    result: Result
    evidence: tuple[Evidence, ...] = ()


def play(
    implementation: Implementation,
    tests: Iterable[ScenarioTest],
    dtype: str,
    claim: str | None = None,
    *,
    ranked: bool = True,
) -> Iterator[Played]:
    """Yield a `Played` for each scenario that has to do with `dtype`; parameters as those of `run`."""
    absent = missing(implementation, dtype)
    for test in tests:
        if test.integer == (dtype == "int64"):
            played = _play(implementation, test, _blank(test, dtype, claim), absent)
            compared = ranked and not played.result.strongest_claim and played.evidence
            yield _ranked(played) if compared else played


def _ranked(played: Played) -> Played:
    claim = strongest(played.evidence, played.result.dtype)
    return replace(played, result=replace(played.result, strongest_claim=claim))


def _blank(test: ScenarioTest, dtype: str, claim: str | None) -> Result:
    return Result(
        case_id=test.id,
        operation=test.name,
        dtype=dtype,
        kind="scenario",
        claim=claim if claim is not None and dtype != "int64" else default_claim(dtype),
        verdict="skipped",
        comment=test.scenario.comment,
        flags=test.scenario.flags,
        clauses=test.scenario.clauses,
    )


@dataclass
class _Stage:
    """What has happened so far: the objects, and of each step the tensors, their values, the evidence."""

    implementation: Implementation
    test: ScenarioTest
    dtype: str
    objects: dict[str, Callable[..., Any]] = field(default_factory=dict)
    tensors: list[dict[str, Any]] = field(default_factory=list)
    values: list[Mapping[str, Array]] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)


def _play(implementation: Implementation, test: ScenarioTest, blank: Result, absent: str) -> Played:
    stage = _Stage(implementation, test, blank.dtype)
    outcomes: list[Outcome] = []
    where = "making the objects"
    try:
        _check_offered(implementation, test, blank.dtype, absent)
        with implementation.around(test.id, blank.dtype):
            for name, made in test.scenario.objects.items():
                where = f"making the object {name}"
                stage.objects[name] = _guarded(_open, implementation, made)
            for index, step in enumerate(test.scenario.steps):
                where = f"step {index} of 0 to {len(test.calls) - 1}, object {step.object}"
                _call(stage, index, step)
                outcomes.append(assess(stage.evidence[-1], blank.claim))
                if not outcomes[-1].passed:
                    break
    except (SkippedError, Unsupported) as skip:
        return Played(test, replace(blank, reason=str(skip) or "not supported"))
    except (FailureError, BrokenError) as failure:
        return _stopped(stage, replace(blank, verdict="error", reason=f"{where}: {failure}"))
    except MismatchError as mismatch:
        return _stopped(stage, replace(blank, verdict="fail", reason=f"{where}: {mismatch}"))
    return Played(test, _concluded(blank, outcomes, where), tuple(stage.evidence))


def _stopped(stage: _Stage, result: Result) -> Played:
    return Played(stage.test, replace(result, strongest_claim="none"), tuple(stage.evidence))


def _check_offered(implementation: Implementation, test: ScenarioTest, dtype: str, absent: str) -> None:
    """Skip the scenario unless every step of it can be put to the implementation."""
    offered = implementation.operations.keys() | implementation.sessions.keys()
    if not offered.issuperset(test.operations):
        raise SkippedError("operation not offered")
    if absent:
        raise SkippedError(absent)
    exchange.check_capabilities(implementation, test.requires)
    for call in test.calls:
        if any(exchange.judged_in(output, dtype) not in output for output in call.expected.values()):
            raise SkippedError(f"no expected value in {dtype}")


def _open(implementation: Implementation, made: Made) -> Callable[..., Any]:
    """Make an object: the implementation's own, or its operation with the parameters each time."""
    if made.operation in implementation.sessions:
        return implementation.sessions[made.operation](**made.params)
    call = implementation.operations[made.operation]
    return lambda *inputs, **own: call(*inputs, **{**made.params, **own})


def _guarded(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call into the implementation; what it raises, but `Unsupported` and a judge's own, is a finding."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*arguments, **named)
    except (Unsupported, MismatchError):
        raise
    except Exception as failure:
        raise FailureError(exchange.quote(failure)) from failure


def _call(stage: _Stage, index: int, step: Step) -> None:
    """Call an object, check the form of its answer, and note what it must be and what it is."""
    call, implementation = stage.test.calls[index], stage.implementation
    entry = signature(call.operation)
    values = {name: as_array(tensor) for name, tensor in call.inputs.items()}
    tensors = exchange.write_inputs(implementation, entry, call, values, stage.dtype)
    earlier = {name: one for name, one in step.inputs.items() if isinstance(one, FromStep)}
    for name, one in earlier.items():
        tensors[name] = stage.tensors[one.step][one.output]
        values[name] = _real(stage.test, one)
    before = _guarded(exchange.read_values, implementation, tensors)
    own = {**step.overrides, **({"dtype": stage.dtype} if entry.generator else {})}
    inputs = [tensors.get(one.name) for one in entry.inputs]
    answer = _guarded(stage.objects[step.object], *inputs, **own)
    exchange.check_untouched(before, _guarded(exchange.read_values, implementation, tensors))
    _check_kept(stage)
    got = exchange.read_answer(implementation, entry, call, answer, stage.dtype)
    stage.tensors.append(exchange.split_answer(entry, answer))
    stage.values.append(got)
    got = exchange.unflushed(implementation, got, call, stage.dtype)
    links = {name: (stage.evidence[one.step], one.output) for name, one in earlier.items()}
    stage.evidence.append(evidence(call, values, got, stage.dtype, links))


def _real(test: ScenarioTest, one: FromStep) -> Array:
    """Return an earlier output as near to the real one as is known."""
    stored = test.calls[one.step].expected[one.output]
    return as_array(stored.get("float64", next(iter(stored.values()))).tensor)


def _check_kept(stage: _Stage) -> None:
    """Raise `MismatchError` where an output is not any more what it was when it was returned."""
    for step, (tensors, found) in enumerate(zip(stage.tensors, stage.values, strict=True)):
        now = _guarded(exchange.read_values, stage.implementation, tensors)
        for name, values in found.items():
            if values.tobytes() != now[name].tobytes():
                raise MismatchError(f"{name} of step {step} has been overwritten since")


def _concluded(blank: Result, outcomes: list[Outcome], where: str) -> Result:
    """Return the result of a scenario of which every step was compared, up to a failing one."""
    passed = outcomes[-1].passed
    elements = sum(outcome.elements for outcome in outcomes)
    found = [outcome.worst for outcome in (outcomes if passed else outcomes[-1:]) if outcome.worst]
    worst = max(found, key=lambda one: -1.0 if np.isnan(one.ratio) else one.ratio, default=None)
    return replace(
        blank,
        verdict="fail" if not passed else "pass" if elements else "uninformative",
        reason="" if passed else f"{where}: {worst}",
        worst_error=worst,
        first_wrong=outcomes[-1].first,
        elements=elements,
        uninformative=sum(outcome.uninformative for outcome in outcomes),
    )


def strongest(found: Iterable[Evidence], dtype: str) -> str:
    """Return the strongest claim that all steps keep, or ``"none"``."""
    steps = tuple(found)
    return next((claim for claim in ladder(dtype) if all(one.holds(claim) for one in steps)), "none")
