"""What every page needs to be read with ease: whole lines of formulas, tables without idle columns."""

import re
from typing import ClassVar

from docutils import nodes
from pygments.lexer import RegexLexer, bygroups, using
from pygments.lexers import BashLexer
from pygments.token import Generic

AFTER = re.compile("[-.,;:!?)%\N{RIGHT SINGLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\\]]+")
BEFORE = re.compile("[([\N{LEFT DOUBLE QUOTATION MARK}]+$")
SUFFIX = re.compile("-[a-z]")
LONG = 60
"""Letters from which a cell is given some width on a phone."""


class Session(RegexLexer):
    """A terminal: a line that begins with a dollar is typed, every other line is printed."""

    name = "session"
    tokens: ClassVar = {
        "root": [
            (r"(\$ )((?:.*\\\n)*.*\n)", bygroups(Generic.Prompt, using(BashLexer))),
            (r".*\n", Generic.Output),
        ]
    }


def join(app, doctree) -> None:
    """Keep a sign of punctuation on the line of its formula, and an index on that of its name."""
    for formula in list(doctree.findall(nodes.math)):
        line, place = formula.parent, formula.parent.index(formula)
        before, after = line[place - 1] if place else None, line[place + 1] if place + 1 < len(line) else None
        opens = BEFORE.search(before) if isinstance(before, nodes.Text) else None
        ends = AFTER.match(after) if isinstance(after, nodes.Text) else None
        if ends:
            line[place + 1] = nodes.Text(after[ends.end() :])
        if opens:
            line[place - 1] = nodes.Text(before[: opens.start()])
        index = isinstance(before, nodes.literal) and formula.astext().startswith(("_", "^"))
        if opens or ends or index:
            whole = nodes.inline(classes=["joined"])
            line[place] = whole
            whole += [nodes.Text(opens[0])] if opens else []
            if index:
                line.remove(before)
                whole += before
            whole += [formula, *([nodes.Text(ends[0])] if ends else [])]


def fill(app, doctree) -> None:
    """Leave out empty columns, mark the cells that hold sentences, keep the hyphen of a suffix with it."""
    for group in doctree.findall(nodes.tgroup):
        rows = list(group.findall(nodes.row))
        held = [row for row in rows if isinstance(row.parent, nodes.tbody)]
        specs = list(group.findall(nodes.colspec))
        if all(len(row) == len(specs) for row in rows):
            for column in reversed(range(len(specs))):
                if not any(len(row[column]) and row[column].astext().strip() for row in held):
                    for row in rows:
                        row.remove(row[column])
                    group.remove(specs[column])
                    group["cols"] = group.get("cols", len(specs)) - 1
        for entry in group.findall(nodes.entry):
            for text in list(entry.findall(nodes.Text)):
                if SUFFIX.match(text):
                    text.parent.replace(text, nodes.Text("\N{NON-BREAKING HYPHEN}" + text[1:]))
            if len(entry.astext()) > LONG:
                entry["classes"].append("long")


def end(app, doctree) -> None:
    """End a listing with its last line."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip()
        if block.rawsource == block.astext():
            block.rawsource, block[:] = text, [nodes.Text(text)]


def setup(app) -> None:
    """Register the hooks."""
    app.add_lexer("console", Session)
    for change in (join, fill, end):
        app.connect("doctree-read", change)
