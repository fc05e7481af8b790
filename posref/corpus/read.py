"""The groups and tests of a vector file, read strictly."""

import math
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, Literal, TypeVar

from posref.corpus import decode, parameters
from posref.corpus.clauses import CLAUSE
from posref.corpus.encode import Expected, case_hash
from posref.corpus.hardness import DIGITS, agrees
from posref.corpus.kinds import HARD, INVALID, MODEL, VALUE
from posref.corpus.manifest import SEMVER
from posref.corpus.strict import SLUG, Place
from posref.errors import KINDS
from posref.operation import DTYPES, Dtype, Input, Refusal, Signature, Tensor, signatures

CAPABILITIES: Final = ("fractional-positions", "minus-infinity-bias", "positions-2p53")
"""What a group may require of an implementation, so that one without it can skip the group."""

INFINITE: Final = ("bias",)
"""Inputs in which -infinity is legal: it masks."""

OVERFLOW: Final = {
    "float32": math.ldexp(2 - 2.0**-24, 127),
    "bfloat16": math.ldexp(2 - 2.0**-8, 127),
    "float16": 65520.0,
}
"""The magnitude from which a real value overflows each dtype."""

LEGAL: Final[Mapping[str, tuple[str, ...]]] = {
    "table": ("float64", "float32"),
    "mask": ("bool",),
    "int": ("int64",),
    "int_or_float": ("int64", "float64", "float32"),
    "bool": ("bool",),
    "float": DTYPES,
}
STORED: Final[Mapping[str | None, tuple[Dtype, ...]]] = {
    None: DTYPES,
    "bfloat16": DTYPES,
    "float16": ("float64", "float32", "float16"),
    "float32": ("float64", "float32"),
    "float64": ("float64",),
}
"""The dtypes in which a result is stored, by the dtype of the main inputs."""

HASH = re.compile(r"[0-9a-f]{16}")
_ANY_DTYPE = (*DTYPES, "int64", "bool")
_DISTANCE = re.compile(rf"[0-9]\.[0-9]{{{DIGITS - 1}}}e[+-][0-9]{{2,3}}")

AnyTest_co = TypeVar("AnyTest_co", covariant=True)


@dataclass(frozen=True)
class Hardness:
    """How near a result comes to a rounding boundary of `dtype`: a decimal, in ulp of `dtype`."""

    dtype: str
    distance_ulp: str


@dataclass(frozen=True)
class Test:
    """One test: what goes in, and the certified answer or the refusal that it must get.

    A hard test has its `hardness`, or None if it lies at a threshold; any other test has None.
    """

    __test__ = False

    id: str
    operation: str
    kind: Literal["value", "invalid"]
    params: Mapping[str, Any]
    inputs: Mapping[str, Tensor]
    expected: Mapping[str, Mapping[str, Expected]]
    error: Refusal | None
    flags: tuple[str, ...]
    clauses: tuple[str, ...]
    comment: str
    requires: tuple[str, ...]
    signed_zero: Literal["ignore", "strict"]
    file: str
    group: str
    source: Mapping[str, str]
    case_hash: str
    hardness: Hardness | None = None


@dataclass(frozen=True)
class Shared:
    """What the tests of a group share."""

    signature: Signature
    notes: tuple[str, ...]
    params: Mapping[str, Any]
    raw_params: Mapping[str, Any]
    requires: tuple[str, ...]
    signed_zero: Literal["ignore", "strict"]
    group: str
    source: Mapping[str, str]


def groups(
    place: Place, read: "Reader[AnyTest_co]", signature: Signature | None, notes: tuple[str, ...]
) -> Iterator[tuple[AnyTest_co, Place]]:
    """Yield the tests of all groups of a file, each with its place.

    Without a `signature`, as in the file of a model, each group names its operation.
    """
    known = signatures()
    own = ("params",) if signature else ("operation", "params")
    for members, said in heads(place, *own):
        operation = signature or known[members["operation"].one_of(tuple(known))]
        params = read.params(members["params"], operation)
        shared = Shared(operation, notes, params, members["params"].value, **said)
        for test in tests_of(members["tests"]):
            yield read.test(test, shared), test


def heads(place: Place, *own: str) -> Iterator[tuple[dict[str, Place], dict[str, Any]]]:
    """Yield the members of each group of a file, and what the group says of all its tests.

    `own` are the members that only groups of this kind have.
    """
    names: set[str] = set()
    for entry in place.elements():
        members = entry.record("group", "source", "requires", "compare", "tests", *own)
        name = members["group"].text(SLUG)
        if name in names:
            members["group"].fail("stands twice in this file")
        names.add(name)
        source = members["source"].record("name", "version")
        compare = members["compare"].record("signed_zero")
        yield (
            members,
            {
                "requires": members["requires"].slugs(CAPABILITIES),
                "signed_zero": compare["signed_zero"].one_of(("ignore", "strict")),
                "group": name,
                "source": {"name": source["name"].text(), "version": source["version"].text(SEMVER)},
            },
        )


def tests_of(place: Place) -> Iterator[Place]:
    """Yield the places of the tests of a group, each with its identifier for messages."""
    if not place.elements():
        place.fail("a group has at least one test")
    for test in place.elements():
        if isinstance(test.value, dict) and isinstance(test.value.get("id"), str):
            test.case = test.value["id"]
        yield test


def common(place: Place, shared: Shared, *outcome: str) -> tuple[dict[str, Place], dict[str, Any]]:
    """Return the members of a test, `outcome` among them, and what it says as any test does."""
    members = place.record("id", "comment", "flags", "clauses", "inputs", *outcome, "case_hash")
    fields = {
        **about(members, shared.notes),
        "operation": shared.signature.name,
        "params": shared.params,
        "requires": shared.requires,
        "signed_zero": shared.signed_zero,
        "file": place.file,
        "group": shared.group,
        "source": shared.source,
        "case_hash": members["case_hash"].text(HASH),
    }
    return members, fields


def about(members: dict[str, Place], notes: tuple[str, ...]) -> dict[str, Any]:
    """Return what a test says about itself."""
    cited = tuple(entry.text(CLAUSE) for entry in members["clauses"].elements())
    if not cited:
        members["clauses"].fail("a test names the clauses it tests")
    return {
        "id": members["id"].text(SLUG),
        "flags": members["flags"].slugs(notes),
        "clauses": cited,
        "comment": members["comment"].text(),
    }


def check_hash(members: dict[str, Place], place: Place, shared: Shared) -> None:
    """Refuse a test that does not hash to its ``case_hash``."""
    real = case_hash(shared.signature.name, dict(shared.raw_params), place.value)
    if members["case_hash"].value != real:
        members["case_hash"].fail(f"the test hashes to {real}")


def _value(place: Place, shared: Shared) -> Test:
    members, fields = common(place, shared, "expected")
    return _answered(members, fields, place, shared)


def _hard(place: Place, shared: Shared) -> Test:
    members, fields = common(place, shared, "expected", "hardness")
    test = _answered(members, fields, place, shared)
    if members["hardness"].value is None:
        return test
    return replace(test, hardness=_hardness(members["hardness"], shared.signature, test))


def _hardness(place: Place, signature: Signature, test: Test) -> Hardness:
    members = place.record("dtype", "distance_ulp")
    stored = [test.expected[output.name] for output in signature.outputs if output.dtype == "float"]
    legal = [dtype for dtype in DTYPES if stored and all(dtype in by_dtype for by_dtype in stored)]
    dtype: str = members["dtype"].one_of(legal)
    text = members["distance_ulp"].text(_DISTANCE)
    values = [value for by_dtype in stored for value in by_dtype["float64"].tensor.data]
    if not agrees(text, values, dtype):
        members["distance_ulp"].fail(f"is not the distance of the expected values, got {text!r}")
    return Hardness(dtype, text)


def _answered(members: dict[str, Place], fields: dict[str, Any], place: Place, shared: Shared) -> Test:
    """Return a test with its inputs and expected outputs."""
    inputs, main = read_inputs(members["inputs"], shared.signature)
    outputs = {output.name: output for output in shared.signature.outputs}
    expected = {}
    for name, entry in members["expected"].record(*outputs).items():
        kind = outputs[name].dtype
        legal = STORED[main] if kind == "float" else LEGAL[kind]
        expected[name] = by_dtype(entry, legal, shared.signed_zero == "strict")
    check_hash(members, place, shared)
    return Test(kind="value", inputs=inputs, expected=expected, error=None, **fields)


def main_dtype(signature: Signature, inputs: Mapping[str, Tensor]) -> str | None:
    """Return the dtype of the main inputs, None where the operation has none."""
    return next((inputs[entry.name].dtype for entry in signature.main if entry.name in inputs), None)


def read_inputs(place: Place, signature: Signature) -> tuple[dict[str, Tensor], str | None]:
    """Return the inputs of a call, and the dtype of the main ones."""
    required = [entry.name for entry in signature.inputs if not entry.optional]
    optional = [entry.name for entry in signature.inputs if entry.optional]
    members = place.record(*required, optional=optional)
    found: dict[str, Tensor] = {}
    main: str | None = None
    for entry in signature.inputs:
        if entry.name in members:
            found[entry.name] = one_input(members[entry.name], entry, main)
            main = main or (found[entry.name].dtype if entry.role == "main" else None)
    if main == "bfloat16":
        check_float16(place, signature, found)
    return found, main


def one_input(place: Place, entry: Input, main: str | None) -> Tensor:
    """Return the tensor of one input; a main one has the dtype `main`, if that is given."""
    legal = LEGAL.get(entry.role, LEGAL[entry.dtype])
    if entry.role == "main" and main:
        legal = (main,)
    return decode.tensor(place, legal, "-inf" if entry.name in INFINITE else "none")


def check_float16(place: Place, signature: Signature, inputs: Mapping[str, Tensor]) -> None:
    """Refuse main inputs of type bfloat16 that are not exact in float16 too."""
    for name in (entry.name for entry in signature.main if entry.name in inputs):
        data = inputs[name].data
        try:
            exact = struct.unpack(f">{len(data)}e", struct.pack(f">{len(data)}e", *data)) == data
        except OverflowError:
            exact = False
        if not exact:
            place.at(name).fail("a bfloat16 main input is exact in float16 too")


def by_dtype(place: Place, legal: Sequence[str], strict_zero: bool) -> dict[str, Expected]:
    """Return an expected output in each of the `legal` dtypes that it does not overflow."""
    members = place.record(legal[0], optional=legal)
    found = {
        dtype: decode.expected(members[dtype], dtype, strict_zero) for dtype in legal if dtype in members
    }
    widest = found[legal[0]].tensor
    for dtype, value in found.items():
        if value.tensor.shape != widest.shape:
            members[dtype].at("shape").fail(f"is not the shape in {legal[0]}, {list(widest.shape)}")
    largest = max((abs(value) for value in widest.data if math.isfinite(value)), default=0)
    for dtype in set(legal) - set(found):
        if largest < OVERFLOW[dtype]:
            place.fail(f"{dtype!r} is missing and no value overflows it")
    return found


def _invalid(place: Place, shared: Shared) -> Test:
    members, fields = common(place, shared, "error")
    inputs = {
        name: decode.tensor(entry, _ANY_DTYPE, "any") for name, entry in members["inputs"].members().items()
    }
    error = members["error"].record("class", "parameter")
    names = {entry.name for entry in shared.signature.inputs}
    names |= {entry.name for entry in shared.signature.parameters}
    refusal = Refusal(
        error["class"].one_of(KINDS),
        error["parameter"].one_of(sorted(names | shared.params.keys() | inputs.keys())),
    )
    check_hash(members, place, shared)
    return Test(kind="invalid", inputs=inputs, expected={}, error=refusal, **fields)


def _any_params(place: Place, signature: Signature) -> dict[str, Any]:
    return {name: parameters.decode_anything(entry) for name, entry in place.members().items()}


@dataclass(frozen=True)
class Reader(Generic[AnyTest_co]):
    """How the groups of one kind of file are read."""

    params: Callable[[Place, Signature], dict[str, Any]]
    test: Callable[[Place, Shared], AnyTest_co]


READERS: Final = {
    VALUE: Reader(parameters.decode, _value),
    INVALID: Reader(_any_params, _invalid),
    MODEL: Reader(parameters.decode, _value),
    HARD: Reader(parameters.decode, _hard),
}
