"""The golden set: chosen cases of the core once more, their results as decimals of many digits."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from posref import operation
from posref.corpus import encode, parameters
from posref.corpus.bits import rows
from posref.corpus.certified import FIRST_VERSION, engine_class
from posref.corpus.certify import INTEGER_DTYPES, decided, evaluate, flat, shape_of
from posref.corpus.encode import Json
from posref.corpus.read_golden import DIGITS, PREFIX, Decimals, Outputs
from posref.operation import Group, Tensor


@dataclass(frozen=True)
class GoldenGroup(Group):
    """A group of the golden set."""


def chosen() -> dict[str, list[str]]:
    """Return the identifiers of the cases of the core that are in the set, by operation."""
    found: dict[str, list[str]] = json.loads((operation.home("spec") / "golden.json").read_text("ascii"))
    return found


def groups(pattern: str) -> Iterator[GoldenGroup]:
    """Yield the groups of every operation that the glob matches, each case under a name of its own."""
    for name, wanted in chosen().items():
        if not fnmatchcase(name, pattern):
            continue
        left = set(wanted)
        for group in operation.find("cases", name)():
            cases = tuple(
                replace(case, id=f"{PREFIX}{case.id}", flags=()) for case in group.cases if case.id in left
            )
            left -= {case.id for case in group.cases}
            if cases:
                yield GoldenGroup(group.name, name, group.params, cases, group.requires, group.signed_zero)
        if left:
            raise KeyError(f"spec/golden.json names cases that {name} has not: {', '.join(sorted(left))}")


def group(entry: GoldenGroup, engine: str) -> Json:
    """Return a group with its certified decimals as it stands in its file."""
    signature = operation.signature(entry.operation)
    params = parameters.complete(signature, entry.params)
    values = {case.id: certify_decimals(engine, entry.operation, case.inputs, params) for case in entry.cases}
    source = {"name": f"posref.cases.{signature.scheme}", "version": FIRST_VERSION}
    return written(entry, values, source)


def certify_decimals(
    engine: str, name: str, inputs: Mapping[str, Tensor], params: Mapping[str, Any]
) -> Outputs:
    """Return the outputs of one call: `DIGITS` significant digits, the same at both ends of each enclosure.

    Raises
    ------
    CertificationError
        If no precision decides every digit.
    """
    return decided(
        engine_class(engine),
        lambda real: _rounded(real, name, evaluate(real, name, inputs, params)),
        f"{name}: {DIGITS} digits of every value",
    )


def _rounded(real: Any, name: str, outputs: Sequence[Any]) -> Outputs:
    found: dict[str, Decimals | Tensor] = {}
    for entry, output in zip(operation.signature(name).outputs, outputs, strict=True):
        numbers = tuple(flat(output))
        if entry.dtype == "float":
            found[entry.name] = Decimals(shape_of(output), tuple(_text(real, number) for number in numbers))
        else:
            found[entry.name] = Tensor(INTEGER_DTYPES[entry.dtype], shape_of(output), numbers)
    return found


def _text(real: Any, number: Any) -> str:
    """Return one element; the only float that a golden definition gives is minus infinity."""
    text: str = "-inf" if isinstance(number, float) else real.decimal(number, DIGITS)
    return text


def written(entry: Group, values: Mapping[str, Outputs], source: Mapping[str, str]) -> Json:
    """Return a group as JSON; `values` holds the outputs by the identifier of the case."""
    return encode.group(
        entry, {}, source, said={key: {"expected": _json(value)} for key, value in values.items()}
    )


def _json(outputs: Outputs) -> Json:
    return {
        name: {"decimal": _decimals(value)}
        if isinstance(value, Decimals)
        else {value.dtype: encode.tensor(value)}
        for name, value in outputs.items()
    }


def _decimals(value: Decimals) -> Json:
    return {
        "shape": list(value.shape),
        "data": [list(row) for row in rows(value.data, value.shape)],
    }
