"""How an honest implementation fares on every case of the corpus under the default claims."""

from collections import defaultdict

import numpy as np

from posref.conformance.run import run
from posref.corpus import load_vectors


def figures(implementation, dtypes):
    """Return ids of the cases that were not accepted, and {(dtype, operation): max(error / bound)}."""
    refused: list[tuple[str, str, str]] = []
    most: dict[tuple[str, str], float] = defaultdict(float)
    executed: dict[tuple[str, str], int] = defaultdict(int)
    tests = [
        test
        for test in load_vectors().tests
        if test.kind == "value" and test.operation in implementation.operations
    ]
    for dtype in dtypes:
        for attempt in run(implementation, tests, dtype, ranked=False):
            result = attempt.result
            if result.verdict in ("fail", "error"):
                refused.append((dtype, result.case_id, result.reason))
            if attempt.evidence is not None and result.verdict != "fail":
                key = dtype, result.operation
                most[key] = max(most[key], ratio(attempt.evidence, result.claim))
                executed[key] += 1
    return refused, dict(most), dict(executed)


def ratio(evidence, claim):
    """Return the largest error over its bound, where there is one and it says something."""
    largest = 0.0
    for name, want in evidence.want.items():
        allowed, silent = evidence.allowed(claim)[name]
        told = ~silent & (allowed > 0) & np.isfinite(want.data)
        error = np.abs(np.where(told, evidence.got[name], 0) - np.where(told, want.data, 0))
        largest = max(
            largest, float(np.divide(error, allowed, where=told, out=np.zeros(told.shape)).max(initial=0))
        )
    return largest


def check(implementation, capsys, least, known=(), dtypes=None):
    """Print the figures; nothing is refused but the `known`, and at least so many operations ran."""
    refused, most, executed = figures(implementation, dtypes or implementation.dtypes)
    with capsys.disabled():
        for (dtype, operation), value in sorted(most.items()):
            cases = executed[dtype, operation]
            print(
                f"\n{implementation.name} {dtype} {operation}: {cases} cases, max(error/bound) {value:.3f}",
                end="",
            )
    assert {(dtype, case) for dtype, case, _ in refused} == set(known), refused
    assert len({operation for _, operation in most}) >= least
    assert max(most.values()) <= 1
