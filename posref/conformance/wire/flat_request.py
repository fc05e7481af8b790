"""Requests on the flat wire: lines of words, for programs without a JSON library."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from posref.conformance.wire.jsonl import plain
from posref.conformance.wire.messages import PROTOCOL, Block, Close, Open, Request, Run, Start, Step
from posref.corpus import parameters
from posref.corpus.bits import DIGITS, hexadecimal, rows
from posref.operation import signature

_WORD = re.compile(r"[!#-&(-~]+")
_KEY = re.compile(r"[A-Za-z0-9_.-]+")


def encode(request: Request, seq: int) -> bytes:
    """Return the lines of a request."""
    return "".join(f"{line}\n" for line in _lines(request, seq)).encode("ascii")


def _lines(request: Request, seq: int) -> Iterator[str]:
    if isinstance(request, Start):
        yield f"start {seq} {PROTOCOL} {request.posref} {request.corpus}"
    elif isinstance(request, Run):
        yield f"run {seq} {request.test} {request.operation} {request.dtype}"
        yield from _params(request.operation, request.params)
        yield from _call(request, seq)
    elif isinstance(request, Open):
        yield f"open {seq} {request.object} {request.operation}"
        yield from _params(request.operation, request.params)
        yield f"end {seq}"
    elif isinstance(request, Step):
        yield f"step {seq} {request.test} {request.object} {request.dtype}"
        if request.seq_len is not None:
            yield f"seq_len {request.seq_len}"
        yield from _call(request, seq)
    elif isinstance(request, Close):
        yield f"close {seq} {request.object}"
    else:
        yield f"stop {seq}"


def _call(request: Run | Step, seq: int) -> Iterator[str]:
    for name, block in request.inputs.items():
        yield from tensor(name, block)
    for name, dtype in request.want.items():
        yield f"want {name} {dtype}"
    yield f"end {seq}"


def tensor(name: str, block: Block) -> Iterator[str]:
    """Yield the lines of an input: name, dtype, rank and axes, then a line a row."""
    value = plain(block)
    yield " ".join(map(str, ("input", name, value.dtype, len(value.shape), *value.shape)))
    for row in rows(value.data, value.shape):
        if value.dtype in DIGITS:
            digits, width = hexadecimal(row, value.dtype), DIGITS[value.dtype]
            yield " ".join(digits[start : start + width] for start in range(0, len(digits), width))
        else:
            yield " ".join(str(int(entry)) for entry in row)


def _params(operation: str, params: Mapping[str, Any]) -> Iterator[str]:
    published = {one.name for one in signature(operation).parameters if one.type == "config"}
    for name, value in params.items():
        yield from param(name, value, whole=name in published)


def param(name: str, value: Any, *, whole: bool = False) -> Iterator[str]:
    """Yield the lines of a parameter: one, or one a key of a flat object unless it is `whole`."""
    if isinstance(value, Mapping) and not whole:
        entries = {key: _value(entry) for key, entry in value.items()}
        flat = all(_KEY.fullmatch(key) and not text.startswith("json ") for key, text in entries.items())
        if entries and flat:
            for key, text in entries.items():
                yield f"param {name}.{key} {text}"
            return
    yield f"param {name} {_json(value) if whole and value is not None else _value(value)}"


def _value(value: Any) -> str:
    """Return the kind of a value and the value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"boolean {str(value).lower()}"
    if isinstance(value, int):
        return f"integer {value}"
    if isinstance(value, float):
        return f"real {hexadecimal([value], 'float64')}"
    if isinstance(value, str):
        return f"choice {value}" if _WORD.fullmatch(value) else f"string {json.dumps(value)}"
    return _list(value) if isinstance(value, list | tuple) else _json(value)


def _list(values: list[Any] | tuple[Any, ...]) -> str:
    count = len(values)
    if all(type(one) is int for one in values):
        return " ".join(map(str, ("integers", count, *values)))
    if all(isinstance(one, float) for one in values):
        return " ".join(("reals", str(count), *(hexadecimal([one], "float64") for one in values)))
    if all(isinstance(one, str) and _WORD.fullmatch(one) for one in values):
        return " ".join(("choices", str(count), *values))
    return _json(values)


def _json(value: Any) -> str:
    found = parameters.anything(value)
    return f"json {json.dumps(found, separators=(',', ':'), ensure_ascii=True, allow_nan=False)}"
