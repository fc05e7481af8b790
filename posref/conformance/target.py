"""What can be judged, made one kind of thing: an `Implementation`."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from posref import adapters
from posref.adapters import Implementation
from posref.conformance.claims import applies, check_dtypes
from posref.conformance.results import Results
from posref.conformance.wire import Command
from posref.operation import DTYPES, signatures


def resolve(target: Any, root: str | Path | None = None) -> Implementation:
    """Return `target` as an `Implementation`.

    Parameters
    ----------
    target : Implementation, Command, Results, str, mapping, module or object
        A string is an adapter's name, or a dotted path ``package.module`` or
        ``package.module:object`` to import. A mapping goes from operation names to callables. A module
        or object has an attribute per scheme and in it one per function (``target.rope.apply``).
        A `Command` is started; the `life` of what is returned ends it.
    root : path, optional
        Folder of the corpus that a `Command` or `Results` is judged by.

    Returns
    -------
    Implementation

    Raises
    ------
    ValueError
        If nothing to judge is found in it.
    ImportError
        If it, or the framework it needs, cannot be imported.
    """
    if isinstance(target, Implementation):
        return target
    if isinstance(target, Command | Results):
        return target.open(root)
    if isinstance(target, str):
        return _named(target)
    if isinstance(target, Mapping):
        return Implementation("mapping", _checked(target))
    name = getattr(target, "__name__", type(target).__name__)
    found = _attributes(target)
    if not found:
        raise ValueError(
            f"{name} has no operation to judge: an operation such as rope.apply is looked up as "
            f"the attribute {name}.rope.apply"
        )
    return Implementation(str(name), found, version=str(getattr(target, "__version__", "")))


def _named(name: str) -> Implementation:
    if name in adapters.names():
        return adapters.load(name)
    path, _, inner = name.partition(":")
    if not path:
        raise ValueError(f"{name!r} names no adapter and no module")
    try:
        target: Any = importlib.import_module(path)
    except ModuleNotFoundError as missing:
        if missing.name is not None and (path == missing.name or path.startswith(missing.name + ".")):
            known = ", ".join(adapters.names())
            raise ValueError(f"{name!r} is neither an adapter ({known}) nor a module to import") from None
        raise
    except Exception as failure:  # a module may raise anything while it is imported
        raise ImportError(f"{path} cannot be imported: {type(failure).__name__}: {failure}") from failure
    for step in filter(None, inner.split(".")):
        if not hasattr(target, step):
            raise ValueError(f"{path} has no {inner!r}")
        target = getattr(target, step)
    if callable(target) and getattr(target, "__name__", "") == "load":
        target = target()
    return resolve(target)


def _checked(operations: Mapping[Any, Any]) -> dict[str, Callable[..., Any]]:
    known = signatures()
    for name, function in operations.items():
        if name not in known:
            raise ValueError(f"no operation {name!r}; posref list shows them all")
        if not callable(function):
            raise ValueError(f"{name} is not callable but a {type(function).__name__}")
    if not operations:
        raise ValueError("the mapping has no operation to judge")
    return dict(operations)


def _attributes(target: Any) -> dict[str, Callable[..., Any]]:
    found = {}
    for name, entry in signatures().items():
        function = getattr(getattr(target, entry.scheme, None), entry.function, None)
        if callable(function):
            found[name] = function
    return found


def pick_dtypes(
    implementation: Implementation, asked: str | Sequence[str] | None, claim: str | None
) -> tuple[str, ...]:
    """Return the floating dtypes to judge in: those asked for, or all that `implementation` has.

    A claim that is not made for a dtype leaves it out; where it was asked for, it is an error.
    """
    if asked is None:
        have = tuple(dtype for dtype in DTYPES if dtype in implementation.dtypes)
        return tuple(dtype for dtype in have if claim is None or applies(claim, dtype))
    chosen = (asked,) if isinstance(asked, str) else tuple(asked)
    check_dtypes(chosen)
    for dtype in chosen:
        if claim is not None and not applies(claim, dtype):
            raise ValueError(f"the claim {claim} is not made for {dtype}")
    return tuple(dict.fromkeys(chosen))
