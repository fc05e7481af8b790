"""The ground floor: signatures, the types the wings are written in, and look-up by name.

An *operation* is a pure function ``scheme.function``. Its signature stands in
``spec/operations/<scheme>.json``, the one registry: schemas, command line, checks, docs tables and
the rooms test read it. Each wing (`reference`, `golden`, `bounds`, `cases`, `mistakes`) holds a module
per scheme and, in it, a function per operation; `find` opens the right door.
"""

import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

DTYPES: Final = ("float64", "float32", "bfloat16", "float16")
"""Floating dtypes of the vector format, widest first."""

Kind = Literal[
    "integer", "real", "boolean", "string", "choice", "integers", "choices", "scaling", "config"
]  # fmt: skip
"""Types of parameters; ``integers`` and ``choices`` are lists."""

Dtype = Literal["float64", "float32", "bfloat16", "float16", "int64", "bool"]


@dataclass(frozen=True)
class Input:
    """One input tensor of a signature; `shape` names its axes, ``...`` any leading ones.

    Any axis of an input that may `stretch` has the named size or 1.
    """

    name: str
    shape: str
    role: Literal["main", "table", "positions", "index", "mask"]
    dtype: Literal["float", "int", "bool", "int_or_float"]
    meaning: str
    optional: bool = False
    stretch: bool = False


@dataclass(frozen=True)
class Parameter:
    """One parameter of a signature, with its domain; `convention` means it never has a default.

    The limits hold for a number and for each of the `count` (None: one or more) integers of a list;
    ``choices`` is a list of different `values`. A ``config`` is a published configuration.
    """

    name: str
    type: Kind
    meaning: str
    values: tuple[str, ...] = ()
    convention: bool = False
    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    even: bool = False
    multiple_of: int | None = None
    count: int | None = None
    nullable: bool = False
    rope_types: tuple[str, ...] = ()
    default: Any = ...

    @property
    def required(self) -> bool:
        """Whether a caller must pass it."""
        return self.default is ...

    @property
    def habits(self) -> tuple[Any, ...]:
        """The values that a program blind to this convention may have built in; each gives results."""
        if not self.convention:
            return ()
        if self.type == "boolean":
            return (True, False)
        values = tuple(one for one in self.values if one != "error")
        return values if self.type == "choice" and len(values) > 1 else ()

    def ignored(self, habit: Any) -> str:
        """Return the flag of the cases on which `habit` in place of the declared value shows."""
        return f"{self.name}-ignored-{habit}".replace("_", "-").lower()


@dataclass(frozen=True)
class Output:
    """One output tensor of a signature."""

    name: str
    shape: str
    dtype: Literal["float", "int", "bool"]
    meaning: str


@dataclass(frozen=True)
class Signature:
    """What `spec/operations` says about one operation."""

    name: str
    summary: str
    ships: str
    tier: str
    vjp: bool
    integer: bool
    clauses: tuple[str, ...]
    edges: tuple[str, ...]
    inputs: tuple[Input, ...]
    parameters: tuple[Parameter, ...]
    outputs: tuple[Output, ...]

    @property
    def scheme(self) -> str:
        """The part of the name before the dot."""
        return self.name.partition(".")[0]

    @property
    def function(self) -> str:
        """The part of the name after the dot."""
        return self.name.partition(".")[2]

    @property
    def main(self) -> tuple[Input, ...]:
        """The inputs handed over in the dtype under test."""
        return tuple(entry for entry in self.inputs if entry.role == "main")

    @property
    def generator(self) -> bool:
        """Whether the caller names the dtype, there being no main input to take it from."""
        return not self.main and not self.integer


@dataclass(frozen=True)
class Tensor:
    """A tensor of exact values: Python floats that `dtype` holds, integers, or booleans as 0 and 1.

    `data` is flat, row-major; a tensor of rank 0 has one value.
    """

    dtype: Dtype
    shape: tuple[int, ...]
    data: tuple[Any, ...]


@dataclass(frozen=True)
class Refusal:
    """The error that an invalid case must get: a class and the parameter or input at fault."""

    kind: str
    parameter: str


@dataclass(frozen=True)
class Case:
    """One chosen input: why it was chosen, the clauses it tests, the flags it raises.

    `error` is None, or the refusal that the input must get. The inputs and parameters of a case
    that must be refused may themselves be anything. `hardness` is a dtype near whose rounding boundaries
    the result of a hard case lies, None where that is not why it was chosen.
    """

    id: str
    comment: str
    inputs: Mapping[str, Tensor]
    clauses: tuple[str, ...]
    flags: tuple[str, ...] = ()
    error: Refusal | None = None
    hardness: str | None = None


@dataclass(frozen=True)
class Group:
    """Cases of one operation that share their parameters."""

    name: str
    operation: str
    params: Mapping[str, Any]
    cases: tuple[Case, ...]
    requires: tuple[str, ...] = ()
    signed_zero: Literal["ignore", "strict"] = "ignore"


@dataclass(frozen=True)
class FromStep:
    """An input of a step that is the output `output` of the earlier step `step`, counted from 0."""

    step: int
    output: str


@dataclass(frozen=True)
class Made:
    """An object of a scenario: an operation and the parameters that it is made with."""

    operation: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """One call of an object of a scenario; only `seq_len`, where given, overrides a parameter."""

    object: str
    inputs: Mapping[str, Tensor | FromStep]
    seq_len: int | None = None

    @property
    def overrides(self) -> dict[str, int]:
        """The parameters of this call that are not the object's own."""
        return {} if self.seq_len is None else {"seq_len": self.seq_len}


@dataclass(frozen=True)
class Scenario:
    """Several calls, in order, on objects that an implementation makes once, before the first, and keeps."""

    id: str
    comment: str
    objects: Mapping[str, Made]
    steps: tuple[Step, ...]
    clauses: tuple[str, ...]
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScenarioGroup:
    """Scenarios of one kind, in the file `scenario`: a scheme, a dot, a name that ends in ``_scenario``."""

    name: str
    scenario: str
    cases: tuple[Scenario, ...]
    requires: tuple[str, ...] = ()
    signed_zero: Literal["ignore", "strict"] = "ignore"


@dataclass(frozen=True)
class Mistake:
    """A known wrong implementation of one operation.

    `function` has the operation's signature, works on NumPy arrays and returns float64 (or
    integers); if it has a method `on`, that puts it on top of another implementation. `check` is one
    value computed by hand or given in a report: keyword arguments of the call under ``"inputs"`` and
    ``"params"``, and the flat wrong result under ``"output"``.
    """

    name: str
    operation: str
    flag: str
    description: str
    function: Callable[..., Any]
    report: str = ""
    check: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StaleMistake:
    """A known wrong object: it keeps from one call of an operation what does not hold in a later one.

    `session` takes the parameters by keyword and returns the object, a callable that gets the inputs by
    position and by keyword the parameters that the call overrides. It takes NumPy arrays and gives
    arrays of their dtype, or integers. An object made anew for every call is right.
    """

    name: str
    operation: str
    flag: str
    description: str
    session: Callable[..., Callable[..., Any]]
    report: str = ""


@cache
def home(folder: str) -> Path:
    """Return where the data folder `folder` (``"spec"`` or ``"vectors"``) lies.

    An installed package carries it inside; a checkout has it beside the package.
    """
    package = Path(__file__).parent
    for place in (package / f"_{folder}", package.parent / folder):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"neither {package / f'_{folder}'} nor {package.parent / folder} exists")


@cache
def signatures() -> dict[str, Signature]:
    """Return every signature by name, in the order of the registry's files."""
    found: dict[str, Signature] = {}
    for file in sorted((home("spec") / "operations").glob("*.json")):
        for name, entry in json.loads(file.read_text("ascii"))["operations"].items():
            found[name] = _signature(name, entry)
    return found


def _signature(name: str, entry: dict[str, Any]) -> Signature:
    def tuples(record: dict[str, Any]) -> dict[str, Any]:
        return {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}

    return Signature(
        name=name,
        summary=entry["summary"],
        ships=entry["ships"],
        tier=entry["tier"],
        vjp=entry["vjp"],
        integer=entry["integer"],
        clauses=tuple(entry["clauses"]),
        edges=tuple(entry["edges"]),
        inputs=tuple(Input(**record) for record in entry["inputs"]),
        parameters=tuple(Parameter(**tuples(record)) for record in entry["parameters"]),
        outputs=tuple(Output(**record) for record in entry["outputs"]),
    )


def signature(name: str) -> Signature:
    """Return the signature of the operation `name`; an unknown name is a KeyError that says so."""
    try:
        return signatures()[name]
    except KeyError:
        raise KeyError(f"no operation {name!r}; posref list shows them all") from None


def schemes() -> tuple[str, ...]:
    """Return the names of all schemes, sorted."""
    return tuple(sorted({entry.scheme for entry in signatures().values()}))


def find(wing: str, name: str) -> Any:
    """Return what `wing` holds for the operation `name`: ``find("golden", "rope.apply")``."""
    entry = signature(name)
    return getattr(importlib.import_module(f"posref.{wing}.{entry.scheme}"), entry.function)


def mistakes(name: str) -> tuple[Mistake, ...]:
    """Return the registered mistakes of the operation `name`."""
    module = importlib.import_module(f"posref.mistakes.{signature(name).scheme}")
    return tuple(entry for entry in module.MISTAKES if entry.operation == name)


def stale_mistakes(name: str) -> tuple[StaleMistake, ...]:
    """Return the registered stale-state mistakes of the operation `name`, the wing's ``STALE``."""
    module = importlib.import_module(f"posref.mistakes.{signature(name).scheme}")
    return tuple(entry for entry in getattr(module, "STALE", ()) if entry.operation == name)


def scenarios() -> tuple[ScenarioGroup, ...]:
    """Return the groups of scenarios of every scheme that has any, the wing's ``SCENARIOS``."""
    modules = (importlib.import_module(f"posref.cases.{scheme}") for scheme in schemes())
    return tuple(group for module in modules for group in getattr(module, "SCENARIOS", ()))
