"""The groups and tests of a file of the golden set, read strictly."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from posref.corpus import decode, parameters
from posref.corpus.bits import split
from posref.corpus.read import LEGAL, Reader, Shared, check_hash, common, read_inputs
from posref.corpus.strict import Place
from posref.operation import Tensor

DIGITS: Final = 50
"""Significant digits of every decimal but 0."""

PREFIX: Final = "golden-"
"""What the identifier of a test begins with; the rest is that of the core test with the same inputs."""

_DECIMAL: Final = re.compile(rf"0|-inf|-?[1-9]\.[0-9]{{{DIGITS - 1}}}e(0|-?[1-9][0-9]*)")


@dataclass(frozen=True)
class Decimals:
    """One output as decimals of 50 significant digits, ``"0"`` or ``"-inf"``; `data` is row-major."""

    shape: tuple[int, ...]
    data: tuple[str, ...]


Outputs = Mapping[str, Decimals | Tensor]
"""Outputs by name: decimals, or a tensor where an output holds integers."""


@dataclass(frozen=True)
class GoldenTest:
    """A call of the core and what it gives, to 50 digits; `core` is the identifier of that test."""

    id: str
    operation: str
    params: Mapping[str, Any]
    inputs: Mapping[str, Tensor]
    expected: Outputs
    flags: tuple[str, ...]
    clauses: tuple[str, ...]
    comment: str
    requires: tuple[str, ...]
    signed_zero: Literal["ignore", "strict"]
    file: str
    group: str
    source: Mapping[str, str]
    case_hash: str

    @property
    def core(self) -> str:
        """The identifier of the test of the core."""
        return self.id.removeprefix(PREFIX)


def _test(place: Place, shared: Shared) -> GoldenTest:
    members, fields = common(place, shared, "expected")
    if not fields["id"].startswith(PREFIX):
        members["id"].fail(f"the identifier of a golden test begins with {PREFIX}")
    inputs, _ = read_inputs(members["inputs"], shared.signature)
    outputs = {output.name: output.dtype for output in shared.signature.outputs}
    expected: dict[str, Decimals | Tensor] = {}
    for name, entry in members["expected"].record(*outputs).items():
        if outputs[name] == "float":
            expected[name] = _decimals(entry.record("decimal")["decimal"])
        else:
            (dtype,) = LEGAL[outputs[name]]
            expected[name] = decode.tensor(entry.record(dtype)[dtype], (dtype,))
    check_hash(members, place, shared)
    return GoldenTest(inputs=inputs, expected=expected, **fields)


def _decimals(place: Place) -> Decimals:
    members = place.record("shape", "data")
    shape = decode.shape(members["shape"])
    count, width = split(shape)
    rows = members["data"].elements()
    if len(rows) != count:
        members["data"].fail(f"must be a list of {count} rows")
    for row in rows:
        if len(row.elements()) != width:
            row.fail(f"must be a list of {width} decimals")
    return Decimals(shape, tuple(entry.text(_DECIMAL) for row in rows for entry in row.elements()))


READER: Final = Reader(parameters.decode, _test)
"""How the groups of a file of the golden set are read."""
