"""The normative text, with an anchor for each clause and a link wherever one is named."""

import re

from posref.operation import home

HEAD = re.compile(r"^\*\*([a-z][a-z0-9_-]*\.C\d+)\*\*", re.MULTILINE)
NAMED = re.compile(r"(?<![\w*#\[])([a-z][a-z0-9_-]*\.C\d+)\b(?!\*\*)")
LOCAL = re.compile(r"(?<![\w.*#\[$\\])C(?!99\b)(\d+)\b(?![\w*])")  # C99 is a language


BESIDE = ("conventions", "precision", "vector-format", "wire-protocol")
"""Pages of the specification beside those of the schemes."""

FOREIGN = ("precision", "")
"""Pages on which a bare clause such as C2 may be one of another page; text without a page has no name."""


def linked(text: str, scheme: str) -> str:
    """Return `text` with each clause that it names as a link to that clause."""
    pieces = re.split(r"(\$\$.*?\$\$|\$[^$\n]*\$|`[^`\n]*`)", text, flags=re.DOTALL)
    for number in range(0, len(pieces), 2):
        piece = NAMED.sub(lambda found: f"[{found[1]}](#{found[1].lower()})", pieces[number])
        if scheme not in FOREIGN:
            piece = LOCAL.sub(lambda found: f"[C{found[1]}](#{scheme}.c{found[1]})", piece)
        pieces[number] = piece
    return "".join(pieces)


def clauses(text: str, scheme: str) -> str:
    """Return the page `text` with each clause in a box of its own and without its title."""
    blocks, inside = [], False
    for written in text.split("\n\n")[1:]:
        found, block = HEAD.match(written), written
        ends = found or block.startswith(("## ", "Source: "))
        if inside and ends:
            blocks.append("::::")
            inside = False
        if found:
            name = found[1]
            blocks.append(f"({name.lower()})=\n::::{{div}} clause")
            block = f"**[{name}](#{name.lower()})**" + linked(written[found.end() :], scheme)
            inside = True
        elif not block.startswith("## "):
            block = linked(written, scheme)
        blocks.append(block.strip("\n"))
    return "\n\n".join([*blocks, *(["::::"] if inside else [])]) + "\n"


def pages() -> dict[str, str]:
    """Return the clauses of every page of the specification as pages to include."""
    files = {file.stem: file for file in sorted((home("spec") / "schemes").glob("*.md"))}
    files |= {name: home("spec") / f"{name}.md" for name in BESIDE}
    return {
        f"{scheme}-clauses.md": clauses(file.read_text("utf-8"), scheme) for scheme, file in files.items()
    }
