"""The unit tests put to mutants: one session of pytest, whose tests are run again for each.

A mutant of the numerics meets `tests/numerics`, one of a scheme `tests/schemes`.
"""

from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from exchanging import exchanged
from mutation import Mutant
from reference_runs import EndlessError, Lines, limited, tracing

TESTS = Path(__file__).parents[1]
FOLDERS = {"numerics": TESTS / "numerics", "reference": TESTS / "schemes"}
OF_DEFAULTS = "python_signature"
"""The test that compares defaults with the registry runs no line of what it looks at."""

APART = ("test_imports", "test_memory", "test_cuda", "test_fused")
"""What starts another Python, where no mutant is in force, measures memory, not results, or compiles."""

LIMIT_SECONDS = 20.0


@dataclass
class Units:
    """A plugin: runs every test once, noting the lines of `files`, then those that reach each mutant.

    `mutants` yields modules with mutants of them; `seen` has for each the test that fails, or None.
    """

    files: frozenset[str]
    mutants: Iterable[tuple[Any, Mutant]]
    seen: list[str | None] = field(default_factory=list)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        own = {FOLDERS[Path(file).parent.name] for file in self.files}
        items = [item for item in session.items if not any(name in item.nodeid for name in APART)]
        asked = [item for item in items if OF_DEFAULTS in item.nodeid or own.intersection(item.path.parents)]
        runs = [(item, *self.first(item)) for item in asked]
        for module, mutant in self.mutants:
            with exchanged(module, mutant):
                self.seen.append(next(self.failing(mutant, str(module.__file__), runs), None))
        return True

    def first(self, item: pytest.Item) -> tuple[float, Lines]:
        with tracing(self.files) as ran:
            reports = runtestprotocol(item, log=False)
        assert not any(report.failed for report in reports), item.nodeid
        return sum(report.duration for report in reports), ran

    def failing(
        self, mutant: Mutant, file: str, runs: list[tuple[pytest.Item, float, Lines]]
    ) -> Iterator[str]:
        """Yield the tests that fail, the quick ones first."""
        own = FOLDERS[Path(file).parent.name]
        for item, _, ran in sorted(runs, key=lambda run: run[1]):
            reaches = own in item.path.parents and ran[file].intersection(mutant.lines)
            named = mutant.kind == "default" and OF_DEFAULTS in item.nodeid
            if (named or reaches) and fails(item):
                yield item.nodeid.rpartition("/")[2]


def fails(item: pytest.Item) -> bool:
    try:
        with limited(LIMIT_SECONDS):
            return any(report.failed for report in runtestprotocol(item, log=False))
    except EndlessError:
        return True


def unit_tests(files: frozenset[str], mutants: Iterable[tuple[Any, Mutant]]) -> list[str | None]:
    """Return for each mutant the name of a unit test that fails on it, or None."""
    units = Units(files, mutants)
    options = ["-q", "-p", "no:cacheprovider", f"--rootdir={TESTS.parent}"]
    with redirect_stdout(StringIO()) as printed:
        code = pytest.main([*map(str, FOLDERS.values()), *options], plugins=[units])
    assert code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED), printed.getvalue()
    return units.seen
