"""No change to the reference goes unseen: the vectors, and then the unit tests, are put to its mutants.

A mutant is seen by a vector whose verdict, refusal or strongest claim is no longer that of the reference.
What changes no result stands in ``reference_equivalents.json``, a reason a line of source.
"""

from functools import cache

import pytest
from exchanging import exchanged
from mutation_scores import (
    EQUIVALENT,
    MODULES,
    PRIVATE,
    UNIT_TESTS,
    Record,
    by_unit_tests,
    by_vectors,
    changes,
    line,
    lines_of,
    source,
    table,
    unseen,
)
from reference_runs import Outcome, judged, outcome, vectors

from posref import operation
from posref.corpus.load import Test as Vector

SAMPLE = 3
"""Mutants of a module that a regular run tries."""


@cache
def plain(scheme: str) -> list[tuple[Vector, str, Outcome]]:
    """Return the vectors of a scheme, in float64 and in float32, with what the reference makes of them."""
    tests = [test for test in vectors() if test.operation.startswith(f"{scheme}.")]
    return [(test, dtype, outcome(test, dtype)) for dtype in ("float64", "float32") for test in tests]


@pytest.mark.full
def test_every_mutant_of_the_reference_is_seen() -> None:
    """Print the scores by module and by operation too: ``-s`` shows them."""
    records = [record for name in MODULES for record in by_vectors(name)]
    by_unit_tests(records)
    print(table(records))
    for name, lines in lines_of(records, "unit").items():
        assert name.startswith("numerics.") or set(lines) <= set(UNIT_TESTS[name]), name
    assert unseen(records) == {
        name: {key: entry["mutants"] for key, entry in entries.items()}
        for name, entries in EQUIVALENT.items()
    }


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("reference.")])
def test_some_mutants_of_the_reference_are_seen(name: str) -> None:
    """Try the few that the hash of their change picks, on the vectors of the scheme alone.

    Only changes of code are drawn, and none on a line where something is for the unit tests to see.
    """
    part = name.partition(".")[2]
    tests = plain(PRIVATE.get(part, part))
    exempt = {*EQUIVALENT.get(name, {}), *UNIT_TESTS.get(name, ())}
    draws = [one.draw for one in changes(name) if one.kind == "code" and line(one, name) not in exempt]
    chosen = sorted(draws)[:SAMPLE]
    for mutant in changes(name):
        if mutant.draw in chosen:
            with exchanged(source(name), mutant):
                seen = any(judged(test, before, dtype) != "same" for test, dtype, before in tests)
            assert seen, f"{mutant.function}: {mutant.change}"


def test_every_operation_has_mutants_of_its_own() -> None:
    """The table by operation has no empty line: the function of each is changed."""
    schemes: dict[str, set[str]] = {name: set() for name in operation.schemes()}
    for name in MODULES:
        part = name.partition(".")[2]
        if name.startswith("reference."):
            schemes[PRIVATE.get(part, part)] |= {mutant.function for mutant in changes(name)}
    for name in operation.signatures():
        scheme, _, function = name.partition(".")
        assert function in schemes[scheme]


def test_every_exemption_has_a_reason_and_a_line() -> None:
    for name, entries in EQUIVALENT.items():
        standing = {line(mutant, name) for mutant in changes(name)}
        assert set(entries) <= standing, set(entries) - standing
        assert all(entry["mutants"] > 0 and entry["reason"] for entry in entries.values())
    for name, lines in UNIT_TESTS.items():
        assert set(lines) <= {line(mutant, name) for mutant in changes(name)}


def test_the_scores_count_what_the_records_say() -> None:
    """Of four mutants of two operations one is rejected, one is seen by a unit test, two by nothing."""
    made = [
        Record("numerics.wide", "f: a", "a -> b", "code", ["alibi.bias", "t5.bias"], ["t5.bias"], "rejected"),
        Record("numerics.wide", "f: a", "a -> c", "code", ["t5.bias"], word="unit"),
        Record("numerics.wide", "f: a", "a -> d", "code", ["t5.bias"]),
        Record("numerics.wide", "f: a", "a -> e", "code", ["t5.bias"]),
    ]
    rows = table(made).splitlines()
    assert "| numerics.wide | 4 | 2 | 1 | 1 | 1 | 0 | 2 | 50.0 % |" in rows
    assert "| alibi.bias | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 100.0 % |" in rows
    assert "| t5.bias | 4 | 2 | 1 | 1 | 1 | 1 | 0 | 2 | 50.0 % |" in rows
    assert unseen(made) == {"numerics.wide": {"f: a": 2}}
