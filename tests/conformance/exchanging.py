"""A mutant put in force: the code or the defaults of its function, or a constant of its module, exchanged."""

import ast
import inspect
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from mutation import Mutant, functions

Undo = Callable[[], None]


@contextmanager
def exchanged(module: types.ModuleType, mutant: Mutant) -> Iterator[None]:
    """Put a mutant in force: whoever holds its function, or its constant, has the changed one."""
    exchange = {"code": exchange_code, "default": exchange_defaults, "constant": exchange_constant}
    undo = exchange[mutant.kind](module, mutant)
    forget(module)
    try:
        yield
    finally:
        undo()
        forget(module)


def forget(module: types.ModuleType) -> None:
    """Empty what the numerics remember between calls, if it is they that change."""
    if module.__name__.startswith("posref.numerics."):
        for name in [name for name in sys.modules if name.startswith("posref.numerics.")]:
            for found in vars(sys.modules[name]).values():
                getattr(found, "cache_clear", int)()


def function(module: types.ModuleType, name: str) -> types.FunctionType:
    """Return the plain function of a name such as ``apply`` or ``Reading.find``, without its decorators."""
    owner, _, attribute = name.rpartition(".")
    found = inspect.getattr_static(getattr(module, owner) if owner else module, attribute)
    found = found.fget if isinstance(found, property) else found
    found = found.func if isinstance(found, cached_property) else found
    found = inspect.unwrap(found)
    assert isinstance(found, types.FunctionType), name
    return found


def exchange_code(module: types.ModuleType, mutant: Mutant) -> Undo:
    target = function(module, mutant.function)
    own = target.__code__
    target.__code__ = code(mutant.tree, mutant.function)

    def undo() -> None:
        target.__code__ = own

    return undo


def code(tree: ast.Module, name: str) -> types.CodeType:
    """Return the code of a function in a changed source."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a change such as ``is not 3`` is warned of
        found = compile(tree, "mutant", "exec", dont_inherit=True)
    for part in name.split("."):
        found = next(c for c in found.co_consts if isinstance(c, types.CodeType) and c.co_name == part)
    return found


def exchange_defaults(module: types.ModuleType, mutant: Mutant) -> Undo:
    target = function(module, mutant.function)
    own = target.__defaults__, target.__kwdefaults__
    arguments = dict(functions(mutant.tree))[mutant.function].args
    named = arguments.kwonlyargs, arguments.kw_defaults
    target.__defaults__ = tuple(value(module, node) for node in arguments.defaults) or None
    target.__kwdefaults__ = {
        key.arg: value(module, node) for key, node in zip(*named, strict=True) if node is not None
    }

    def undo() -> None:
        target.__defaults__, target.__kwdefaults__ = own

    return undo


def value(module: types.ModuleType, node: ast.expr) -> Any:
    """Return what an expression is worth in a module."""
    return eval(compile(ast.Expression(node), "mutant", "eval"), vars(module))


def exchange_constant(module: types.ModuleType, mutant: Mutant) -> Undo:
    """Exchange a constant, and what its module makes of it, in all modules of the package that hold them."""
    names = {target.id for node in mutant.tree.body for target in targets(node)}
    made = dict(vars(module))
    try:
        exec(compile(mutant.tree, "mutant", "exec", dont_inherit=True), made)
    except Exception:  # it cannot even be loaded: whoever asks for a constant fails
        made = dict.fromkeys(names)
    parts = [part for key, part in sys.modules.items() if key.partition(".")[0] == "posref"]
    own = {name: getattr(module, name) for name in names}
    holders = [(part, name) for part in parts for name in names if vars(part).get(name) is own[name]]
    for holder, name in holders:
        setattr(holder, name, made[name])

    def undo() -> None:
        for holder, name in holders:
            setattr(holder, name, own[name])

    return undo


def targets(node: ast.stmt) -> Iterator[ast.Name]:
    """Yield the names that a statement of a module assigns to."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        parts = node.targets if isinstance(node, ast.Assign) else [node.target]
        for part in parts:
            yield from (name for name in ast.walk(part) if isinstance(name, ast.Name))
