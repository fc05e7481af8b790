"""What the page on testing shows, put together from the files that long runs leave.

    python -m coverage run -m pytest -q -n 2 --ignore tests/faults/test_full_disk.py
    python -m coverage combine
    python -m coverage json -o coverage.json
    PYTHONPATH=tests:tests/conformance:tests/numerics python -m mutation_scores --out mutants
    python -m pytest -q -m full --junitxml long.xml
    python tests/tested.py docs/tested.json --coverage coverage.json --mutants mutants --long long.xml

Each option renews its own section and leaves the others. The mutants take about an hour, and go on with the
module at which they were interrupted.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from posref.bench import record

ROOT = Path(__file__).parents[1]
OUTSIDE = "adapters"
"""The part of the package that wants frameworks installed; the rest is what coverage is told of."""


def part(path: str) -> str:
    """Return the part of the package that a file belongs to: its folder, or itself."""
    return Path(path).relative_to("posref").parts[0]


def coverage(report: Path) -> list[dict[str, Any]]:
    """Return statements by part of the package, and how many of them no test ran."""
    statements: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for path, file in json.loads(report.read_text("utf-8"))["files"].items():
        statements[part(path)] += file["summary"]["num_statements"]
        missed[part(path)] += file["summary"]["missing_lines"]
    return [
        {"part": name, "statements": count, "missed": missed[name]}
        for name, count in sorted(statements.items())
        if name != OUTSIDE and count
    ]


def mutation(folder: Path) -> list[dict[str, Any]]:
    """Return by module what became of its mutants."""
    sys.path[:0] = [str(ROOT / "tests" / name) for name in ("numerics", "conformance", "")]
    from mutation_scores import MODULES, Record, is_equivalent

    rows = []
    for name in MODULES:
        entries = [Record(**entry) for entry in json.loads((folder / f"{name}.json").read_text("utf-8"))]
        words = Counter("equivalent" if is_equivalent(entry) else entry.word for entry in entries)
        rows.append({"module": name, **dict(sorted(words.items()))})
    return rows


def long(report: Path) -> list[dict[str, Any]]:
    """Return the long tests by name: how many cases each has, and how many passed."""
    cases: dict[str, Counter[str]] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = re.sub(r"\[.*", "", case.attrib["name"], flags=re.DOTALL)
        words = {child.tag for child in case} & {"failure", "error", "skipped"}
        cases.setdefault(f"{case.attrib['classname'].replace('.', '/')}.py::{name}", Counter())[
            words.pop() if words else "passed"
        ] += 1
    return [{"test": name, **dict(sorted(words.items()))} for name, words in sorted(cases.items())]


SECTIONS: dict[str, Callable[[Path], list[dict[str, Any]]]] = {
    "coverage": coverage,
    "mutation": mutation,
    "long": long,
}


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--coverage", type=Path, metavar="JSON", help="of `coverage json`")
    parser.add_argument("--mutants", dest="mutation", type=Path, metavar="FOLDER", help="of mutation_scores")
    parser.add_argument("--long", type=Path, metavar="XML", help="of pytest --junitxml")
    args = parser.parse_args(words)
    for name, measure in SECTIONS.items():
        if (source := getattr(args, name)) is not None:
            record.save(args.file, {name: measure(source)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
