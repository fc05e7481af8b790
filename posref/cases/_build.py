"""How cases are put together: tensors from lists, groups from rows, refusals from a valid baseline."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

from posref.cases._ignored import ignored
from posref.cases._shown import besides
from posref.operation import Case, Dtype, Group, Refusal, Tensor

SUFFIX: Final = {"bfloat16": "bf16", "float32": "f32", "float64": "f64"}
"""How the kind of an input stands at the end of an id."""

Flags = tuple[str, ...]

Row = tuple[Mapping[str, Any], Case]
"""The parameters of a case and the case."""


def tensor(dtype: Dtype, values: Sequence[Any], shape: tuple[int, ...] | None = None) -> Tensor:
    """Return a tensor of `values`, of rank 1 unless `shape` says more."""
    return Tensor(dtype, (len(values),) if shape is None else shape, tuple(values))


def integers(values: Iterable[int], shape: tuple[int, ...] | None = None) -> Tensor:
    """Return an int64 tensor, of rank 1 unless `shape` says more."""
    return tensor("int64", tuple(values), shape)


def slug(value: object) -> str:
    """Return a parameter's value as it stands in the name of a group."""
    if isinstance(value, Mapping):  # a scaling: its type, and a mark that tells it from others of that type
        mark = sha256(repr(sorted(value.items())).encode("ascii")).hexdigest()
        return f"{value['rope_type']}-{mark[:8]}"
    if isinstance(value, list):
        return "-".join(slug(entry) for entry in value)
    return str(value).removesuffix(".0").lower()


def grouped(operation: str, rows: Iterable[Row]) -> Iterator[Group]:
    """Yield a group for every distinct set of parameters, in order of first appearance.

    Each case gets the flags of the conventions on which its result depends, and of faults that it
    shows besides.
    """
    flagged = ((params, _flagged(operation, params, case)) for params, case in rows)
    for name, params, cases in _by_parameters(flagged):
        yield Group(name, operation, params, cases)


def _flagged(operation: str, params: Mapping[str, Any], case: Case) -> Case:
    more = (*ignored(operation, params, case.id, case.inputs), *besides(case.id))
    return replace(case, flags=(*case.flags, *more))


def hard(operation: str, rows: Iterable[Row]) -> tuple[Group, ...]:
    """Return the groups of the hard set in the same way; their flags are the edges alone."""
    return tuple(Group(name, operation, params, cases) for name, params, cases in _by_parameters(rows))


def _by_parameters(rows: Iterable[Row]) -> Iterator[tuple[str, Mapping[str, Any], tuple[Case, ...]]]:
    found: dict[str, tuple[Mapping[str, Any], list[Case]]] = {}
    for params, case in rows:
        shown = [f"{name}.{slug(value)}" for name, value in params.items() if value is not None]
        found.setdefault("-".join(shown) or "all", (params, []))[1].append(case)
    for name, (params, cases) in found.items():
        yield name, params, tuple(cases)


@dataclass(frozen=True)
class Baseline:
    """A legal call of an operation; every refusal is this call with one thing wrong."""

    operation: str
    inputs: Mapping[str, Tensor]
    params: Mapping[str, Any] = field(default_factory=dict)

    def refuse(
        self,
        name: str,
        refusal: tuple[str, str],
        clause: str,
        comment: str,
        *,
        flags: tuple[str, ...] = (),
        without: tuple[str, ...] = (),
        inputs: Mapping[str, Tensor] | None = None,
        **params: Any,
    ) -> Group:
        """Return a group with the one case that must be refused, `refusal` being (kind, parameter)."""
        prefix = self.operation.replace(".", "-").replace("_", "-")
        case = Case(
            f"{prefix}-invalid-{name}",
            comment,
            {**self.inputs, **(inputs or {})},
            (clause,),
            flags,
            Refusal(*refusal),
        )
        kept = {key: value for key, value in {**self.params, **params}.items() if key not in without}
        return Group(f"invalid-{name}", self.operation, kept, (case,))
