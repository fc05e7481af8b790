"""Every operation on drawn inputs against its golden definition, and against itself cut into pieces."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from calling import any_dtype, drawn, outcome
from ends import at_the_edges
from hypothesis import given
from hypothesis import strategies as st
from in_memory import made

from posref import adapters
from posref.conformance.run import run
from posref.corpus.certified import arrays as exact_arrays
from posref.corpus.certified import bounds, engine_class, with_bounds
from posref.corpus.certify import Rounded, certify
from posref.corpus.parameters import complete
from posref.operation import Signature, Tensor, signature, signatures
from posref.testing import Call

FEW, MANY = 12, 60
NAMES = tuple(signatures())


def tensors(call: Call) -> dict[str, Tensor]:
    return {
        name: Tensor(tensor[1], tensor[0].shape, tuple(tensor[0].reshape(-1).tolist()))
        for name, tensor in call.tensors.items()
        if tensor is not None
    }


def promised(entry: Signature, dtype: str) -> str | None:
    """Return the claim that the reference makes."""
    if entry.integer:
        return None
    if not entry.generator:
        return "f64-angle"
    return "ulp:1" if dtype == "float64" else "faithful"


def golden(call: Call) -> dict[str, dict[str, Rounded]]:
    """Return what the golden definition gives, in float64 and in the dtype of the call."""
    entry = call.signature
    dtypes = () if entry.integer else tuple(dict.fromkeys(("float64", call.dtype)))
    params = complete(entry, call.params)
    return certify(engine_class("mpmath"), entry.name, tensors(call), params, dtypes)


def right(call: Call) -> str:
    """Judge a call by the golden definition; return the verdict."""
    entry, inputs = call.signature, tensors(call)
    params, exact = complete(entry, call.params), golden(call)
    stored = with_bounds(exact, bounds(entry, params, exact_arrays(inputs), exact))
    dtype = "int64" if entry.integer else call.dtype
    test = made(entry.name, "value", params, inputs, stored)
    (attempt,) = run(adapters.load("reference"), [test], dtype, promised(entry, dtype), ranked=False)
    assert attempt.result.verdict in ("pass", "uninformative"), attempt.result
    return attempt.result.verdict


def of_nothing(call: Call) -> bool:
    """Return whether results are sums over no keys: golden tensors are nested lists, which end there."""
    return call.operation == "shaw.output" and not call.tensors["index"][0].size


def searched(name: str, examples: int) -> None:
    verdicts = []

    @drawn(examples)
    @given(any_dtype(name))
    def search(call: Call) -> None:
        if of_nothing(call):
            assert not any(outcome(call).bits[0][2])  # the sum over no keys is 0, and no computed zero is -0
        else:
            verdicts.append(right(call))

    search()
    assert verdicts.count("pass") > len(verdicts) // 2


@pytest.mark.parametrize("name", NAMES)
def test_the_golden_definition_gives_the_same(name: str) -> None:
    searched(name, FEW)


NUMBERED = [name for name in NAMES if any(one.role in ("main", "table") for one in signature(name).inputs)]


def extremes(name: str, examples: int, most: int) -> None:
    @drawn(examples)
    @given(any_dtype(name), st.data())
    def search(call: Call, data: st.DataObject) -> None:
        extreme = at_the_edges(call, data, most)
        refused = outcome(extreme).refused
        if refused:
            assert refused.startswith("OUT_OF_RANGE"), refused
            assert any(extreme.dtype not in found for found in golden(extreme).values())
        elif not of_nothing(extreme):
            right(extreme)

    search()


@pytest.mark.parametrize("name", NUMBERED)
def test_numbers_near_zero(name: str) -> None:
    extremes(name, FEW, 2)


@pytest.mark.parametrize("name", [name for name in NUMBERED if name != "attention.output"])
def test_numbers_that_may_overflow(name: str) -> None:
    """The golden definition says the same; that of a softmax has not the time for such a bias."""
    extremes(name, FEW, 3)


@pytest.mark.full
@pytest.mark.parametrize("most", [2, 3])
@pytest.mark.parametrize("name", NUMBERED)
def test_numbers_from_both_ends_many_times(name: str, most: int) -> None:
    extremes(name, MANY, most if name != "attention.output" else 2)


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_the_golden_definition_gives_the_same_many_times(name: str) -> None:
    searched(name, MANY)


def leading(entry: Signature, name: str, shape: tuple[int, ...]) -> int | None:
    """Return how many leading axes an input has, None where its signature has none."""
    axes = next(one.shape for one in entry.inputs if one.name == name).split()
    return len(shape) - len(axes) + 1 if axes[:1] == ["..."] else None


def cut(call: Call, rank: int, at: int) -> Call:
    """Return the call of one entry of the first of `rank` leading axes."""
    found: dict[str, Any] = {}
    for name, tensor in call.tensors.items():
        found[name] = tensor
        if tensor is not None and leading(call.signature, name, tensor[0].shape) == rank:
            found[name] = tensor[0][at if tensor[0].shape[0] > 1 else 0], tensor[1]
    return replace(call, tensors=found)


OTHERWISE = ("rope.rerotate", "rope.rotate_vjp")
"""Operations in which a leading axis is no batch: an input has tokens there, or sums go over it."""

SPLIT = [
    name
    for name in NAMES
    if name not in OTHERWISE
    and signature(name).inputs
    and all(one.shape.startswith("...") for one in signature(name).outputs)
]


@pytest.mark.parametrize("name", SPLIT)
def test_a_batch_has_the_bits_of_its_entries(name: str) -> None:
    met = 0

    @drawn(3 * FEW)
    @given(any_dtype(name))
    def search(call: Call) -> None:
        nonlocal met
        shapes: Mapping[str, tuple[int, ...]] = {
            one: tensor[0].shape for one, tensor in call.tensors.items() if tensor is not None
        }
        counts = {one: leading(call.signature, one, shape) or 0 for one, shape in shapes.items()}
        lead = np.broadcast_shapes(*(shape[: counts[one]] for one, shape in shapes.items()))
        whole = outcome(call)
        for at in range(lead[0] if lead else 0):
            met += 1
            for one, full in zip(outcome(cut(call, len(lead), at)).bits, whole.bits, strict=True):
                size = len(full[2]) // lead[0]
                assert full[1] == (lead[0], *one[1])
                assert full[2][at * size : (at + 1) * size] == one[2]

    search()
    assert met
