"""The kinds of vector files, and the path of a file of each kind below the root of a corpus."""

from typing import Final

from posref import operation
from posref.errors import FormatError

VALUE: Final = "value"
INVALID: Final = "invalid"
SCENARIO: Final = "scenario"
MODEL: Final = "model"
HARD: Final = "hard"
GOLDEN: Final = "golden"

SETS: Final = (HARD, GOLDEN)
"""Folders beside the core whose files are of one kind each, which has the folder's name."""


def path_of(name: str, kind: str) -> str:
    """Return the path of the file of an operation, scenarios or a model."""
    if kind == MODEL:
        return f"models/{name}.json"
    scheme, _, function = name.partition(".")
    if kind in SETS:
        return f"{kind}/{scheme}/{function}.json"
    return f"core/{scheme}/{function}{'_invalid' if kind == INVALID else ''}.json"


def address(path: str) -> tuple[str, str]:
    """Return the operation, the model or the scenarios, and the kind, that the path of a file promises."""
    folder, *inner = path.removesuffix(".json").split("/")
    if folder == "models" and len(inner) == 1:
        return inner[0], MODEL
    scheme, _, function = ".".join(inner).partition(".")
    for kind, name in _promised(folder, scheme, function):
        if len(inner) == 2 and path_of(name, kind) == path:
            return name, kind
    raise FormatError(path, "is not the path of a file of an operation that this version knows")


def _promised(folder: str, scheme: str, function: str) -> list[tuple[str, str]]:
    """Return every kind of file that may lie there, with the name that it is then of."""
    found = [(folder, f"{scheme}.{function}")] if folder in SETS else []
    if folder == "core":
        found = [(INVALID, f"{scheme}.{function.removesuffix('_invalid')}"), (VALUE, f"{scheme}.{function}")]
    found = [(kind, name) for kind, name in found if name in operation.signatures()]
    if folder == "core" and scheme in operation.schemes() and function.endswith(f"_{SCENARIO}"):
        found.append((SCENARIO, f"{scheme}.{function}"))
    return found
