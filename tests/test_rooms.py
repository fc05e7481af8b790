"""The rooms test: one name opens the same door in every room, and arrows go one way."""

import ast
import inspect
import re
import sys
from pathlib import Path

import pytest

import posref
from posref import operation
from posref.corpus import load_vectors
from posref.corpus.clauses import clauses

ROOT = Path(operation.__file__).parents[1]
WINGS = ("reference", "golden", "bounds", "cases", "mistakes")
NAMES = tuple(operation.signatures())

# What a module of posref may import besides itself, its own folder and the standard library.
MAY_IMPORT = {
    "posref.errors": set(),
    "posref.operation": set(),
    "posref.numerics": {"numpy", "posref.errors", "posref.operation"},
    "posref.reference": {"numpy", "posref.numerics", "posref.errors", "posref.operation"},
    "posref.golden": set(),
    "posref.bounds": {"numpy", "posref.operation"},
    "posref.cases": {"posref.operation"},
    "posref.mistakes": {"numpy", "posref.operation", "posref.errors", "posref.reference"},
    "posref.corpus": {
        "numpy", "mpmath", "flint",
        "posref", "posref.errors", "posref.operation", "posref.numerics", "posref.bounds",
    },
    "posref.conformance": {
        "numpy",
        "posref", "posref.errors", "posref.operation", "posref.numerics", "posref.bounds", "posref.corpus",
        "posref.adapters",
        "safetensors",
    },
}  # fmt: skip
ONLY_IN = {
    "mpmath": {"posref.corpus.engine_mpmath", "posref.corpus.sweep_filter"},
    "flint": {"posref.corpus.engine_arb"},
    "safetensors": {"posref.conformance.export.safetensors"},
}


def imports(file: Path) -> set[str]:
    """Return the absolute names a file imports, each ``from`` import as the module and the name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def dotted(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("wing", WINGS)
def test_every_scheme_in_every_wing(wing: str) -> None:
    rooms = {file.stem for file in (ROOT / "posref" / wing).glob("*.py") if not file.stem.startswith("_")}
    extra = {"model"} if wing == "bounds" else set()
    assert rooms - extra == set(operation.schemes())


@pytest.mark.parametrize("scheme", operation.schemes())
def test_scheme_has_spec_test_and_page(scheme: str) -> None:
    for place in (
        f"spec/schemes/{scheme}.md",
        f"spec/operations/{scheme}.json",
        f"tests/schemes/test_{scheme}.py",
        f"docs/schemes/{scheme}.md",
    ):
        assert (ROOT / place).is_file(), place


@pytest.mark.parametrize("name", NAMES)
def test_operation_in_every_wing(name: str) -> None:
    entry = operation.signature(name)
    for wing in ("reference", "golden", "cases", *(() if entry.integer else ("bounds",))):
        assert callable(operation.find(wing, name)), wing
    assert operation.mistakes(name), "no registered mistake"


@pytest.mark.parametrize("wing", WINGS)
def test_wings_hold_nothing_unregistered(wing: str) -> None:
    for scheme in operation.schemes():
        module = __import__(f"posref.{wing}.{scheme}", fromlist=["_"])
        public = {
            name
            for name, value in vars(module).items()
            if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
        }
        registered = {entry.function for entry in operation.signatures().values() if entry.scheme == scheme}
        assert wing == "mistakes" or public <= registered, public - registered


@pytest.mark.parametrize("name", NAMES)
def test_reference_signature_is_the_registered_one(name: str) -> None:
    entry = operation.signature(name)
    parameters = inspect.signature(operation.find("reference", name)).parameters.values()
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    keyword = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    assert [p.name for p in positional] == [tensor.name for tensor in entry.inputs]
    assert [p.default is None for p in positional] == [tensor.optional for tensor in entry.inputs]
    expected = {p.name: inspect.Parameter.empty if p.required else p.default for p in entry.parameters}
    if entry.generator:
        expected["dtype"] = "float64"
    if not entry.inputs:
        expected["like"] = None
    assert keyword == expected


@pytest.mark.parametrize("name", NAMES)
def test_convention_has_no_default(name: str) -> None:
    for parameter in operation.signature(name).parameters:
        assert parameter.required or not parameter.convention, parameter.name


def test_every_operation_has_vectors_and_every_clause_a_case() -> None:
    corpus = load_vectors()
    seen = {(test.operation, test.kind) for test in corpus.tests}
    assert {name for name, kind in seen if kind == "value"} == set(NAMES)
    cited = {clause for test in corpus.tests for clause in test.clauses}
    known = {name for name in clauses() if name.partition(".")[0] in {*operation.schemes(), "conventions"}}
    assert known <= cited, known - cited
    assert cited <= set(clauses()), cited - set(clauses())


def test_registry_cites_clauses_that_exist_and_all_of_them() -> None:
    cited = {clause for entry in operation.signatures().values() for clause in entry.clauses}
    assert cited <= set(clauses())


@pytest.mark.parametrize("scheme", [*operation.schemes(), "conventions"])
def test_clauses_are_dense(scheme: str) -> None:
    numbers = [int(name.rpartition("C")[2]) for name in clauses() if name.startswith(f"{scheme}.C")]
    assert numbers == list(range(1, len(numbers) + 1))


def test_clauses_cited_in_code_exist() -> None:
    for file in sorted((ROOT / "posref").rglob("*.py")):
        for name in re.findall(
            r"\b(?:vector-format|wire-protocol|[a-z0-9_]+)\.C\d+\b", file.read_text("utf-8")
        ):
            assert name in clauses(), f"{file.name}: {name}"


@pytest.mark.parametrize("file", sorted((ROOT / "posref").rglob("*.py")), ids=dotted)
def test_arrows_go_one_way(file: Path) -> None:
    module = dotted(file)
    for name in imports(file):
        top = name.partition(".")[0]
        if top in ONLY_IN:
            assert module in ONLY_IN[top], f"{module} imports {name}"
    rule = next((MAY_IMPORT[key] for key in MAY_IMPORT if (module + ".").startswith(key + ".")), None)
    if rule is None:
        return
    folder = ".".join(module.split(".")[:2])
    for name in imports(file):
        if name.partition(".")[0] in sys.stdlib_module_names or (name + ".").startswith(folder + "."):
            continue
        assert any(
            (name + ".").startswith(allowed + ".")
            if allowed != "posref"
            else name in ("posref", "posref.__version__")
            for allowed in rule
        ), f"{module} imports {name}"


def test_readme_names_every_scheme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert not [scheme for scheme in operation.schemes() if f"`{scheme}`" not in readme]


def test_modules_are_short() -> None:
    for file in sorted((ROOT / "posref").rglob("*.py")):
        assert len(file.read_text("utf-8").splitlines()) <= 350, file


def test_public_names() -> None:
    assert set(posref.SCHEMES) == set(operation.schemes())
    assert set(dir(posref)) == set(posref.__all__)
    for name in posref.__all__:
        assert getattr(posref, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = posref.nothing
