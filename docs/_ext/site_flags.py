"""The flags of the vector files, each with what a failure there means."""

import json
import re

from posref.corpus import load_vectors
from posref.operation import home, schemes

ISSUE = re.compile(r"https://github\.com/([^/]+/[^/]+)/(?:issues|pull)/(\d+)")


def shown(link: str) -> str:
    """Return a link with the repository and the number of the report for its text."""
    found = ISSUE.fullmatch(link)
    return f"[{found[1]} #{found[2]}]({link})" if found else f"<{link}>"


def line(name: str, entry: dict) -> str:
    """Return the row of one flag."""
    links = ", ".join(shown(link) for link in entry["links"])
    return f"| `{name}` | {entry['bug_type']} | {entry['description']} {entry['effect']} {links} |"


def pages() -> dict[str, str]:
    """Return the flags that the vectors of each scheme raise as tables to include."""
    flags = json.loads((home("spec") / "flags.json").read_text("utf-8"))
    tests = load_vectors().tests
    found = {}
    for scheme in schemes():
        used = sorted(
            {flag for test in tests if test.operation.startswith(f"{scheme}.") for flag in test.flags}
        )
        rows = [
            "| flag | kind | what it looks for |",
            "|---|---|---|",
            *(line(flag, flags[flag]) for flag in used),
        ]
        found[f"{scheme}-flags.md"] = "\n".join(rows) + "\n"
    return found
