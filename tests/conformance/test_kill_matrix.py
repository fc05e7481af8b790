"""The kill matrix: every registered mistake is rejected, and every flag on a case is honoured.

A mistake must be rejected under the default claim in float32 and in bfloat16, and in each dtype of
every case whose flags name its class. What makes no mistake must pass the same way.
"""

from functools import cache

import pytest

from posref import operation
from posref.conformance.coverage import JUDGED, cover
from posref.corpus import load_vectors
from posref.corpus.load import Test as Vector
from posref.operation import Mistake

MISTAKES = [
    pytest.param(mistake, id=f"{name}-{mistake.name}")
    for name in operation.signatures()
    for mistake in operation.mistakes(name)
]


@cache
def vectors(name: str) -> tuple[Vector, ...]:
    return tuple(test for test in load_vectors(operations=name).tests if test.kind == "value")


def dtypes(name: str) -> tuple[str, ...]:
    return ("int64",) if operation.signature(name).integer else JUDGED


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_rejected_and_its_flag_is_honoured(mistake: Mistake) -> None:
    flagged = {test.id for test in vectors(mistake.operation) if mistake.flag in test.flags}
    assert flagged, f"no case of {mistake.operation} has the flag {mistake.flag}"
    for dtype in dtypes(mistake.operation):
        found = cover(mistake, vectors(mistake.operation), dtype)
        assert not found.errors
        assert found.killing, f"survives in {dtype}"
        missed = sorted((flagged & set(found.tried)) - set(found.killing))
        assert not missed, f"{dtype}: a flag that this mistake passes"


@pytest.mark.parametrize("name", operation.signatures())
def test_what_makes_no_mistake_is_not_rejected(name: str) -> None:
    """The reference, run as mistakes are: what rejects them is what they do."""
    right = Mistake("none", name, "none", "the specification", operation.find("reference", name))
    for dtype in dtypes(name):
        found = cover(right, vectors(name), dtype)
        assert found.tried
        assert found.killing == ()
        assert found.survives


def test_every_flag_on_a_case_is_an_edge_or_a_mistake_of_its_operation() -> None:
    for name, entry in operation.signatures().items():
        known = set(entry.edges) | {mistake.flag for mistake in operation.mistakes(name)}
        used = {flag for test in vectors(name) for flag in test.flags}
        assert used <= known, f"{name}: {sorted(used - known)}"
