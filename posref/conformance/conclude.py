"""What the verdicts on single cases come to: per operation and dtype, a summary and a diagnosis."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from posref.conformance.compare import Evidence
from posref.conformance.diagnose import UNKNOWN, Diagnosis, describe, name_mistakes
from posref.conformance.diagnose_scenario import name_stale
from posref.conformance.exchange import as_array
from posref.conformance.expected import Expectations
from posref.conformance.ground import calls, common_ground
from posref.conformance.kinds import where_wrong
from posref.conformance.profile import profile
from posref.conformance.report import Summary, summarize
from posref.conformance.run import Attempt
from posref.conformance.scenario import Played, strongest
from posref.conformance.verdict import Expectation, Result
from posref.operation import signatures


def mark(
    attempts: list[Attempt], played: list[Played], failures: Sequence[Expectation]
) -> tuple[Expectation, ...]:
    """Give every case of which a failure is expected its verdict; return the failures that are of none."""
    known = Expectations(failures)
    attempts[:] = [replace(one, result=known.mark(one.result)) for one in attempts]
    played[:] = [replace(one, result=known.mark(one.result)) for one in played]
    return known.unmatched


def conclude(
    attempts: Iterable[Attempt], played: Iterable[Played]
) -> tuple[tuple[Result, ...], tuple[Summary, ...]]:
    """Return the results by operation and dtype, and a summary of each group of them.

    Parameters
    ----------
    attempts : iterable of Attempt
        Single calls. Of those that fail unexpectedly the result says what they have in common.
    played : iterable of Played
        Scenarios.
    """
    results: list[Result] = []
    summaries: list[Summary] = []
    concluded = [_conclude(group) for group in _grouped(attempts)]
    concluded += [_conclude_scenarios(group) for group in _by_name(played)]
    for found, summary in concluded:
        results += found
        summaries.append(summary)
    return tuple(results), tuple(summaries)


def _grouped(attempts: Iterable[Attempt]) -> list[list[Attempt]]:
    """Return attempts by operation and dtype, operations in the order of the registry."""
    groups: dict[str, dict[str, list[Attempt]]] = {name: {} for name in signatures()}
    for attempt in attempts:
        result = attempt.result
        groups[result.operation].setdefault(result.dtype, []).append(attempt)
    return [group for by_dtype in groups.values() for group in by_dtype.values()]


def _by_name(played: Iterable[Played]) -> list[list[Played]]:
    """Return scenarios by name and dtype."""
    groups: dict[str, dict[str, list[Played]]] = {}
    for one in played:
        groups.setdefault(one.result.operation, {}).setdefault(one.result.dtype, []).append(one)
    return [group for by_dtype in groups.values() for group in by_dtype.values()]


def _conclude_scenarios(group: Sequence[Played]) -> tuple[list[Result], Summary]:
    """Return the results of the scenarios of one name in one dtype, with what they have in common."""
    bad = [one.result for one in group if one.result.verdict in ("fail", "error")]
    passing = [frozenset(one.result.flags) for one in group if one.result.verdict == "pass"]
    diagnosis = ""
    if bad:
        named = name_stale(group)
        hint = common_ground([frozenset(one.flags) for one in bad], passing) or UNKNOWN
        diagnosis = describe(named) if named.mistakes else hint
    results = [
        _explained(one.result, diagnosis, {}, one.evidence[-1:]) if one.result in bad else one.result
        for one in group
    ]
    ran = [one for one in group if one.result.verdict != "skipped"]
    stopped = any(not one.evidence or one.result.strongest_claim == "none" for one in ran)
    steps = [step for one in ran for step in one.evidence]
    claim = "" if not ran else "none" if stopped else strongest(steps, ran[0].result.dtype)
    return results, summarize(results, claim, diagnosis)


def _conclude(group: Sequence[Attempt]) -> tuple[list[Result], Summary]:
    """Return the results of one operation in one dtype, with what they have in common."""
    diagnosis = _diagnosis(group)
    results = [
        _explained(one.result, diagnosis, one.test.params, [one.evidence] if one.evidence else [])
        if one.result.verdict in ("fail", "error")
        else one.result
        for one in group
    ]
    return results, summarize(results, _strongest(group), diagnosis)


def _explained(
    result: Result, diagnosis: str, params: Mapping[str, Any], compared: Sequence[Evidence]
) -> Result:
    """Return the result of a failing case with what it was asked and where it is wrong."""
    worst = result.worst_error if result.first_wrong is not None else None
    where = profile(compared[0], worst.output, result.claim) if worst is not None and compared else None
    return replace(result, diagnosis=diagnosis, params=dict(params), profile=where)


def _strongest(group: Sequence[Attempt]) -> str:
    """Return the strongest claim that all answers keep; wrong forms and exceptions keep none."""
    ran = [attempt for attempt in group if attempt.result.kind == "value"]
    ran = [attempt for attempt in ran if attempt.result.verdict != "skipped"]
    if not ran:
        return ""
    evidence = [attempt.evidence for attempt in ran if attempt.evidence is not None]
    if len(evidence) < len(ran):
        return "none"
    return strongest(evidence, ran[0].result.dtype)


def _diagnosis(group: Sequence[Attempt]) -> str:
    bad = [attempt for attempt in group if attempt.result.verdict in ("fail", "error")]
    if not bad:
        return ""
    compared = [attempt for attempt in bad if attempt.evidence is not None]
    passing = [attempt for attempt in group if attempt.result.verdict == "pass"]
    parts = []
    found = _mistakes(compared, passing)
    if compared:
        parts.append(describe(found))
    answered = [one for one in bad if one.result.kind == "invalid" and one.result.verdict == "fail"]
    forms = len(bad) - len(compared) - len(answered)
    if forms:
        parts.append(f"{_count(forms, 'call')} gave no output to compare")
    if answered:
        parts.append(f"{_count(len(answered), 'input')} that must be refused got an answer")
    parts += _hint([one for one in bad if one.result.kind == "value"], passing)
    return "; ".join(filter(None, parts))


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _mistakes(failing: Sequence[Attempt], passing: Sequence[Attempt]) -> Diagnosis:
    if not failing:
        return Diagnosis()
    first = failing[0].result
    return name_mistakes(
        first.operation,
        [attempt.evidence for attempt in failing if attempt.evidence is not None],
        [attempt.evidence for attempt in passing if attempt.evidence is not None],
        first.claim,
    )


def _hint(failing: Sequence[Attempt], passing: Sequence[Attempt]) -> Iterator[str]:
    """Yield what kind of call fails, and which elements of it are wrong."""
    values = [attempt for attempt in passing if attempt.result.kind == "value"]
    yield common_ground([_features(one) for one in failing], [_features(one) for one in values])
    compared = [one.evidence for one in failing if one.evidence is not None]
    if compared:
        right = [one.evidence for one in values if one.evidence is not None]
        yield where_wrong(compared, right, failing[0].result.claim)


def _features(attempt: Attempt) -> frozenset[str]:
    test = attempt.test
    named = (f"{name} = {value}" for name, value in test.params.items() if isinstance(value, str | int))
    values = {name: as_array(tensor) for name, tensor in test.inputs.items()}
    return frozenset(test.flags) | frozenset(named) | calls(test.operation, values, test.params)
