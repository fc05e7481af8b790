"""Judge an implementation by the certified vectors."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from posref.conformance.claims import check_claim, ladder
from posref.conformance.diagnose import UNKNOWN, common_ground, describe, name_mistakes
from posref.conformance.report import Report, Summary, summarize
from posref.conformance.run import Attempt, run
from posref.conformance.scenario import Played, play, strongest
from posref.conformance.target import pick_dtypes, resolve
from posref.conformance.verdict import Result
from posref.corpus.load import Corpus, load_vectors, matches, wanted
from posref.operation import Mistake, signatures


def check(
    implementation: Any,
    operations: str | Sequence[str] = "*",
    dtype: str | Sequence[str] | None = None,
    claim: str | None = None,
    root: str | Path | None = None,
    *,
    kind: str | None = None,
) -> Report:
    """Judge an implementation by the certified vectors.

    Parameters
    ----------
    implementation : Implementation, str, mapping, module or object
        A mapping {operation name: callable}; a module or object with an attribute per scheme and in
        it one per function (``implementation.rope.apply``); an adapter's name or a dotted path to
        import; or an `posref.adapters.Implementation`. A callable gets the inputs of the signature by
        position, the parameters by keyword and, where no input says it, ``dtype``.
    operations : str or sequence of str, default "*"
        Globs of operation names. A scenario is played when its own name matches, or all its operations do.
    dtype : str or sequence of str, optional
        Floating dtypes to judge in; default: all that the implementation has. Operations whose outputs
        are integers are judged once, whatever the dtype.
    claim : str, optional
        How close is right: ``correctly_rounded``, ``faithful``, ``ulp:2``, ``f32-angle`` ...; default:
        the default claim of each dtype. Integer outputs are always judged exactly.
    root : path, optional
        Folder of another corpus than the one that posref ships.
    kind : {"value", "invalid", "scenario"}, optional
        Only the single calls with values, only the inputs that must be refused, or only the scenarios;
        default: all. A kernel without argument checks is judged by its values alone.

    Returns
    -------
    Report
        True only if something ran and nothing failed.

    Raises
    ------
    ValueError
        If `claim`, `dtype`, `kind` or `operations` is unknown, or there is nothing to judge.
    ImportError
        If the implementation, or the framework it needs, is not installed.
    FormatError
        If the corpus is not what the specification says.

    Examples
    --------
    >>> import posref
    >>> report = posref.check(posref, operations="rope.inv_freq", dtype="float32")
    >>> bool(report), report.failed
    (True, 0)
    """
    if claim is not None:
        check_claim(claim)
    patterns = (operations,) if isinstance(operations, str) else tuple(operations)
    check_patterns(patterns)
    target = resolve(implementation)
    dtypes = pick_dtypes(target, dtype, claim)
    if kind not in (None, "value", "invalid", "scenario"):
        raise ValueError(f"kind is value, invalid or scenario, got {kind!r}")
    corpus = _load(root, patterns)
    tests = [test for test in corpus.tests if kind in (None, test.kind)]
    attempts = [attempt for one in (*dtypes, "int64") for attempt in run(target, tests, one, claim)]
    results: list[Result] = []
    summaries: list[Summary] = []
    for group in _grouped(attempts):
        found, summary = _conclude(group)
        results += found
        summaries.append(summary)
    scenarios = corpus.scenarios if kind in (None, "scenario") else ()
    played = [one for dtype in (*dtypes, "int64") for one in play(target, scenarios, dtype, claim)]
    for performances in _by_name(played):
        found, summary = _conclude_scenarios(performances)
        results += found
        summaries.append(summary)
    return Report(target.name, target.version, corpus.version, tuple(results), tuple(summaries))


def check_patterns(patterns: Iterable[str]) -> None:
    """Raise a ValueError for a glob that matches no operation."""
    for pattern in patterns:
        if not matches(pattern):
            raise ValueError(f"no operation matches {pattern!r}; posref list shows them all")


def _load(root: str | Path | None, patterns: tuple[str, ...]) -> Corpus:
    if len(patterns) == 1:
        return load_vectors(root, patterns[0])
    corpus = load_vectors(root)
    chosen = [test for test in corpus.tests if any(fnmatchcase(test.operation, one) for one in patterns)]
    played = [test for test in corpus.scenarios if wanted(test, patterns)]
    return replace(corpus, tests=tuple(chosen), scenarios=tuple(played))


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
        diagnosis = common_ground([frozenset(one.flags) for one in bad], passing) or UNKNOWN
    results = [replace(one.result, diagnosis=diagnosis if one.result in bad else "") for one in group]
    ran = [one for one in group if one.result.verdict != "skipped"]
    stopped = any(not one.evidence or one.result.strongest_claim == "none" for one in ran)
    steps = [step for one in ran for step in one.evidence]
    claim = "" if not ran else "none" if stopped else strongest(steps, ran[0].result.dtype)
    return results, summarize(results, claim, diagnosis)


def _conclude(group: Sequence[Attempt]) -> tuple[list[Result], Summary]:
    """Return the results of one operation in one dtype, with what they have in common."""
    diagnosis = _diagnosis(group)
    results = [
        replace(attempt.result, diagnosis=diagnosis)
        if attempt.result.verdict in ("fail", "error")
        else attempt.result
        for attempt in group
    ]
    return results, summarize(results, _strongest(group), diagnosis)


def _strongest(group: Sequence[Attempt]) -> str:
    """Return the strongest claim that all answers keep; wrong forms and exceptions keep none."""
    ran = [attempt for attempt in group if attempt.result.kind == "value"]
    ran = [attempt for attempt in ran if attempt.result.verdict != "skipped"]
    if not ran:
        return ""
    evidence = [attempt.evidence for attempt in ran if attempt.evidence is not None]
    if len(evidence) < len(ran):
        return "none"
    dtype = ran[0].result.dtype
    return next((claim for claim in ladder(dtype) if all(one.holds(claim) for one in evidence)), "none")


def _diagnosis(group: Sequence[Attempt]) -> str:
    bad = [attempt for attempt in group if attempt.result.verdict in ("fail", "error")]
    if not bad:
        return ""
    compared = [attempt for attempt in bad if attempt.evidence is not None]
    passing = [attempt for attempt in group if attempt.result.verdict == "pass"]
    parts = []
    found: tuple[Mistake, ...] = _mistakes(compared, passing) if compared else ()
    if compared:
        parts.append(describe(found))
    forms = [attempt for attempt in bad if attempt.evidence is None and attempt.result.kind == "value"]
    if forms:
        parts.append(f"{_count(len(forms), 'call')} gave no output to compare")
    answered = [attempt for attempt in bad if attempt.result.kind == "invalid"]
    if answered:
        parts.append(f"{_count(len(answered), 'input')} that must be refused got an answer")
    if not found:
        parts.append(_hint([one for one in bad if one.result.kind == "value"], passing))
    return "; ".join(filter(None, parts))


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _mistakes(failing: Sequence[Attempt], passing: Sequence[Attempt]) -> tuple[Mistake, ...]:
    first = failing[0].result
    return name_mistakes(
        first.operation,
        [attempt.evidence for attempt in failing if attempt.evidence is not None],
        [attempt.evidence for attempt in passing if attempt.evidence is not None],
        first.claim,
    )


def _hint(failing: Sequence[Attempt], passing: Sequence[Attempt]) -> str:
    return common_ground(
        [_features(attempt) for attempt in failing],
        [_features(attempt) for attempt in passing if attempt.result.kind == "value"],
    )


def _features(attempt: Attempt) -> frozenset[str]:
    named = (
        f"{name} = {value}" for name, value in attempt.test.params.items() if isinstance(value, str | int)
    )
    return frozenset(attempt.test.flags) | frozenset(named)
