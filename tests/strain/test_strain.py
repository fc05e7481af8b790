"""Every operation over its whole domain: the same bits however it is asked, or the same refusal."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import any_dtype, arrays, drawn, outcome, presented
from ends import at_the_edges
from hypothesis import given
from hypothesis import strategies as st
from surroundings import AROUND, CAN_FLUSH, clear_caches, flushing, settled
from ways import WAYS, mapped, widths

from posref.operation import signatures
from posref.testing import Call
from posref.testing.strategies import calls, invalid

FEW, MANY = 12, 150
THREADS = 8


def strained(call: Call, data: st.DataObject, folder: Path) -> None:
    """Ask the same in other ways: other memory, other widths, other settings, once more."""
    ways = {**WAYS, "mapped": mapped(folder)}
    usual = data.draw(st.booleans())
    call = call if usual else at_the_edges(call, data, 3)
    with settled():
        first = outcome(call)
        picked = {name: ways[data.draw(st.sampled_from(sorted(ways)))] for name in arrays(call)}
        given, unchanged = presented(call, picked)
        assert outcome(call, given) == first
        unchanged()
        narrow = {
            name: array.astype(data.draw(st.sampled_from(widths(array))))
            for name, array in arrays(call).items()
        }
        assert outcome(call, narrow) == first
        around = data.draw(st.sampled_from(sorted(AROUND)))
        with AROUND[around]():
            clear_caches()
            assert outcome(call) == first, around
            assert outcome(call) == first, around
    assert bool(first.refused) == bool(call.broken) or not usual, first.refused


def searched(name: str, strategy: Any, examples: int, folder: Path) -> None:
    @drawn(examples)
    @given(any_dtype(name, strategy), st.data())
    def search(call: Call, data: st.DataObject) -> None:
        strained(call, data, folder)

    search()


@pytest.mark.parametrize("strategy", [calls, invalid])
@pytest.mark.parametrize("name", signatures())
def test_the_same_however_it_is_asked(name: str, strategy: Any, tmp_path: Path) -> None:
    searched(name, strategy, FEW, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("strategy", [calls, invalid])
@pytest.mark.parametrize("name", signatures())
def test_the_same_however_it_is_asked_many_times(name: str, strategy: Any, tmp_path: Path) -> None:
    searched(name, strategy, MANY, tmp_path)


@pytest.mark.parametrize("name", [one.name for one in signatures().values() if len(one.inputs) > 1])
def test_two_inputs_in_the_same_memory(name: str) -> None:
    """The same array twice, and windows of one array that overlap: as if each had its own memory."""
    met = set()

    @drawn(2 * FEW)
    @given(any_dtype(name), st.data())
    def overlapping(call: Call, data: st.DataObject) -> None:
        kinds: dict[Any, list[str]] = {}
        for one, array in arrays(call).items():
            kinds.setdefault(array.dtype, []).append(one)
        pairs = [(a, b) for names in kinds.values() for a in names for b in names if a != b]
        if not pairs:
            return
        a, b = data.draw(st.sampled_from(pairs))
        inputs, shift = arrays(call), data.draw(st.integers(0, 2))
        room = np.concatenate((inputs[a].ravel(), inputs[b].ravel(), np.zeros(2, inputs[a].dtype)))
        views = [
            room[at : at + inputs[one].size].reshape(inputs[one].shape) for one, at in ((a, 0), (b, shift))
        ]
        before = room.tobytes()
        together = outcome(call, inputs | {a: views[0], b: views[1]})
        assert room.tobytes() == before
        assert outcome(call, inputs | {a: views[0].copy(), b: views[1].copy()}) == together
        met.add(bool(together.refused))

    overlapping()
    assert False in met or not met


@pytest.mark.parametrize("name", signatures())
def test_threads_give_the_same(name: str) -> None:
    """As many threads as this ask for several calls in another order each, with nothing kept beforehand."""

    @drawn(3)
    @given(st.lists(any_dtype(name) | any_dtype(name, invalid), min_size=4, max_size=THREADS))
    def at_once(several: list[Call]) -> None:
        alone = [outcome(call) for call in several]
        clear_caches()
        barrier = threading.Barrier(THREADS)

        def asked(thread: int) -> list[Any]:
            barrier.wait(60)
            order = [(thread + step) % len(several) for step in range(len(several))]
            found = {at: outcome(several[at]) for at in order}
            return [found[at] for at in range(len(several))]

        with ThreadPoolExecutor(THREADS) as pool:
            for found in pool.map(asked, range(THREADS)):
                assert found == alone

    at_once()


@pytest.mark.skipif(not CAN_FLUSH, reason="the register that has the processor flush is another here")
@pytest.mark.parametrize("name", [one.name for one in signatures().values() if not one.integer])
def test_a_processor_that_flushes_changes_subnormal_results_only(name: str) -> None:
    """Such a result is then zero; every other has the same bits, and refusals are the same."""

    @drawn(FEW)
    @given(any_dtype(name))
    def search(call: Call) -> None:
        plain = outcome(call)
        with flushing():
            flushed = outcome(call)
        assert flushed.refused == plain.refused
        for one, other in zip(flushed.bits, plain.bits, strict=True):
            assert one[:2] == other[:2]
            if one[2] != other[2]:
                assert one[0] in ("float64", "float32")
                before, after = (np.frombuffer(bits, one[0]) for bits in (other[2], one[2]))
                tiny = (before != 0) & (abs(before) < np.finfo(one[0]).smallest_normal)
                assert (after[tiny] == 0).all()
                assert after[~tiny].tobytes() == before[~tiny].tobytes()

    search()


@pytest.mark.skipif(not CAN_FLUSH, reason="the register that has the processor flush is another here")
def test_flushing_flushes() -> None:
    tiny = np.array([5e-324])
    with flushing():
        assert not (tiny * 1.0).any()
    assert (tiny * 1.0).any()
