"""The map of requirements names tests and places that exist, and leaves none of them out."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGE = (DOCS / "requirements.md").read_text("utf-8")
ROW = re.compile(r"^\| ([A-Z]\d+) \|([^|]*)\|([^|]*)\|([^|]*)\|$", re.MULTILINE)
COUNTS = {"A": 9, "B": 10, "C": 3, "D": 11, "E": 5, "F": 6, "G": 3, "H": 3, "I": 20, "J": 8, "K": 1, "L": 1}
REQUIRED = [f"{letter}{number}" for letter, count in COUNTS.items() for number in range(1, count + 1)]


def rows():
    """Return identifier, tests and links of each row of the map."""
    return [
        (
            found[1],
            re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", found[3]),
            re.findall(r"\]\(([\w/.-]+\.md)#([\w.-]+)\)", found[4]),
        )
        for found in ROW.finditer(PAGE)
    ]


def functions(path):
    """Return the names of the test functions of a file, those of classes included."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def targets(path):
    """Return the targets of a page: its labels, its named blocks, and the clauses it includes."""
    text = (DOCS / path).read_text("utf-8")
    found = set(re.findall(r"^\(([\w.-]+)\)=$", text, re.MULTILINE))
    found |= set(re.findall(r"^:(?:label|name): ([\w.-]+)$", text, re.MULTILINE))
    if path == "errata.md":
        errata = (ROOT / "spec" / path).read_text("utf-8")
        found |= {
            f"erratum-{slug}" for slug in re.findall(r"^\*\*E\d+\*\* \(([a-z-]+)\)", errata, re.MULTILINE)
        }
    clauses = ROOT / "spec" / "schemes" / Path(path).name
    if clauses.exists():
        named = re.findall(r"^\*\*([a-z][a-z0-9_]*\.C\d+)\*\*", clauses.read_text("utf-8"), re.MULTILINE)
        found |= {name.lower() for name in named}
    return found


def test_every_requirement_has_one_row():
    assert [identifier for identifier, _, _ in rows()] == REQUIRED


def test_every_row_names_a_test_and_a_place():
    assert [identifier for identifier, tests, links in rows() if not tests or not links] == []


def test_the_tests_exist():
    absent = [
        f"{identifier}: {path}::{name}"
        for identifier, tests, _ in rows()
        for path, name in tests
        if not (ROOT / path).exists() or name not in functions(path)
    ]
    assert absent == []


def test_the_places_exist():
    absent = [
        f"{identifier}: {page}#{anchor}"
        for identifier, _, links in rows()
        for page, anchor in links
        if anchor not in targets(page)
    ]
    assert absent == []
