"""Single changes of a source, for tests that show that no change goes unseen."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from mutation_operators import variants

UNSEEN = {"annotation", "returns", "decorator_list"}
"""Fields of a node that no call evaluates."""

CONSTANT = ""
"""The function of a mutant that changes a constant of the module."""


@dataclass(frozen=True)
class Mutant:
    """One change: the function, what became of what, its line and all lines of its statement.

    `kind` says where it lies: in the "code" of the function, in the "default" of an argument (all lines of
    the function are then its lines), or in a "constant" of the module. `tree` is the changed module; it
    holds the change only until the next mutant is asked for.
    """

    function: str
    change: str
    line: int
    lines: range
    tree: ast.Module
    kind: str = "code"

    @property
    def draw(self) -> int:
        """A number that only the change decides, for a choice that is the same in every run."""
        return int(sha256(f"{self.function}: {self.change}".encode()).hexdigest()[:12], 16)


@dataclass(frozen=True)
class Change:
    """A change of a tree before it has a name: two nodes, what puts one there, and the lines it shows on."""

    before: ast.AST
    after: ast.AST
    put: Any
    lines: range
    kind: str = "code"


def mutants(source: str, *, thorough: bool = False) -> Iterator[Mutant]:
    """Yield every single change of a function of `source`; methods are functions of ``Class.method``.

    A thorough list has more operators, dropped statements, defaults of arguments and constants of the module.
    """
    module = ast.parse(source)
    lines = source.splitlines()
    for name, function in functions(module):
        found = changes(function, thorough)
        yield from named(name, module, lines, found)
    if thorough:
        yield from named(CONSTANT, module, lines, constants(module, len(lines)))


def named(name: str, module: ast.Module, lines: list[str], found: Iterator[Change]) -> Iterator[Mutant]:
    """Yield a mutant a change: the tree holds it for as long."""
    seen: dict[str, int] = {}
    for change in found:
        at: Any = change.before
        change.put(ast.fix_missing_locations(ast.copy_location(change.after, at)))
        text = f"{lines[at.lineno - 1].strip()}: {brief(change.before)} -> {brief(change.after)}"
        seen[text] = seen.get(text, 0) + 1
        text += f" [{seen[text]}]" if seen[text] > 1 else ""
        yield Mutant(name, text, at.lineno, change.lines, module, change.kind)
        change.put(change.before)


def brief(node: ast.AST) -> str:
    """Return the source of a node; of a loop only the head."""
    return ast.unparse(node).partition("\n")[0]


def functions(module: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions and methods of a module with their names."""
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    yield f"{node.name}.{method.name}", method


def changes(function: ast.FunctionDef, thorough: bool) -> Iterator[Change]:
    for node, role, put, root in slots(function):
        for other in variants(node, role, thorough):
            yield Change(node, other, put, span(root))
    if thorough:
        yield from dropped(function)
        yield from defaults(function)


def span(node: Any) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def slots(parent: ast.AST, root: Any = None) -> Iterator[tuple[Any, str, Any, Any]]:
    """Yield every expression below a node, its role, what puts another there, and its statement's root.

    What only makes the message of an error, and what no call evaluates, is left out.
    """
    for field, value in ast.iter_fields(parent):
        if field in UNSEEN or isinstance(value, ast.arguments) or getattr(parent, "arg", None) == "strict":
            continue
        for place, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or isinstance(child, ast.Raise | ast.JoinedStr):
                continue
            top = child if isinstance(child, ast.expr) and root is None else root
            if isinstance(child, ast.expr):
                yield child, field, putter(parent, field, place, value), top
            yield from slots(child, top)


def putter(parent: ast.AST, field: str, place: int, value: Any) -> Any:
    if isinstance(value, list):
        return lambda node: value.__setitem__(place, node)
    return lambda node: setattr(parent, field, node)


def dropped(function: ast.FunctionDef) -> Iterator[Change]:
    """Yield the statements that a function can do without and still run: ``pass`` stands for each.

    These are calls for their effect, refusals, early returns, loops, and assignments to what has a value
    already. The last return is none of them, nor is what binds a name for the first time.
    """
    bound = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    last = function.body[-1]
    for parent, statement, put in statements(function):
        if statement is not last and droppable(statement, bound) and not isinstance(parent, ast.ClassDef):
            yield Change(statement, ast.Pass(), put, span(statement))
        bound |= {node.id for node in ast.walk(statement) if is_binding(node)}


def statements(parent: ast.AST) -> Iterator[tuple[ast.AST, ast.stmt, Any]]:
    """Yield every statement below a node, in order, and what puts another there."""
    for field, value in ast.iter_fields(parent):
        for place, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.stmt):
                yield parent, child, putter(parent, field, place, value)
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                yield from statements(child)


def droppable(statement: ast.stmt, bound: set[str]) -> bool:
    match statement:
        case ast.Expr(value):
            return not isinstance(value, ast.Constant)
        case (
            ast.Raise()
            | ast.Return()
            | ast.For()
            | ast.While()
            | ast.AugAssign()
            | ast.Continue()
            | ast.Break()
        ):
            return True
        case ast.Assign(targets):
            parts = [part for target in targets for part in ast.walk(target)]
            names = {part.id for part in parts if is_binding(part)}
            return names <= bound
    return False


def is_binding(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def defaults(function: ast.FunctionDef) -> Iterator[Change]:
    """Yield the changes of the values that arguments have when they are not given."""
    for values in (function.args.defaults, function.args.kw_defaults):
        for place, value in enumerate(values):
            put = putter(function.args, "", place, values)
            for other in other_default(value):
                yield Change(value, other, put, span(function), "default")


def other_default(value: ast.expr | None) -> Iterator[ast.expr]:
    match value:
        case None:
            return
        case ast.Constant(None):
            yield ast.Constant(1)
        case ast.Constant(str() as text):
            yield ast.Constant(f"no {text}")
        case ast.Constant(bool()):
            yield from variants(value, "default", True)
        case _:
            yield ast.Constant(None)
            yield from variants(value, "default", True)


def constants(module: ast.Module, lines: int) -> Iterator[Change]:
    """Yield the changes of the numbers that a module keeps under names of their own."""
    for node in module.body:
        target = node.target if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [None])[0]
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(target, ast.Name):
            for part, role, put, _ in slots(node):
                if role not in ("target", "targets") and not isinstance(part, ast.Tuple | ast.List):
                    yield from (
                        Change(part, other, put, range(1, lines + 1), "constant")
                        for other in variants(part, role, True)
                    )
