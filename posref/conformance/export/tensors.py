"""Tests with values as named tensors and an index, for files that hold nothing else (wire-protocol.C17)."""

import json
from collections.abc import Iterator
from typing import Any

from posref.conformance.exchange import as_array
from posref.conformance.export.jsonl import bounds, head, said
from posref.conformance.export.selection import Asked, Selection
from posref.conformance.wire import jsonl
from posref.conformance.wire.messages import Block
from posref.operation import Tensor


def tensors(chosen: Selection) -> Iterator[tuple[str, Block]]:
    """Yield every tensor under its name: ``<test>/inputs/x``, ``<test>/expected/y``, ``<test>/bound/y``."""
    for asked in chosen.values:
        for name, block in asked.call.request.inputs.items():
            yield f"{asked.test.id}/inputs/{name}", block
        for name, expected in asked.call.expected.items():
            yield f"{asked.test.id}/expected/{name}", _block(expected.tensor)
            limits = bounds(expected)
            if limits is not None:
                yield f"{asked.test.id}/bound/{name}", _block(limits)


def _block(tensor: Tensor) -> Block:
    return Block(tensor.dtype, as_array(tensor))


def index(chosen: Selection, **more: Any) -> str:
    """Return the index as compact JSON: what the tensors belong to."""
    tests = {asked.test.id: _entry(asked) for asked in chosen.values}
    record = {"type": "export", **head(chosen), **more, "tests": tests}
    return json.dumps(record, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _entry(asked: Asked) -> dict[str, Any]:
    request = asked.call.request
    return {
        "operation": asked.test.operation,
        "dtype": request.dtype,
        "params": jsonl.params(asked.test.params),
        "inputs": {name: block.dtype for name, block in request.inputs.items()},
        "want": dict(request.want),
        **said(asked.test),
    }
