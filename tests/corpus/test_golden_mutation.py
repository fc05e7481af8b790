"""No change to a golden definition goes unseen: each mutant makes some vector come out different."""

import ast
import copy
import inspect
import types
from collections.abc import Iterator
from typing import Any

import pytest

from posref import operation
from posref.corpus import load_vectors
from posref.corpus.certify import certify
from posref.corpus.engine_mpmath import MpmathReal
from posref.corpus.load import Test as Vector

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
OTHER_FUNCTION = {"sin": "cos", "cos": "sin", "exp": "cos", "max": "min"}

EQUIVALENT = {
    ("attention._weighted_means", "max(z) -> min(z)"): "a mean may be counted from any of the keys",
    ("attention._prefixes", "ranks[j] < count -> ranks[j] <= count"): "",
}
"""Mutants that compute the same real numbers, each with the reason."""


def mutants(source: str) -> Iterator[tuple[str, str, ast.Module]]:
    """Yield (function, what was changed, changed module) for every single change of the source."""
    tree = ast.parse(source)
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        count = sum(1 for _ in ast.walk(function))
        for index in range(count):
            for way in range(2):
                changed = copy.deepcopy(tree)
                twin = next(
                    n for n in changed.body if isinstance(n, ast.FunctionDef) and n.name == function.name
                )
                node = next(n for i, n in enumerate(ast.walk(twin)) if i == index)
                before = ast.unparse(node)
                if change(node, way):
                    yield (
                        function.name,
                        f"{before} -> {ast.unparse(node)}",
                        ast.fix_missing_locations(changed),
                    )


def change(node: ast.AST, way: int) -> bool:
    """Change one node in place in its `way`-th way; say whether there is such a way."""
    if isinstance(node, ast.BinOp | ast.BoolOp) and way < len(SWAPS.get(type(node.op), ())):
        node.op = SWAPS[type(node.op)][way]()
    elif isinstance(node, ast.Compare) and way < len(SWAPS.get(type(node.ops[0]), ())):
        node.ops[0] = SWAPS[type(node.ops[0])][way]()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and way == 0:
        node.op = ast.UAdd()
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        node.value += 1 - 2 * way
    elif isinstance(node, ast.Attribute) and node.attr in OTHER_FUNCTION and way == 0:
        node.attr = OTHER_FUNCTION[node.attr]
    elif isinstance(node, ast.Name) and node.id in OTHER_FUNCTION and way == 0:
        node.id = OTHER_FUNCTION[node.id]
    else:
        return False
    return True


def vectors(name: str) -> list[Vector]:
    """Return the value tests of an operation, the small ones first."""
    tests = [test for test in load_vectors(operations=name).tests if test.kind == "value"]
    return sorted(tests, key=lambda test: sum(len(tensor.data) for tensor in test.inputs.values()))


def differs(tests: list[Vector]) -> bool:
    """Say whether some vector comes out different from what is stored."""
    for test in tests:
        dtypes = [dtype for dtype in next(iter(test.expected.values())) if dtype not in ("int64", "bool")][:1]
        try:
            found = certify(MpmathReal, test.operation, test.inputs, test.params, dtypes)
        except Exception:  # a mutant may fail in any way, and failing is being seen
            return True
        for output, by_dtype in found.items():
            for dtype, (tensor, residual) in by_dtype.items():
                stored = test.expected[output][dtype]
                if (tensor, residual) != (stored.tensor, stored.residual):
                    return True
    return False


@pytest.mark.parametrize("scheme", operation.schemes())
def test_every_golden_mutant_is_seen(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = __import__(f"posref.golden.{scheme}", fromlist=["_"])
    names = [name for name in operation.signatures() if name.startswith(f"{scheme}.")]
    tests = {name: vectors(name) for name in names}
    original = operation.find
    survivors = []
    total = 0
    for function, text, tree in mutants(inspect.getsource(module)):
        mutant = types.ModuleType(module.__name__)
        exec(compile(tree, "mutant", "exec"), vars(mutant))

        def find(wing: str, name: str, mutant: types.ModuleType = mutant) -> Any:
            return getattr(mutant, name.partition(".")[2]) if wing == "golden" else original(wing, name)

        monkeypatch.setattr(operation, "find", find)
        total += 1
        relevant = [f"{scheme}.{function}"] if f"{scheme}.{function}" in names else []
        order = [*relevant, *(name for name in names if name not in relevant)]
        if (f"{scheme}.{function}", text) not in EQUIVALENT and not any(differs(tests[n]) for n in order):
            survivors.append(f"{scheme}.{function}: {text}")
    assert total > 5
    assert not survivors, "\n".join(survivors)
