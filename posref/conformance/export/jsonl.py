"""The export as JSON lines: the requests of the JSON wire with their answers (wire-protocol.C15)."""

import json
from collections.abc import Iterator
from typing import Any

from posref.conformance.export.selection import Call, Scene, Selection
from posref.conformance.wire import jsonl
from posref.conformance.wire.messages import PROTOCOL, Request
from posref.corpus import encode
from posref.corpus.load import Expected, ScenarioTest, Test
from posref.operation import DTYPES, Tensor

Json = dict[str, Any]


def written(chosen: Selection) -> Iterator[bytes]:
    """Yield the lines of an export."""
    yield _line({"type": "export", "protocol": PROTOCOL, **head(chosen)})
    for one in chosen.tests:
        record = {**_request(one.call.request), **said(one.test)}
        if one.test.error is None:
            record |= _answer(one.call)
        else:
            record["error"] = {"class": one.test.error.kind, "parameter": one.test.error.parameter}
        yield _line(record)
    for scene in chosen.scenarios:
        yield _line(_scenario(scene))


def head(chosen: Selection) -> Json:
    """Return what every export says of itself."""
    return {"corpus": chosen.corpus, "tree_sha256": chosen.tree_sha256, "dtype": chosen.dtype}


def said(test: Test | ScenarioTest) -> Json:
    """Return what a test says of those who can take it, and of how zeros are compared."""
    return {"requires": list(test.requires), "signed_zero": test.signed_zero}


def bounds(expected: Expected) -> Tensor | None:
    """Return the bounds of an expected output as a tensor of bfloat16; None for integers, which have none."""
    own = expected.tensor
    return Tensor("bfloat16", own.shape, expected.bound) if own.dtype in DTYPES else None


def _scenario(scene: Scene) -> Json:
    objects = [_request(one, "type") for one in scene.objects]
    steps = [{**_request(call.request, "type", "test"), **_answer(call)} for call in scene.calls]
    for call, step in zip(scene.calls, steps, strict=True):
        step["inputs"] |= {
            name: {"from_step": one.step, "output": one.output} for name, one in call.earlier.items()
        }
    named = {"type": "scenario", "test": scene.test.id, "dtype": scene.dtype}
    return {**named, **said(scene.test), "objects": objects, "steps": steps}


def _answer(call: Call) -> Json:
    limits = {name: bounds(one) for name, one in call.expected.items()}
    return {
        "expected": {name: encode.tensor(one.tensor) for name, one in call.expected.items()},
        "bound": {name: encode.tensor(one) for name, one in limits.items() if one is not None},
    }


def _request(request: Request, *without: str) -> Json:
    """Return a request as the wire has it, but for `seq` and the keys `without`."""
    record: Json = json.loads(jsonl.encode(request, 0))
    return {key: value for key, value in record.items() if key not in ("seq", *without)}


def _line(record: Json) -> bytes:
    text = json.dumps(record, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.encode("ascii") + b"\n"
