"""The hard set: the cases of every scheme that lie on both sides of thresholds, or nearest to boundaries."""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from posref import operation
from posref.operation import Group


@dataclass(frozen=True)
class HardGroup(Group):
    """A group of the hard set."""


def groups(pattern: str) -> Iterator[HardGroup]:
    """Yield the groups of every operation that the glob matches, the cases wing's ``HARD``."""
    for scheme in operation.schemes():
        for group in getattr(importlib.import_module(f"posref.cases.{scheme}"), "HARD", ()):
            if fnmatchcase(group.operation, pattern):
                yield HardGroup(**vars(group))
