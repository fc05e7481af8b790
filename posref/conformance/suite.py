"""Judge an implementation by the certified vectors."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from posref.adapters import Implementation
from posref.conformance.backends import on_backend
from posref.conformance.claims import check_claim
from posref.conformance.conclude import conclude, mark
from posref.conformance.expected import read
from posref.conformance.layouts import laid_out
from posref.conformance.report import Report
from posref.conformance.results import Results
from posref.conformance.run import Attempt, run
from posref.conformance.scenario import Played, play
from posref.conformance.target import pick_dtypes, resolve
from posref.conformance.verdict import Expectation
from posref.conformance.wire import Command
from posref.corpus.chosen import globs
from posref.corpus.load import Corpus, load_vectors
from posref.corpus.progress import Progress
from posref.operation import signature


def check(
    implementation: Any,
    operations: str | Sequence[str] = "*",
    dtype: str | Sequence[str] | None = None,
    claim: str | None = None,
    root: str | Path | None = None,
    *,
    kind: str | None = None,
    layout: str = "contiguous",
    backend: str | None = None,
    expected: str | Path | Sequence[Expectation] = (),
    strict: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Judge an implementation by the certified vectors.

    Parameters
    ----------
    implementation : Implementation, Command, Results, str, mapping, module or object
        A mapping {operation name: callable}; a module or object with an attribute per scheme and in
        it one per function (``implementation.rope.apply``); an adapter's name or a dotted path to
        import; or an `posref.adapters.Implementation`. A callable gets the inputs of the signature by
        position, the parameters by keyword and, where no input says it, ``dtype``. A program in any
        language is a `posref.conformance.wire.Command`, what it wrote into a file
        `posref.conformance.results.Results`.
    operations : str or sequence of str, default "*"
        Globs of operation names. A scenario is played when its own name matches, or all its operations do.
    dtype : str or sequence of str, optional
        Floating dtypes to judge in; default: all that the implementation has. Operations whose outputs
        are integers are judged once, whatever the dtype.
    claim : str, optional
        How close is right: ``correctly_rounded``, ``faithful``, ``ulp:2``, ``f32-angle`` ...; default:
        the claim that a program makes for itself, or the default claim of each dtype. Integer outputs are
        always judged exactly.
    root : path, optional
        Folder of another corpus than the one that posref ships.
    kind : {"value", "invalid", "scenario"}, optional
        Only the single calls with values, only the inputs that must be refused, or only the scenarios;
        default: all. A kernel without argument checks is judged by its values alone.
    layout : {"contiguous", "strided", "sliced", "transposed", "reversed"}, default "contiguous"
        How float inputs lie in memory: as views of every second element, of the front of wider rows,
        with heads and tokens swapped (a matrix: column by column), or of rows last element first. What
        a library has no such view for is skipped.
    backend : {"numpy", "cupy", "array-api-strict"}, optional
        Whose arrays an implementation of NumPy arrays gets instead, on a device of that library. An output
        that is no array of the library on that device is an error. An operation without inputs also gets
        ``like``, an array to take the device from. What the library has no dtype for is skipped.
    expected : path or sequence of Expectation, optional
        The failures that are known, or the file that lists them (`posref.conformance.expected.read`). They
        count apart, as do cases that pass where a failure is expected.
    strict : bool, default False
        Whether a case that passes where a failure is expected makes the report false.
    progress : callable, optional
        Told after each case how many are done, of how many, and of which operation it was.

    Returns
    -------
    Report
        True only if something ran and nothing failed.

    Raises
    ------
    ValueError
        If `claim`, `dtype`, `kind`, `layout`, `backend` or `operations` is unknown, or there is nothing to
        judge, or a backend is asked of what writes its own tensors.
    ImportError
        If the implementation, or the framework or backend it needs, is not installed.
    OSError
        If a program cannot be started, the backend has no device, or the file of expected failures cannot
        be read.
    FormatError
        If the corpus is not what the specification says, or the file of expected failures not one.

    Examples
    --------
    >>> import posref
    >>> report = posref.check(posref, operations="rope.inv_freq", dtype="float32")
    >>> bool(report), report.failed
    (True, 0)
    """
    if claim is not None:
        check_claim(claim)
    patterns = globs(operations)
    if kind not in (None, "value", "invalid", "scenario"):
        raise ValueError(f"kind is value, invalid or scenario, got {kind!r}")
    if backend is not None and isinstance(implementation, Command | Results):
        raise ValueError("a program writes its own tensors: leave the backend out")
    failures = read(expected) if isinstance(expected, str | Path) else tuple(expected)
    target = resolve(implementation, root)
    with target.life:
        target = laid_out(on_backend(target, backend), layout)
        dtypes = pick_dtypes(target, dtype, claim)
        corpus = load_vectors(root, patterns)
        tests = tuple(test for test in corpus.tests if kind in (None, test.kind))
        scenarios = corpus.scenarios if kind in (None, "scenario") else ()
        chosen = replace(corpus, tests=tests, scenarios=scenarios)
        attempts, played = asked(target, chosen, dtypes, claim, progress)
    unmatched = mark(attempts, played, failures)
    results, summaries = conclude(attempts, played)
    return Report(target.name, target.version, corpus.version, results, summaries, strict, unmatched)


def asked(
    target: Implementation,
    corpus: Corpus,
    dtypes: Sequence[str],
    claim: str | None,
    progress: Progress | None,
) -> tuple[list[Attempt], list[Played]]:
    """Return what came of every test in every dtype, by the claim given or else the target's own."""
    claims = {dtype: claim or target.claims.get(dtype) for dtype in (*dtypes, "int64")}
    integer = [signature(test.operation).integer for test in corpus.tests]
    integer += [test.integer for test in corpus.scenarios]
    total = sum(1 if one else len(dtypes) for one in integer)
    attempts: list[Attempt] = []
    played: list[Played] = []
    for dtype, own in claims.items():
        for attempt in run(target, corpus.tests, dtype, own):
            attempts.append(attempt)
            if progress is not None:
                progress(len(attempts), total, attempt.result.operation)
    for dtype, own in claims.items():
        for one in play(target, corpus.scenarios, dtype, own):
            played.append(one)
            if progress is not None:
                progress(len(attempts) + len(played), total, one.result.operation)
    return attempts, played
