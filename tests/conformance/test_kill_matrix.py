"""The kill matrix: every registered mistake is rejected, and every flag on a case is honoured.

A mistake is run as an implementation under test: exact inputs in, its float64 result rounded once to
the dtype. It must be rejected under the default claim in float32 and in bfloat16, and in each dtype of
every case whose flags name its class.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

from posref import operation
from posref.adapters import Implementation
from posref.conformance.run import run
from posref.corpus import load_vectors
from posref.corpus.load import Test as Vector
from posref.numerics.rounding import decode_bits, round_bits
from posref.operation import Mistake

MISTAKES = [
    pytest.param(mistake, id=f"{name}-{mistake.name}")
    for name in operation.signatures()
    for mistake in operation.mistakes(name)
]


@cache
def vectors(name: str) -> tuple[Vector, ...]:
    return tuple(test for test in load_vectors(operations=name).tests if test.kind == "value")


def faulty(mistake: Mistake, dtype: str) -> Implementation:
    """Return the mistake as an implementation whose results have `dtype`."""

    def rounded(values: Any) -> tuple[str, Any]:
        values = np.asarray(values)
        if values.dtype != np.float64:
            return ("bool", values) if values.dtype == bool else ("int64", values)
        return dtype, decode_bits(round_bits(values, dtype), dtype)

    def call(*tensors: Any, dtype: str = "", **params: Any) -> Any:
        result = mistake.function(*tensors, **params)
        return tuple(rounded(part) for part in result) if isinstance(result, tuple) else rounded(result)

    return Implementation(
        name=mistake.name,
        operations={mistake.operation: call},
        write=lambda values, _: values.copy(),
        read=lambda pair: pair if isinstance(pair, tuple) else (str(pair.dtype), pair),
    )


def rejected(mistake: Mistake, dtype: str) -> tuple[set[str], set[str]]:
    """Return the ids of the cases that reject the mistake in `dtype`, and of those that could."""
    attempts = list(run(faulty(mistake, dtype), vectors(mistake.operation), dtype))
    errors = [entry.result for entry in attempts if entry.result.verdict == "error"]
    assert not errors, errors[0]
    tried = {entry.test.id for entry in attempts if entry.result.verdict in ("pass", "fail")}
    return {entry.test.id for entry in attempts if entry.result.verdict == "fail"}, tried


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_rejected_and_its_flag_is_honoured(mistake: Mistake) -> None:
    integer = operation.signature(mistake.operation).integer
    flagged = {test.id for test in vectors(mistake.operation) if mistake.flag in test.flags}
    assert flagged, f"no case of {mistake.operation} has the flag {mistake.flag}"
    for dtype in ("int64",) if integer else ("float32", "bfloat16"):
        killing, tried = rejected(mistake, dtype)
        assert killing, f"survives in {dtype}"
        assert flagged & tried <= killing, f"{dtype}: a flag that this mistake passes"


def test_every_flag_on_a_case_is_an_edge_or_a_mistake_of_its_operation() -> None:
    for name, entry in operation.signatures().items():
        known = set(entry.edges) | {mistake.flag for mistake in operation.mistakes(name)}
        used = {flag for test in vectors(name) for flag in test.flags}
        assert used <= known, f"{name}: {sorted(used - known)}"
