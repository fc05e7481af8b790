"""One call of the reference under strain, and what it gave, bit by bit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from ways import Way, contiguous

from posref.corpus.clauses import clauses
from posref.errors import KINDS, SpecError
from posref.operation import DTYPES, find, signature
from posref.testing import Call
from posref.testing.strategies import calls

SMALL = 50
"""Examples below which a search is the same each time; a long one looks elsewhere each time."""

Bits = tuple[tuple[str, tuple[int, ...], bytes], ...]


def drawn(examples: int) -> settings:
    """Return the settings of a search."""
    return settings(
        max_examples=examples,
        database=None,
        derandomize=examples < SMALL,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


def any_dtype(name: str, strategy: Any = calls) -> Any:
    """Return calls of an operation in every dtype."""
    dtypes = ("float64",) if signature(name).integer else DTYPES
    return st.sampled_from(dtypes).flatmap(lambda dtype: strategy(name, dtype))


@dataclass(frozen=True)
class Outcome:
    """What a call gave: the bits of each output, or how it was refused."""

    bits: Bits = ()
    refused: str = ""


def arrays(call: Call) -> dict[str, Any]:
    """Return the inputs of a call as NumPy arrays, new ones."""
    return {name: array for name, array in call.inputs.items() if array is not None}


def answer(call: Call, given: Mapping[str, Any]) -> Any:
    """Return what the reference gives or raises."""
    params = dict(call.params) | ({"dtype": call.dtype} if call.signature.generator else {})
    function = find("reference", call.operation)
    try:
        return function(*(given.get(one.name) for one in call.signature.inputs), **params)
    except Exception as raised:
        return raised


def outcome(call: Call, given: Mapping[str, Any] | None = None) -> Outcome:
    """Call the reference and look at all that the answer is, beside right."""
    given = arrays(call) if given is None else given
    found = answer(call, given)
    if isinstance(found, (SpecError, TypeError)):
        return Outcome(refused=refused(call, found))
    if isinstance(found, Exception):
        raise found
    parts = found if isinstance(found, tuple) else (found,)
    for one, part in zip(call.signature.outputs, parts, strict=True):
        wanted = {"float": call.dtype, "int": "int64", "bool": "bool"}[one.dtype]
        assert type(part) is np.ndarray
        assert part.dtype.name == wanted
        assert part.dtype.isnative
        assert part.flags.writeable
        assert not any(np.may_share_memory(part, array) for array in given.values())
        assert not any(np.shares_memory(part, other) for other in parts if other is not part)
    return Outcome(tuple((one.dtype.name, one.shape, one.tobytes()) for one in parts))


def refused(call: Call, refusal: Exception) -> str:
    """Return a refusal in words; it names a clause, a class and an argument of the call."""
    names = {one.name for one in (*call.signature.inputs, *call.signature.parameters)} | {"dtype"}
    said = str(refusal)
    assert said.isprintable()
    if isinstance(refusal, SpecError):
        assert refusal.clause in clauses()
        assert refusal.kind in KINDS
        assert refusal.parameter.split(".")[0].split("[")[0] in names
        return f"{refusal.kind} of {refusal.parameter}: {refusal.clause}"
    assert any(name in said for name in names), said
    return "TypeError"


def presented(call: Call, ways: Mapping[str, Way]) -> tuple[dict[str, Any], Callable[[], None]]:
    """Return the inputs in given ways, and a check that their memory is as it was."""
    found = {name: ways.get(name, contiguous)(array) for name, array in arrays(call).items()}
    before = {name: (view.tobytes(), room.tobytes()) for name, (view, room) in found.items()}
    layout = {name: (view.shape, view.strides, view.dtype) for name, (view, _) in found.items()}

    def check() -> None:
        for name, (view, room) in found.items():
            assert (view.tobytes(), room.tobytes()) == before[name], f"{name} was changed"
            assert (view.shape, view.strides, view.dtype) == layout[name], f"{name} was changed"

    return {name: view for name, (view, _) in found.items()}, check
