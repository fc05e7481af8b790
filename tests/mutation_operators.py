"""What a single change may put in the place of an expression."""

import ast
from collections.abc import Iterator
from itertools import pairwise

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
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitOr,),
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

BOTH_SIDES = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
"""Operators of which either term may be dropped; of the others only the right one."""

IN_ORDER = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow)
"""Operators whose terms are swapped."""

MEANT = {"abs", "floor", "ceil", "round", "sqrt", "sign", "exp", "log", "sorted", "reversed", "conj"}
"""Functions of one argument that are dropped, the argument kept."""

EITHER_WAY = {"max", "min", "maximum", "minimum", "product", "multiply", "add", "meet", "zip"}
"""Functions of which it does not matter, or not for what they give, in which order the arguments stand."""


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
        yield from terms(node, role)
        yield from choices(node, role)
        yield from shifts(node, role)
        if isinstance(node, ast.Call):
            yield from arguments(node)


def terms(node: ast.expr, role: str) -> Iterator[ast.expr]:
    """Yield an expression with a term dropped or with its terms swapped; a number with a point doubled."""
    match node:
        case ast.BinOp(left, op, right):
            yield left
            if isinstance(op, BOTH_SIDES):
                yield right
            if isinstance(op, ast.Sub):
                yield ast.UnaryOp(ast.USub(), right)
            if isinstance(op, IN_ORDER):
                yield ast.BinOp(right, op, left)
        case ast.Call(ast.Name(name) | ast.Attribute(_, name), [argument], []) if name in MEANT:
            yield argument
        case ast.Constant(float() as value):
            yield ast.Constant(2 * value or 1.0)
        case ast.Tuple(items, ast.Load()) | ast.List(items, ast.Load()) if role != "comparators":
            yield from swapped_items(node, items)


def swapped_items(node: ast.Tuple | ast.List, items: list[ast.expr]) -> Iterator[ast.expr]:
    for place, (one, other) in enumerate(pairwise(items)):
        if ast.dump(one) != ast.dump(other):
            yield type(node)([*items[:place], other, one, *items[place + 2 :]], ast.Load())


def choices(node: ast.expr, role: str) -> Iterator[ast.expr]:
    """Yield a condition with a part of it dropped or turned round."""
    match node:
        case ast.BoolOp(_, [first, second]):
            yield from (first, second)
        case ast.BoolOp(op, parts):
            yield from (ast.BoolOp(op, parts[:place] + parts[place + 1 :]) for place in range(len(parts)))
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.IfExp(test, body, otherwise):
            yield from (ast.IfExp(test, otherwise, body), body, otherwise)
    if role == "ifs":
        yield ast.Constant(True)
    if role == "test" and isinstance(node, ast.Name | ast.Attribute | ast.Call):
        yield ast.UnaryOp(ast.Not(), node)


def shifts(node: ast.expr, role: str) -> Iterator[ast.expr]:
    """Yield a subscript or a slice moved by one, and slices with an end that is left open or cut off."""
    match node:
        case ast.Subscript(value, ast.Name() | ast.BinOp() | ast.Call() as index, context):
            yield ast.Subscript(value, moved(index, ast.Add()), context)
            yield ast.Subscript(value, moved(index, ast.Sub()), context)
        case ast.Slice(lower, upper, step):
            if lower is not None:
                yield ast.Slice(None, upper, step)
            elif step is None:
                yield ast.Slice(ast.Constant(1), upper, None)
            if upper is not None:
                yield ast.Slice(lower, None, step)
            elif step is None:
                yield ast.Slice(lower, ast.Constant(-1), None)
            if step is not None:
                yield ast.Slice(lower, upper, None)
    if role in ("lower", "upper") and not isinstance(node, ast.Constant | ast.UnaryOp):
        yield from (moved(node, ast.Add()), moved(node, ast.Sub()))


def moved(index: ast.expr, op: ast.operator) -> ast.expr:
    return ast.BinOp(index, op, ast.Constant(1))


def arguments(call: ast.Call) -> Iterator[ast.expr]:
    """Yield a call with two neighbours swapped, or the values of two keywords, or a keyword dropped."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    for place, (one, other) in enumerate(pairwise(call.args)):
        if called in EITHER_WAY:
            break
        starred = isinstance(one, ast.Starred) or isinstance(other, ast.Starred)
        if not starred and ast.dump(one) != ast.dump(other):
            args = [*call.args[:place], other, one, *call.args[place + 2 :]]
            yield ast.Call(call.func, args, call.keywords)
    for place, (first, second) in enumerate(pairwise(call.keywords)):
        if first.arg and second.arg and ast.dump(first.value) != ast.dump(second.value):
            pair = [ast.keyword(first.arg, second.value), ast.keyword(second.arg, first.value)]
            yield ast.Call(call.func, call.args, [*call.keywords[:place], *pair, *call.keywords[place + 2 :]])
    for place, keyword in enumerate(call.keywords):
        if keyword.arg not in (None, "strict"):
            yield ast.Call(call.func, call.args, call.keywords[:place] + call.keywords[place + 1 :])
