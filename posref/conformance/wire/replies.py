"""Replies read strictly from their JSON form, whichever wire they came over."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from posref.conformance.claims import applies, check_claim
from posref.conformance.wire.messages import (
    AXES,
    INTEGERS,
    REPLY_DTYPES,
    Block,
    Close,
    Done,
    Facts,
    Open,
    Outputs,
    Refusal,
    Reply,
    Request,
    Run,
    Skip,
    Start,
    Step,
    array,
)
from posref.corpus import decode
from posref.corpus.bits import DIGITS, floats
from posref.corpus.read import CAPABILITIES
from posref.corpus.strict import Place
from posref.errors import KINDS
from posref.operation import DTYPES, signatures

REQUIRED: Final = ("name", "language", "version", "operations", "dtypes")
OPTIONAL: Final = ("claims", "axes", "sessions", "lacks", "flush_subnormals")

_TEXT = re.compile(r"[ -~]{1,200}")
_HEX = re.compile(r"[0-9a-fA-F]*")


def reply(place: Place, request: Request, seq: int) -> Reply:
    """Return the reply to `request` that stands at `place`; a FormatError where it is none."""
    members = place.members()
    if "seq" not in members:
        place.fail("'seq' is missing")
    if members["seq"].integer() != seq:
        members["seq"].fail(f"must be {seq}, got {members['seq'].value}")
    if isinstance(request, Start):
        return facts(place, "seq")
    if isinstance(request, Close):
        return _done(place, "closed")
    if isinstance(request, Open) and "opened" in members:
        return _done(place, "opened")
    return outcome(place, _wanted(request), ("seq",))


def _wanted(request: Request) -> Mapping[str, str] | None:
    return request.want if isinstance(request, Run | Step) else None


def _done(place: Place, key: str) -> Done:
    place.record("seq", key)[key].one_of((True,))
    return Done()


def outcome(place: Place, want: Mapping[str, str] | None, also: tuple[str, ...] = ()) -> Reply:
    """Return the outputs, the refusal or the skip at `place`, which has the keys `also` besides.

    `want` names the outputs; it is None where there can be none.
    """
    keys = ["error", "skipped"] if want is None else ["outputs", "error", "skipped"]
    found = [key for key in keys if key in place.members()]
    if len(found) != 1:
        place.fail(f"must have one of the keys {', '.join(keys)}")
    members = place.record(*also, found[0])
    if found[0] == "outputs":
        return _outputs(members["outputs"], want or {})
    if found[0] == "skipped":
        return Skip(members["skipped"].record("reason")["reason"].text())
    error = members["error"].record("class", "parameter", optional=("message",))
    message = text(error["message"]) if "message" in error else ""
    return Refusal(error["class"].one_of(KINDS), text(error["parameter"]), message)


def text(place: Place) -> str:
    """Return a string, which may be empty."""
    return "" if place.value == "" else place.text()


def _outputs(place: Place, want: Mapping[str, str]) -> Outputs:
    members = place.record(*want)
    return Outputs({name: tensor(members[name]) for name in want})


def tensor(place: Place) -> Block:
    """Return the tensor at `place`, in any dtype of a reply; digits in lower or upper case."""
    members = place.record("dtype", "shape", "data")
    dtype = members["dtype"].one_of(REPLY_DTYPES)
    shape = decode.shape(members["shape"])
    data: tuple[Any, ...]
    if dtype in DIGITS:
        data = floats(decode.text_rows(members["data"], shape, DIGITS[dtype], _HEX), dtype)
    else:
        data = decode.integer_rows(members["data"], shape, *INTEGERS[dtype])
    return Block(dtype, array(dtype, shape, data))


def facts(place: Place, *also: str) -> Facts:
    """Return who the program is, from the reply at `place` that has the keys `also` besides."""
    members = place.record(*also, *REQUIRED, optional=OPTIONAL)
    version = members["version"]
    found: dict[str, Any] = {
        "name": members["name"].text(_TEXT),
        "language": members["language"].text(_TEXT),
        "version": "" if version.value == "" else version.text(_TEXT),
        "operations": _distinct(members["operations"], tuple(signatures())),
        "dtypes": _distinct(members["dtypes"], DTYPES),
    }
    readers: dict[str, Callable[[Place], Any]] = {
        "claims": _claims,
        "axes": lambda one: one.one_of(AXES),
        "sessions": lambda one: _distinct(one, found["operations"]),
        "lacks": lambda one: _distinct(one, CAPABILITIES),
        "flush_subnormals": lambda one: one.one_of((True, False)),
    }
    return Facts(**found, **{key: read(members[key]) for key, read in readers.items() if key in members})


def _distinct(place: Place, allowed: tuple[str, ...]) -> tuple[str, ...]:
    found = []
    for entry in place.elements():
        if entry.text() not in allowed:
            entry.fail(f"there is no {entry.value!r} here")
        found.append(entry.value)
    if len(set(found)) < len(found):
        place.fail("holds an entry twice")
    return tuple(found)


def _claims(place: Place) -> dict[str, str]:
    found = {}
    for dtype, entry in place.members().items():
        if dtype not in DTYPES:
            entry.fail(f"there is no floating dtype {dtype!r}")
        try:
            fits = applies(check_claim(entry.text()), dtype)
        except ValueError as unknown:
            entry.fail(str(unknown))
        if not fits:
            entry.fail(f"the claim {entry.value} is not made for {dtype}")
        found[dtype] = entry.value
    return found
