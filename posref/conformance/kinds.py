"""Which elements are wrong, in words.

A short, closed list of properties: where an element stands, and at which position. One is reported only
where it tells wrong from right without exception.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.conformance.compare import Evidence
from posref.conformance.ground import POSITIONS, named_axes
from posref.operation import signature

Array = NDArray[Any]
Axes = tuple[int, ...]

SHOWN: Final = 2
"""How many properties are told."""


@dataclass(frozen=True, eq=False)
class Judged:
    """One output of one call: where it is wrong, and where it was found right."""

    evidence: Evidence
    output: str
    wrong: Array
    right: Array


def judged(evidence: Evidence, claim: str) -> Iterator[Judged]:
    """Yield the outputs of a call; an element whose bound says nothing is neither wrong nor right."""
    for name in evidence.want:
        kept = evidence.kept(name, claim)
        yield Judged(evidence, name, ~kept, kept & ~evidence.silent(name, claim))


Property = tuple[str, Axes, Array]
"""What is said, the axes of the output that it is a property of, and where along them it holds."""


def properties(evidence: Evidence, output: str) -> Iterator[Property]:
    """Yield the properties of the elements of one output.

    An array runs along the given axes, in their order; along the other axes an element that is wrong
    makes the whole line wrong.
    """
    shape = evidence.want[output].data.shape
    names = axes(evidence.operation, output, len(shape))
    for axis, (name, length) in enumerate(zip(names, shape, strict=True)):
        for said, where in _index(name, np.arange(length), length, evidence.params):
            yield said, (axis,), where
    yield from _places(evidence, names)


def axes(operation: str, output: str, rank: int) -> tuple[str, ...]:
    """Return the names of the axes of an output; the leading ones are called after what they are."""
    [entry] = [one for one in signature(operation).outputs if one.name == output]
    return named_axes(entry.shape, rank)


def _index(name: str, index: Array, length: int, params: Mapping[str, Any]) -> Iterator[tuple[str, Array]]:
    yield f"indices from 1 on along {name}", index > 0
    yield f"index 0 along {name}", index == 0
    yield f"the last index along {name}", index == length - 1
    yield f"odd indices along {name}", index % 2 == 1
    yield f"even indices along {name}", index % 2 == 0
    yield f"the second half along {name}", 2 * index >= length
    yield f"the first half along {name}", 2 * index < length
    width, start = params.get("rotary_dim"), params.get("rotary_start", 0)
    if name == "D" and isinstance(width, int) and isinstance(start, int):
        part = index - start
        inside = (part >= 0) & (part < width)
        yield "coordinates that are rotated", inside
        yield "coordinates that pass through", ~inside
        yield "the first half of the rotated coordinates", inside & (2 * part < width)
        yield "the second half of the rotated coordinates", inside & (2 * part >= width)


def _places(evidence: Evidence, names: tuple[str, ...]) -> Iterator[Property]:
    """Yield the properties of positions, each along the axes of the output that it belongs to."""
    found: dict[str, tuple[Axes, Array]] = {}
    for entry in signature(evidence.operation).inputs:
        if entry.role != "positions" or entry.name not in evidence.inputs:
            continue
        values = np.asarray(evidence.inputs[entry.name], np.float64)
        own = aligned(entry.shape, values, names)
        if own is not None:
            found[entry.name] = own
            for said, test in POSITIONS.items():
                yield f"{entry.name} {said}", own[0], test(own[1])
    if {"q_positions", "k_positions"} <= found.keys():
        yield from _distances(*found["q_positions"], *found["k_positions"])


def aligned(shape: str, values: Array, names: tuple[str, ...]) -> tuple[Axes, Array] | None:
    """Return the axes of the output that an input has, and its values along them."""
    own = named_axes(shape, values.ndim)
    kept = [axis for axis, name in enumerate(own) if values.shape[axis] != 1 or name in names]
    if any(own[axis] not in names for axis in kept):
        return None
    places = tuple(names.index(own[axis]) for axis in kept)
    if list(places) != sorted(set(places)):
        return None
    return places, values.reshape([values.shape[axis] for axis in kept])


def _distances(q_axes: Axes, q: Array, k_axes: Axes, k: Array) -> Iterator[Property]:
    places = tuple(sorted({*q_axes, *k_axes}))
    distance = spread(k, k_axes, places) - spread(q, q_axes, places)
    yield "keys after the query", places, distance > 0
    yield "keys before the query", places, distance < 0
    yield "the query's own position", places, distance == 0
    yield "keys at other positions than the query", places, distance != 0
    for size in (127, 255):
        yield f"keys more than {size} away", places, np.abs(distance) > size


def spread(values: Array, own: Axes, places: Axes) -> Array:
    """Return values along the axes `own` as they are broadcast along the axes `places`."""
    shape = [values.shape[own.index(axis)] if axis in own else 1 for axis in places]
    return values.reshape(shape)


def telling(cases: Iterable[Judged]) -> list[str]:
    """Return the properties that every wrong line of elements has, and no right one.

    Parameters
    ----------
    cases : iterable of Judged
        Outputs of calls of one operation.

    Returns
    -------
    list of str
        Empty where nothing is wrong, nothing right, or no property tells them apart.
    """
    broken: set[str] = set()
    wrong_calls: Counter[str] = Counter()
    right_calls: Counter[str] = Counter()
    failing = 0
    for case in cases:
        failing += bool(case.wrong.any())
        for said, places, where in properties(case.evidence, case.output):
            wrong, right = _lines(case, places)
            wrong_calls[said] += bool(wrong.any())
            right_calls[said] += bool(right.any())
            if bool((wrong & ~where).any() or (right & where).any()):
                broken.add(said)
    return [
        said
        for said, count in wrong_calls.items()
        if count == failing > 0 and right_calls[said] and said not in broken
    ]


def _lines(case: Judged, places: Axes) -> tuple[Array, Array]:
    """Return along `places` where some element is wrong, and where none is and some is right."""
    others = tuple(axis for axis in range(case.wrong.ndim) if axis not in places)
    wrong, right = np.asarray(case.wrong.any(axis=others)), np.asarray(case.right.any(axis=others))
    return wrong, right & ~wrong


def where_wrong(failing: Sequence[Evidence], passing: Sequence[Evidence], claim: str) -> str:
    """Return in words which elements are wrong, in all calls or at least in the failing ones.

    Parameters
    ----------
    failing, passing : sequence of Evidence
        Calls of one operation that do not keep the claim, and calls that do.
    claim : str
        The claim.

    Returns
    -------
    str
        Empty where no property tells the wrong elements from the right ones.
    """
    inside = [one for call in failing for one in judged(call, claim)]
    beside = [one for call in passing for one in judged(call, claim)]
    for cases, calls in ((inside + beside, ""), (inside, "in the failing cases ")):
        found = telling(cases)
        if found:
            also = f" (here also: {', '.join(found[1:SHOWN])})" if found[1:] else ""
            return f"{calls}wrong only, and always, at {found[0]}{also}"
    return ""
