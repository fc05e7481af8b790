"""Whatever is read, damaged: it is refused with the file named, or it says what it said before."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kinds import KINDS, Kind

from posref.errors import FormatError, SpecError

FEW, MANY = 300, 10_000
SECONDS = 5.0
"""Of processor time that reading a small damaged file may take."""


def tried(kind: Kind, good: bytes, data: bytes) -> str:
    """Return what became of a damaged file: accepted, or refused in a fit way."""
    begun = time.process_time()
    refusal: FormatError | SpecError | None = None
    with TemporaryDirectory() as folder:
        try:
            kind.check(Path(folder), good, data)
        except (FormatError, SpecError) as failure:
            refusal = failure
    assert time.process_time() - begun < SECONDS
    if isinstance(refusal, FormatError):
        assert refusal.file
        assert len(str(refusal)) < 2000
        assert str(refusal).isprintable()
    return "refused" if refusal else "accepted"


@pytest.mark.parametrize("name", KINDS)
def test_the_good_ones_are_accepted(name: str) -> None:
    for good in KINDS[name].good():
        assert tried(KINDS[name], good, good) == "accepted"


def fuzzed(name: str, examples: int) -> None:
    kind = KINDS[name]
    if name.startswith("vectors-"):  # several examples of one kind
        examples = -(-examples // sum(one.startswith("vectors-") for one in KINDS))

    @settings(
        max_examples=examples,
        database=None,
        derandomize=examples <= FEW,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def run(data: st.DataObject) -> None:
        good = data.draw(st.sampled_from(kind.good()))
        tried(kind, good, data.draw(kind.damaged(good)))

    run()


@pytest.mark.parametrize("name", KINDS)
def test_a_few_damaged_ones(name: str) -> None:
    fuzzed(name, FEW)


@pytest.mark.full
@pytest.mark.parametrize("name", KINDS)
def test_many_damaged_ones(name: str) -> None:
    fuzzed(name, MANY)
