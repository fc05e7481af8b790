"""How often a call asks a device for a number: to check its arguments and its result, and no more.

A GPU is waited for each time. On array-api-strict every way to a Python number is counted; a whole array
brought over by `Space.host` is one look, as it is with CuPy.
"""

import traceback
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pytest
from legal_calls import NAMES, SIZES, valid

from posref.numerics.namespace import Space
from posref.operation import Signature, find, signature

TABLE: Final = 3
"""Looks of a table from positions: are some above 2**32, have some a fraction, must some be redone?"""

OWN: Final = {
    "attention.output": 1,  # has every query a key?
    "axial_rope.cos_sin": 2 * TABLE,  # an axis after the other
    "deberta.bucket": 1,  # how far, to make the edges
    "fourier.encode": 3,  # are the quick ways exact here?
    "learned.lookup": 1,  # is there a row?
    "mrope.cos_sin": 2 * TABLE + 2,  # two axes; frequencies, and which axis has which
    "positions.from_lengths": 2,  # start, order, and end, which is the size of the result
    "rope.apply": TABLE,
    "rope.apply_qk": TABLE,
    "rope.apply_vjp": TABLE,
    "rope.cos_sin": TABLE + 1,  # the frequencies are numbers of the host
    "rope.matrix": TABLE,
    "rope.rerotate": TABLE,
    "rope.score": 2 * TABLE,
    "rope_scaling.linear": 1,
    "rope_scaling.longrope": 2,
    "sincos2d.encode": 2 * TABLE,
    "sinusoidal.encode": TABLE,
    "sinusoidal.shift_matrix": TABLE,
    "t5.bias": 2,
    "t5.bucket": 1,
    "temperature.scale": 2,  # the least position, and the steps that occur
    "timestep.encode": TABLE + 3,  # another look for each 32 bits of the fractions
    "transformer_xl.scores": 1,  # do distances differ, and does every one that occurs have a row?
    "xpos.apply": TABLE + 1,
    "xpos.scale": 1,
}
"""Looks beside one for each input and each float output."""


def limit(entry: Signature) -> int:
    """Return how many looks a call may take, whatever the sizes of its arrays."""
    rounded = sum(output.dtype not in ("int", "bool") for output in entry.outputs)
    return len(entry.inputs) + rounded + OWN.get(entry.name, 0)


@pytest.fixture
def looks(need: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Count looks by the line that looks."""
    array = type(need("array_api_strict").asarray(0))
    found: Counter[str] = Counter()
    inside = [False]

    def count() -> None:
        if not inside[0]:
            frames = (one for one in traceback.extract_stack() if "posref" in one.filename.split("/"))
            found.update([f"{last.filename}:{last.lineno}" for last in [*frames][-1:]] or ["elsewhere"])

    def watched(name: str) -> Any:
        original = getattr(array, name)

        def look(self: Any) -> Any:
            count()
            return original(self)

        return look

    def host(self: Space, values: Any) -> Any:
        count()
        before, inside[0] = inside[0], True
        try:
            return original_host(self, values)
        finally:
            inside[0] = before

    original_host = Space.host
    for name in ("__bool__", "__int__", "__float__", "__index__", "__complex__"):
        monkeypatch.setattr(array, name, watched(name))
    monkeypatch.setattr(Space, "host", host)
    yield found
    found.clear()


def call(xp: Any, entry: Signature) -> None:
    """Call an operation with arrays of a far device."""
    far = xp.Device("device1")
    inputs, params = valid(entry.name)
    arrays = {name: xp.asarray(values, device=far) for name, values in inputs.items()}
    named = params if entry.inputs else {**params, "like": xp.asarray(0.0, device=far)}
    find("reference", entry.name)(*(arrays.get(one.name) for one in entry.inputs), **named)


@pytest.mark.parametrize("name", NAMES)
def test_a_call_looks_a_few_times_whatever_its_size(
    name: str, need: Any, looks: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = signature(name)
    call(need("array_api_strict"), entry)
    assert looks.total() <= limit(entry), dict(looks)
    sizes = {"T": 42, "Q": 30, "K": 41, "H": 6, "B": 5}
    for letter, size in sizes.items():
        monkeypatch.setitem(SIZES, letter, size)
    if name in ("transformer_xl.scores", "learned.lookup", "mrope.position_ids"):
        return  # their arguments are written out, or fit each other, at one size
    looks.clear()
    call(need("array_api_strict"), entry)
    assert looks.total() <= limit(entry), dict(looks)


def test_every_way_to_a_number_is_counted(need: Any, looks: Counter[str]) -> None:
    xp = need("array_api_strict")
    one = xp.asarray(1)
    bool(one), int(one), float(xp.asarray(1.0)), [0, 1][one]
    assert looks.total() >= 4
    looks.clear()
    values = xp.asarray(np.arange(6).reshape(2, 3), device=xp.Device("device1"))
    assert Space("array_api_strict", xp).host(values) == [[0, 1, 2], [3, 4, 5]]
    assert looks.total() == 1


def test_the_exceptions_are_of_operations_that_there_are() -> None:
    assert set(OWN) <= set(NAMES)
