"""Published models: from the configurations in ``spec/models`` to groups of tests.

A file says where its numbers come from, what was published, and which operations the model runs; only
inputs without particular values are drawn, by the map of the vector format.
"""

import importlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from posref import operation
from posref.corpus.parameters import SCALING
from posref.operation import Case, Group, Parameter, Tensor


@dataclass(frozen=True)
class ModelGroup(Group):
    """A group of one operation that belongs to a model."""

    model: str = ""


@dataclass(frozen=True)
class Model:
    """A published model: its name, what it is, the public files of its numbers, its groups."""

    name: str
    title: str
    source: tuple[str, ...]
    groups: tuple[ModelGroup, ...]


@cache
def models() -> dict[str, Model]:
    """Return every model of ``spec/models`` by its name, which is the name of its file."""
    folder = operation.home("spec") / "models"
    return {file.stem: read(json.loads(file.read_text("ascii"))) for file in sorted(folder.glob("*.json"))}


def groups(pattern: str) -> Iterator[ModelGroup]:
    """Yield the groups of every model whose name, as ``models/<name>``, the glob matches."""
    for model in models().values():
        if fnmatchcase(f"models/{model.name}", pattern):
            yield from model.groups


def read(entry: Mapping[str, Any]) -> Model:
    """Return the model that a file of ``spec/models`` describes."""
    found = tuple(_group(entry, group) for group in entry["groups"])
    return Model(entry["model"], entry["title"], tuple(entry["source"]), found)


def _group(entry: Mapping[str, Any], group: Mapping[str, Any]) -> ModelGroup:
    signature = operation.signature(group["operation"])
    name = f"{entry['model']}-{group['group']}"
    params = {one.name: _parameter(one, entry, group["params"]) for one in signature.parameters}
    inputs = {key: _tensor(name, key, value) for key, value in group["inputs"].items()}
    case = Case(f"model-{name}", group["comment"], inputs, tuple(group["clauses"]))
    return ModelGroup(group["group"], signature.name, params, (case,), model=entry["model"])


def _parameter(one: Parameter, entry: Mapping[str, Any], params: Mapping[str, Any]) -> Any:
    """Return a parameter in the type of the signature; the configuration is the file's own."""
    if one.type == "config":
        return entry["config"]
    value = params[one.name] if one.required else params.get(one.name, one.default)
    if one.type == "scaling" and value is not None:
        return {key: value.get(key) for key in SCALING}
    return float(value) if one.type == "real" and value is not None else value


def _tensor(name: str, key: str, value: Any) -> Tensor:
    """Return an input: integers in nested lists, numbers of a dtype, or a shape to be drawn in a kind."""
    if isinstance(value, list):
        shape, data = _flat(value)
        return Tensor("int64", shape, tuple(data))
    if "draw" in value:
        draw = importlib.import_module("posref.cases._draw").draw
        drawn: Tensor = draw(f"model-{name}", key, tuple(value["shape"]), value["draw"])
        return drawn
    shape, data = _flat(value["data"])
    return Tensor(value["dtype"], shape, tuple(float(number) for number in data))


def _flat(nested: list[Any]) -> tuple[tuple[int, ...], list[Any]]:
    """Return the shape of nested lists and their elements in order."""
    if not nested or not isinstance(nested[0], list):
        return (len(nested),), nested
    parts = [_flat(part) for part in nested]
    return (len(nested), *parts[0][0]), [element for _, data in parts for element in data]
