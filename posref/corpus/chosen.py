"""Globs of operations and of scenarios, as every command takes them: one, or several."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from posref import operation
from posref.corpus.read_scenario import ScenarioTest


def globs(operations: str | Sequence[str]) -> tuple[str, ...]:
    """Return globs as a tuple; a ValueError for one that matches no operation and no scenario."""
    patterns = (operations,) if isinstance(operations, str) else tuple(operations)
    for pattern in patterns:
        if not matches(pattern):
            raise ValueError(f"no operation matches {pattern!r}; posref list shows them all")
    return patterns


def matches(pattern: str) -> bool:
    """Return whether a glob matches any operation, or the name of any file of scenarios."""
    return any(fnmatchcase(name, pattern) for name in operation.signatures()) or any(
        fnmatchcase(group.scenario, pattern) for group in operation.scenarios()
    )


def names(pattern: str) -> list[str]:
    """Return the operations that a glob matches; a ValueError where there is none."""
    found = [name for name in operation.signatures() if fnmatchcase(name, pattern)]
    if not found:
        raise ValueError(f"no operation matches {pattern!r}; posref list shows them all")
    return found


def chosen(name: str, patterns: Iterable[str]) -> bool:
    """Return whether any glob matches the name of an operation."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def wanted(test: ScenarioTest, patterns: Sequence[str]) -> bool:
    """Return whether a glob matches the name of a scenario, or globs match all of its operations."""
    return chosen(test.name, patterns) or all(chosen(name, patterns) for name in test.operations)
