"""No change to a golden definition goes unseen: each mutant makes some vector come out different."""

import inspect
import signal
import types
from functools import cache
from typing import Any

import pytest
from mutation import mutants

from posref import operation
from posref.corpus import certify as certification
from posref.corpus import load_vectors
from posref.corpus.engine_mpmath import MpmathReal
from posref.corpus.load import Test as Vector

EQUIVALENT = {
    "alibi.slopes: exponents += [-bias_max * real.exact(2 * j + 1, 2 * n) for j in range(num_heads - n)]"
    ": num_heads - n -> num_heads + n": "the slice of the heads cuts off what is too many",
    "attention.output: biases = _against(len(queries), len(keys), bias, absent=0): 0 -> 1": "a constant bias",
    "attention.output: biases = _against(len(queries), len(keys), bias, absent=0): 0 -> -1": "likewise",
    "attention.output: masks = _against(len(queries), len(keys), mask, absent=1): 1 -> 2": "as true as 1",
    "attention._weighted_means: top = max(z): max -> min": "a mean may be counted from any value",
    "attention._weighted_means: start = sums[top] / real.exact(len(groups[top]))"
    ": sums[top] / real.exact(len(groups[top])) -> sums[top] * real.exact(len(groups[top]))": "likewise",
    "attention._weighted_means: weights = {exponent: real.exp(exponent - top) for exponent in groups}"
    ": exponent - top -> exponent + top": "all weights grow by one factor",
    "attention._weighted_means: return [mean(e) for e in range(len(v[0]))]: 0 -> -1": "rows are equally long",
    "positions._solve: middle = (low + high + 1) // 2: 1 -> 2": "the halves differ, the solution does not",
    "rope._last: while isinstance(tensor[0], list):: 0 -> -1": "any row tells the width",
    "rope._last: tensor = tensor[0]: 0 -> -1": "any row tells the width",
    "rope.rotate_vjp: return grad_x, *(fold(table, cos, 2) for table in tables)"
    ": 2 -> 1": "tables have as many rows as there are tokens",
    "rope_scaling._above: return next(n for n in count() if n > bound)"
    ": n > bound -> n >= bound": "no bound is an integer",
    "rope_scaling._exponents: return 0, 1: 1 -> 2": "numerator and denominator are both doubled",
}
"""Mutants that compute the same real numbers, each with the reason."""


LIMIT_SECONDS = 5
"""A mutant may never end; one case takes milliseconds."""


@cache
def vectors(names: tuple[str, ...], first: str) -> list[Vector]:
    """Return the value tests of some operations: those of `first`, then by size."""
    tests = [t for name in names for t in load_vectors(operations=name).tests if t.kind == "value"]
    return sorted(tests, key=lambda t: (t.operation != first, sum(len(x.data) for x in t.inputs.values())))


def expire(*_: Any) -> None:
    raise TimeoutError


def differs(test: Vector) -> bool:
    """Say whether a vector comes out different from what is stored."""
    dtypes = [dtype for dtype in next(iter(test.expected.values())) if dtype not in ("int64", "bool")][:1]
    signal.setitimer(signal.ITIMER_REAL, LIMIT_SECONDS)
    try:
        found = certification.certify(MpmathReal, test.operation, test.inputs, test.params, dtypes)
    except Exception:  # a mutant may fail in any way, and failing is being seen
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return any(
        (tensor, residual) != (test.expected[output][dtype].tensor, test.expected[output][dtype].residual)
        for output, by_dtype in found.items()
        for dtype, (tensor, residual) in by_dtype.items()
    )


@pytest.mark.full
@pytest.mark.parametrize("scheme", operation.schemes())
def test_every_golden_mutant_is_seen(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = __import__(f"posref.golden.{scheme}", fromlist=["_"])
    names = tuple(name for name in operation.signatures() if name.startswith(f"{scheme}."))
    original = operation.find
    monkeypatch.setattr(certification, "LAST_PRECISION", 256)
    signal.signal(signal.SIGALRM, expire)
    survivors = []
    total = 0
    for one in mutants(inspect.getsource(module)):
        mutant = types.ModuleType(module.__name__)
        exec(compile(one.tree, "mutant", "exec"), vars(mutant))

        def find(wing: str, name: str, mutant: types.ModuleType = mutant) -> Any:
            return getattr(mutant, name.partition(".")[2]) if wing == "golden" else original(wing, name)

        monkeypatch.setattr(operation, "find", find)
        total += 1
        label = f"{scheme}.{one.function}: {one.change}"
        seen = any(differs(test) for test in vectors(names, f"{scheme}.{one.function}"))
        if seen == (label in EQUIVALENT):
            survivors.append(label)
    assert total > 5
    assert not survivors, "\n".join(survivors)
