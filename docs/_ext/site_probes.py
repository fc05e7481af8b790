"""What a mistake does to numbers: calls of a mistake and of the reference, compared part by part.

A part is wrong where, rounded to the dtype, it lies farther from the real value than the default claim
of that dtype allows; integers are wrong where they differ.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from posref.bounds.model import DEFAULT_CLAIM, bound
from posref.conformance.exchange import as_array
from posref.corpus.load import Corpus, load_vectors
from posref.corpus.parameters import SCALING
from posref.numerics.rounding import decode_bits, round_bits
from posref.operation import Mistake, StaleMistake, find, mistakes, signature, stale_mistakes

SEED = 7

DEFAULTS: Mapping[str, Any] = {
    "rotary_start": 0,
    "base": 10000.0,
    "pairing": "half",
    "attention_factor": 1.0,
    "head_start": 0,
}
"""Parameters that a probe leaves out; one that may be null is null."""


@dataclass(frozen=True)
class Part:
    """A part of a probe: its label, whether it is wrong, and how far off its worst element is."""

    label: Any
    wrong: bool
    error: float


def registered(name: str) -> Mistake | StaleMistake:
    """Return a mistake by ``operation/name``."""
    place, _, own = name.partition("/")
    return next(entry for entry in (*mistakes(place), *stale_mistakes(place)) if entry.name == own)


def parameters(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all parameters of an operation: those that are given, and defaults."""
    left_out = {
        one.name: None if one.nullable else DEFAULTS.get(one.name) for one in signature(name).parameters
    }
    whole = {**left_out, **given}
    if whole.get("scaling") is not None:
        whole["scaling"] = {**dict.fromkeys(SCALING), **whole["scaling"]}
    return whole


def tensor(given: Any) -> np.ndarray:
    """Return a tensor of a probe: what is written, a range, or numbers drawn once and exact in bfloat16."""
    if isinstance(given, dict) and "range" in given:
        return np.arange(*given["range"], dtype=np.int64)
    if isinstance(given, dict):
        drawn = np.random.default_rng(SEED).normal(size=given["draw"])
        return decode_bits(round_bits(drawn, "bfloat16"), "bfloat16")
    return np.array(given)


@cache
def corpus() -> Corpus:
    """Return the vectors, which are read once."""
    return load_vectors()


def arguments(name: str, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return inputs and parameters of a call, or of a case of the corpus that is named."""
    if "case" in given:
        case = next(test for test in corpus().tests if test.id == given["case"])
        return {key: as_array(value) for key, value in case.inputs.items()}, dict(case.params)
    inputs = {key: tensor(value) for key, value in given.get("inputs", {}).items()}
    return inputs, parameters(name, given.get("params", {}))


def outputs(name: str, result: Any) -> dict[str, np.ndarray]:
    """Return a result by the names of its outputs."""
    several = result if isinstance(result, tuple) else (result,)
    return {one.name: np.asarray(array) for one, array in zip(signature(name).outputs, several, strict=True)}


def distances(
    name: str, inputs: Mapping[str, Any], params: Mapping[str, Any], got: Any, dtype: str
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return for each output which elements are wrong, and how far each is from the real value."""
    entry = signature(name)
    tensors = [inputs.get(item.name) for item in entry.inputs]
    real = outputs(name, find("reference", name)(*tensors, **params))
    floats = {one.name for one in entry.outputs if one.dtype == "float"}
    reals = {key: real[key].astype(np.float64) for key in floats}
    allowed = bound(name, DEFAULT_CLAIM[dtype], inputs, params, reals, dtype) if floats else {}
    found = {}
    for key, array in outputs(name, got).items():
        if key not in floats:
            off = np.abs(array.astype(np.int64) - real[key].astype(np.int64))
            found[key] = off != 0, off
            continue
        both = [decode_bits(round_bits(one.astype(np.float64), dtype), dtype) for one in (array, reals[key])]
        with np.errstate(invalid="ignore"):
            off = np.where(both[0] == both[1], 0.0, np.abs(both[0] - both[1]))
        found[key] = ~(off <= allowed[key][0]), off
    return found


def part(label: Any, wrong: np.ndarray, off: np.ndarray) -> Part:
    """Return a part of the elements of which these are wrong, and so far off."""
    return Part(label, bool(wrong.any()), float(np.where(wrong, off, 0).max(initial=0)))


def called(fault: Mistake, name: str, given: Mapping[str, Any], dtype: str) -> dict[str, Any]:
    """Return what one call of a mistake gets wrong."""
    inputs, params = arguments(name, given)
    with np.errstate(all="ignore"):
        got = fault.function(*[inputs.get(item.name) for item in signature(name).inputs], **params)
    return distances(name, inputs, params, got, dtype)


def by_call(fault: StaleMistake, name: str, probe: Mapping[str, Any], dtype: str) -> Iterator[Part]:
    """Make the objects, call them in order, and look at all results after the last call."""
    objects = probe.get("objects", [probe.get("params", {})])
    sessions = [fault.session(**parameters(name, made)) for made in objects]
    results = []
    for call in probe["calls"]:
        own, which = call.get("params", {}), call.get("object", 0)
        inputs, params = arguments(name, {**call, "params": {**objects[which], **own}})
        tensors = [inputs.get(item.name) for item in signature(name).inputs]
        results.append((call["label"], inputs, params, sessions[which](*tensors, **own)))
    for label, inputs, params, got in results:
        found = distances(name, inputs, params, got, dtype).values()
        yield part(label, *(np.concatenate([one[i].ravel() for one in found]) for i in (0, 1)))


def by_axis(fault: Mistake, name: str, probe: Mapping[str, Any], dtype: str) -> Iterator[Part]:
    """Call once, and cut one output along an axis."""
    found = called(fault, name, probe, dtype)
    wrong, off = found[probe.get("output", next(iter(found)))]
    labels = probe["labels"] if "labels" in probe else list(range(wrong.shape[probe["axis"]]))
    named = tensor(probe["inputs"][labels]).ravel().tolist() if isinstance(labels, str) else labels
    for index, label in enumerate(named):
        yield part(label, *(np.take(one, index, axis=probe["axis"]) for one in (wrong, off)))


def by_change(fault: Mistake, name: str, probe: Mapping[str, Any], dtype: str) -> Iterator[Part]:
    """Call once for each of several arguments, with what they share."""
    for change in probe["changes"]:
        given = {key: {**probe.get(key, {}), **change.get(key, {})} for key in ("params", "inputs")}
        found = called(fault, name, given, dtype).values()
        yield part(change["label"], *(np.concatenate([one[i].ravel() for one in found]) for i in (0, 1)))


def parts(mistake: str, probe: Mapping[str, Any]) -> tuple[Part, ...]:
    """Run the probe of a mistake, given by ``operation/name``; return its parts in order."""
    name, fault = mistake.partition("/")[0], registered(mistake)
    dtype = probe.get("dtype", "float32")
    if isinstance(fault, StaleMistake):
        return tuple(by_call(fault, name, probe, dtype))
    if "axis" in probe:
        return tuple(by_axis(fault, name, probe, dtype))
    if "changes" in probe:
        return tuple(by_change(fault, name, probe, dtype))
    found = called(fault, name, probe, dtype)
    return tuple(part(key, *one) for key, one in found.items())
