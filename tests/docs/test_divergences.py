"""Every known disagreement is on the page, and what is said to capture it exists."""

import re
from pathlib import Path

import pytest

from posref import operation

PAGE = (Path(__file__).parents[2] / "docs" / "divergences.md").read_text("utf-8")
ENTRY = re.compile(r"^\(d(\d+)\)=\n\*\*D(\d+)\. ([^*]+)\*\* (.+)\n((?:: .+\n)+)", re.MULTILINE)
NAMED = re.compile(r"`([a-z0-9_]+\.[a-z0-9_]+)`: ((?:`\w+`(?:, )?)+)")
KNOWN = 37
REASON = 60
"""Characters that a reason has at least."""


def entries():
    """Return number, the line of operations with their names, what it names, and the reason of each entry."""
    found = []
    for entry in ENTRY.finditer(PAGE):
        lines = [line[2:] for line in entry[5].splitlines()]
        line = lines.pop(0) if lines[0].startswith("`") else ""
        named = [(name, re.findall(r"`(\w+)`", words)) for name, words in NAMED.findall(line)]
        found.append((int(entry[2]), line, named, " ".join(lines)))
    return found


def names(entry):
    """Return what a caller or a reader of the operation can name."""
    parts = (entry.inputs, entry.parameters, entry.outputs)
    return {part.name for group in parts for part in group}


def test_all_are_there_in_order():
    assert [number for number, *_ in entries()] == list(range(1, KNOWN + 1))
    assert [found[1] for found in ENTRY.finditer(PAGE)] == [str(number) for number in range(1, KNOWN + 1)]


def test_every_one_has_a_parameter_or_a_reason():
    bare = [(number, reason) for number, _, named, reason in entries() if not named]
    assert bare
    assert [
        number for number, reason in bare if len(reason) < REASON or not reason.startswith("Not a ")
    ] == []


def test_nothing_on_the_line_is_left_unread():
    unread = {number: NAMED.sub("", line).strip("; ") for number, line, _, _ in entries()}
    assert {number: rest for number, rest in unread.items() if rest} == {}


@pytest.mark.parametrize(("number", "named"), [(number, named) for number, _, named, _ in entries()])
def test_what_is_named_exists(number, named):
    known = operation.signatures()
    assert [name for name, _ in named if name not in known] == []
    assert [(name, word) for name, words in named for word in words if word not in names(known[name])] == []


def test_conventions_have_no_default():
    """A choice that programs disagree on is made by the caller."""
    known = operation.signatures()
    by_name = {name: {p.name: p for p in known[name].parameters} for name in known}
    chosen = [(name, word) for _, _, named, _ in entries() for name, words in named for word in words]
    conventions = [
        by_name[name][word]
        for name, word in chosen
        if word in by_name[name] and by_name[name][word].convention
    ]
    assert len(conventions) >= 15
    assert [parameter.name for parameter in conventions if not parameter.required] == []
