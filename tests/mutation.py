"""Single changes of a source, for tests that show that no change goes unseen."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

SWAPS: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.FloorDiv: (ast.Mult,),
    ast.Div: (ast.Mult,),
    ast.Lt: (ast.LtE,),
    ast.LtE: (ast.Lt,),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.And: (ast.Or,),
}
"""What may stand for an operator in any source."""

MORE_SWAPS: dict[type, tuple[type, ...]] = {
    **SWAPS,
    ast.Mod: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.Or: (ast.And,),
}
"""What may stand for one where the change of a whole source is tried."""

OTHER_FUNCTION = {"sin": "cos", "cos": "sin", "exp": "cos"}
OTHER_NAME = {"max": "min"}
MORE_FUNCTIONS = {"floor": "ceil", "ceil": "floor", "maximum": "minimum", "minimum": "maximum", "max": "min"}
UNSEEN = {"annotation", "returns", "decorator_list"}
"""Fields of a node that no call evaluates."""

EITHER_WAY = {"max", "min", "maximum", "minimum", "product", "multiply", "add", "meet", "zip"}
"""Functions of which it does not matter, or not for what they give, in which order the arguments stand."""


@dataclass(frozen=True)
class Mutant:
    """One change: the function, what became of what, its line and all lines of its statement.

    `tree` is the changed function or module; it holds the change only until the next mutant is asked for.
    """

    function: str
    change: str
    line: int
    lines: range
    tree: ast.Module

    @property
    def draw(self) -> int:
        """A number that only the change decides, for a choice that is the same in every run."""
        return int(sha256(f"{self.function}: {self.change}".encode()).hexdigest()[:12], 16)


def mutants(source: str, *, thorough: bool = False) -> Iterator[Mutant]:
    """Yield every single change of a function of `source`; methods are functions of ``Class.method``."""
    module = ast.parse(source)
    lines = source.splitlines()
    for name, function in functions(module):
        seen: dict[str, int] = {}
        for node, role, put, root in slots(function):
            before = ast.unparse(node)
            for other in variants(node, role, thorough):
                put(ast.fix_missing_locations(ast.copy_location(other, node)))
                text = f"{lines[node.lineno - 1].strip()}: {before} -> {ast.unparse(other)}"
                seen[text] = seen.get(text, 0) + 1
                text += f" [{seen[text]}]" if seen[text] > 1 else ""
                whole = range(root.lineno, (root.end_lineno or root.lineno) + 1)
                yield Mutant(name, text, node.lineno, whole, module)
                put(node)


def functions(module: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions and methods of a module with their names."""
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    yield f"{node.name}.{method.name}", method


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


def variants(node: ast.expr, role: str, thorough: bool) -> Iterator[ast.expr]:
    """Yield what is put in the place of an expression: always one thing else, nothing of its parts."""
    swaps = MORE_SWAPS if thorough else SWAPS
    match node:
        case ast.BinOp(_, _, ast.Constant(0.0)):
            return  # it only makes a zero positive
        case ast.BinOp(left, op, right):
            yield from (ast.BinOp(left, other(), right) for other in swaps.get(type(op), ()))
        case ast.BoolOp(op, values):
            yield from (ast.BoolOp(other(), values) for other in swaps.get(type(op), ()))
        case ast.Compare(left, [op, *ops], rest):
            yield from (ast.Compare(left, [other(), *ops], rest) for other in swaps.get(type(op), ()))
        case ast.UnaryOp(ast.USub(), operand):
            yield ast.UnaryOp(ast.UAdd(), operand)
        case ast.Constant(int() as value) if type(value) is int:
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.Attribute(value, name, context) if name in OTHER_FUNCTION:
            yield ast.Attribute(value, OTHER_FUNCTION[name], context)
        case ast.Name(name, context) if name in OTHER_NAME:
            yield ast.Name(OTHER_NAME[name], context)
    if thorough:
        yield from thorough_variants(node, role)


def thorough_variants(node: ast.expr, role: str) -> Iterator[ast.expr]:
    """Yield the changes beyond an operator or a constant: dropped, swapped and shifted parts."""
    match node:
        case ast.BinOp(_, ast.Add(), ast.Constant(0.0)):
            return
        case ast.BinOp(left, ast.Add(), right):
            yield from (left, right)
        case ast.BinOp(left, ast.Sub(), right):
            yield from (left, ast.UnaryOp(ast.USub(), right))
        case ast.BoolOp(_, [first, second]):
            yield from (first, second)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.IfExp(test, body, otherwise):
            yield ast.IfExp(test, otherwise, body)
        case ast.Subscript(value, ast.Name() as index, context):
            yield ast.Subscript(value, ast.BinOp(index, ast.Add(), ast.Constant(1)), context)
        case ast.Attribute(value, name, context) if name in MORE_FUNCTIONS:
            yield ast.Attribute(value, MORE_FUNCTIONS[name], context)
        case ast.Call():
            yield from swapped_arguments(node)
    if role == "test" and isinstance(node, ast.Name | ast.Attribute | ast.Call):
        yield ast.UnaryOp(ast.Not(), node)
    if role in ("lower", "upper") and isinstance(node, ast.Name):
        yield ast.BinOp(node, ast.Add(), ast.Constant(1))


def swapped_arguments(call: ast.Call) -> Iterator[ast.expr]:
    """Yield a call with two neighbouring arguments, or the values of two neighbouring keywords, swapped."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    for place, (one, other) in enumerate(zip(call.args, call.args[1:], strict=False)):
        if called in EITHER_WAY:
            break
        starred = isinstance(one, ast.Starred) or isinstance(other, ast.Starred)
        if not starred and ast.dump(one) != ast.dump(other):
            args = [*call.args[:place], other, one, *call.args[place + 2 :]]
            yield ast.Call(call.func, args, call.keywords)
    for place, (first, second) in enumerate(zip(call.keywords, call.keywords[1:], strict=False)):
        if first.arg and second.arg and ast.dump(first.value) != ast.dump(second.value):
            pair = [ast.keyword(first.arg, second.value), ast.keyword(second.arg, first.value)]
            yield ast.Call(call.func, call.args, [*call.keywords[:place], *pair, *call.keywords[place + 2 :]])
