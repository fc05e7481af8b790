"""No change to the reference goes unseen: the vectors are put to every mutant of its source.

A mutant is seen where a vector's verdict, refusal or strongest claim is no longer that of the reference.
What the vectors cannot see stands in ``reference_equivalents.json``, a reason a line of source.
"""

import importlib
import inspect
import json
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from mutation import Mutant, mutants
from reference_runs import Lines, Outcome, outcome, traced, vectors, verdict

from posref import operation
from posref.corpus.load import Test as Vector

PRIVATE = {
    "_config": "rope_scaling",
    "_mrope_ids": "mrope",
    "_resolve": "rope_scaling",
    "_rope_back": "rope",
    "_rope_moves": "rope",
    "_rope_scaling": "rope",
    "_rope_tables": "rope",
    "_scaled_ladders": "rope_scaling",
    "_scaling_bands": "rope_scaling",
    "_scaling_bases": "rope_scaling",
    "_scaling_common": "rope_scaling",
    "_settings": "rope_scaling",
}
"""Parts of a scheme's reference that stand in modules of their own."""

NUMERICS = ("buckets", "circle", "decay", "rotation", "rows", "stretched", "turns")
"""Arithmetic of single operations beside the reference."""

MODULES = tuple(f"reference.{name}" for name in (*PRIVATE, *operation.schemes())) + tuple(
    f"numerics.{name}" for name in NUMERICS
)
EQUIVALENT: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("reference_equivalents.json").read_text("ascii")
)
"""Module, then ``function: line``: how many of its mutants no vector sees, and why."""

SAMPLE = 3
"""Mutants of a module that a regular run tries."""


def source(name: str) -> ModuleType:
    return importlib.import_module(f"posref.{name}")


def changes(name: str) -> Any:
    return mutants(inspect.getsource(source(name)), thorough=True)


def line(mutant: Mutant, name: str) -> str:
    """Return the function of a mutant and its line as it was."""
    text = inspect.getsource(source(name)).splitlines()[mutant.line - 1].strip()
    return f"{mutant.function}: {text}"


@cache
def runs() -> list[tuple[Vector, Outcome, Lines]]:
    """Return every vector with what the reference makes of it and the lines that run for it."""
    files = frozenset(str(source(name).__file__) for name in MODULES)
    return [(test, *traced(test, files)) for test in vectors()]


@cache
def plain(scheme: str) -> list[tuple[Vector, Outcome]]:
    """Return the vectors of a scheme with what the reference makes of them."""
    return [(test, outcome(test)) for test in vectors() if test.operation.startswith(f"{scheme}.")]


@pytest.mark.full
@pytest.mark.parametrize("name", MODULES)
def test_every_mutant_of_the_reference_is_seen(name: str) -> None:
    file = str(source(name).__file__)
    words: Counter[str] = Counter()
    unseen: Counter[str] = Counter()
    for mutant in changes(name):
        tests = [(test, before) for test, before, ran in runs() if ran[file].intersection(mutant.lines)]
        word = verdict(source(name), mutant, tests)
        words[word] += 1
        if word == "same":
            unseen[line(mutant, name)] += 1
    print(name, dict(words))
    assert dict(unseen) == {key: entry["mutants"] for key, entry in EQUIVALENT.get(name, {}).items()}


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("reference.")])
def test_some_mutants_of_the_reference_are_seen(name: str) -> None:
    """Try the few that the hash of their change picks, on the vectors of the scheme alone."""
    part = name.partition(".")[2]
    exempt = EQUIVALENT.get(name, {})
    draws = [mutant.draw for mutant in changes(name) if line(mutant, name) not in exempt]
    chosen = sorted(draws)[:SAMPLE]
    for mutant in changes(name):
        if mutant.draw in chosen:
            tests = plain(PRIVATE.get(part, part))
            assert verdict(source(name), mutant, tests) != "same", f"{mutant.function}: {mutant.change}"


def test_every_exemption_has_a_reason_and_a_line() -> None:
    for name, entries in EQUIVALENT.items():
        standing = {line(mutant, name) for mutant in changes(name)}
        assert set(entries) <= standing, set(entries) - standing
        assert all(entry["mutants"] > 0 and entry["reason"] for entry in entries.values())
