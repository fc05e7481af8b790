"""Every Python block of the pages and of the README runs and prints what is shown."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
FILES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
    *sorted((ROOT / "docs" / "learn").glob("*.md")),
    *sorted((ROOT / "docs" / "schemes").glob("*.md")),
]


def blocks(text):
    """Return the Python blocks of a page with the line on which each starts."""
    return [(text.count("\n", 0, found.start(1)), found[1]) for found in BLOCK.finditer(text)]


def run(text, name):
    """Run the blocks of a page in one namespace; return what went wrong."""
    names = {"__name__": "example"}
    problems = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    for line, block in blocks(text):
        if ">>>" not in block:
            exec(compile("\n" * line + block, name, "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(block, names, name, name, line)
        runner.run(test, out=problems.append, clear_globs=False)
        names = test.globs
    return "".join(problems)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_blocks(path, capsys):
    assert run(path.read_text("utf-8"), path.name) == ""


def test_the_pages_have_blocks():
    assert sum(len(blocks(path.read_text("utf-8"))) for path in FILES) >= 10


def test_a_wrong_output_is_found():
    assert "Expected:" in run("```python\n>>> 1 + 1\n3\n```\n", "page")
