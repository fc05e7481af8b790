"""Fixtures of the judge's tests."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from in_memory import LADDER, value_test
from processes import gone

from posref.conformance import suite
from posref.corpus.chosen import chosen
from posref.corpus.load import Corpus, Test


@pytest.fixture
def ladder_test() -> Test:
    """The frequencies 1 and 0.01: the second is in no binary format."""
    return value_test("rope.inv_freq", LADDER, {}, {"inv_freq": ([1, Fraction(1, 100)], (2,))}, bound=1e-3)


@pytest.fixture
def corpus_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put tests in the place of the corpus that posref ships."""

    def install(*tests: Test) -> None:
        def load(_: object, patterns: Sequence[str]) -> Corpus:
            asked = tuple(test for test in tests if chosen(test.operation, patterns))
            return Corpus(Path("made"), "1.2.3", 1, (), asked)

        monkeypatch.setattr(suite, "load_vectors", load)

    return install


@pytest.fixture
def mark() -> Iterator[str]:
    """A word for the command line of a program, of which no process may be left at the end."""
    if not Path("/proc/self/cmdline").exists():
        pytest.skip("this system does not list its processes under /proc")
    word = uuid.uuid4().hex
    yield word
    assert gone(word)
