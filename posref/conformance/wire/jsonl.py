"""The JSON wire: a message is one line, one object."""

import json
from collections.abc import Mapping
from typing import Any

from posref.conformance.wire.messages import PROTOCOL, Block, Close, Open, Reply, Request, Run, Start, Step
from posref.conformance.wire.replies import reply
from posref.corpus import encode as corpus
from posref.corpus import parameters
from posref.corpus.strict import parse
from posref.operation import Tensor


def encode(request: Request, seq: int) -> bytes:
    """Return the line of a request."""
    record = {"type": type(request).__name__.lower(), "seq": seq, **_content(request)}
    return json.dumps(record, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode() + b"\n"


def decode(data: bytes, request: Request, seq: int) -> Reply:
    """Return the reply in a line; a FormatError where it is none."""
    return reply(parse(data, "reply"), request, seq)


def ends(line: bytes, first: bytes) -> bool:
    """Return whether `line` is the last of a reply: every line is."""
    return True


def _content(request: Request) -> dict[str, Any]:
    if isinstance(request, Start):
        return {"protocol": PROTOCOL, "posref": request.posref, "corpus": request.corpus}
    if isinstance(request, Run):
        return {
            "test": request.test,
            "operation": request.operation,
            "params": params(request.params),
            "dtype": request.dtype,
            "inputs": tensors(request.inputs),
            "want": dict(request.want),
        }
    if isinstance(request, Open):
        return {
            "object": request.object,
            "operation": request.operation,
            "params": params(request.params),
        }
    if isinstance(request, Step):
        own = {} if request.seq_len is None else {"seq_len": request.seq_len}
        return {
            "test": request.test,
            "object": request.object,
            "dtype": request.dtype,
            "inputs": tensors(request.inputs),
            **own,
            "want": dict(request.want),
        }
    return {"object": request.object} if isinstance(request, Close) else {}


def params(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as they stand in a vector file."""
    return {name: parameters.anything(value) for name, value in values.items()}


def tensors(blocks: Mapping[str, Block]) -> dict[str, Any]:
    """Return tensors as they stand in a vector file."""
    return {name: corpus.tensor(plain(block)) for name, block in blocks.items()}


def plain(block: Block) -> Tensor:
    """Return a tensor on its way as one of the vector format."""
    return Tensor(block.dtype, block.values.shape, tuple(block.values.ravel().tolist()))  # type: ignore[arg-type]
