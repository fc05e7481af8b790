"""The matrix: every installed adapter judged by the whole corpus, as data that a site can show.

Bytes depend on the corpus and the frameworks alone: no time, no machine. A file is added to: what it
says of a framework that is not installed here stays, as long as it was judged by the same corpus.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from posref import adapters
from posref.adapters import Implementation
from posref.conformance.conclude import conclude
from posref.conformance.report import Summary
from posref.conformance.suite import asked
from posref.conformance.target import pick_dtypes
from posref.conformance.verdict import Result
from posref.corpus import bounded, manifest
from posref.corpus.load import Corpus, load_vectors
from posref.corpus.progress import bar
from posref.corpus.strict import parse
from posref.corpus.writing import check_writable, write_text
from posref.operation import DTYPES, home

FORMAT: Final = "posref-matrix"
FORMAT_VERSION: Final = 1

ROW: Final = (
    "operation",
    "kind",
    "dtype",
    "executed",
    "passed",
    "failed",
    "uninformative",
    "skipped",
    "strongest_claim",
    "diagnosis",
    "refused",
    "answered",
)
"""Keys of what is said of an operation in a dtype."""

MARK: Final = re.compile(r'"@(\d+)"')
"""Where a row stands while the rest is laid out."""

OWN: Final = "reference"
"""The adapter of what posref ships: no framework, and judged wherever the corpus is."""


def frameworks() -> tuple[str, ...]:
    """Return the names of all adapters of frameworks, installed or not."""
    return tuple(name for name in adapters.names() if name != OWN)


def corpus_identity(root: str | Path | None = None) -> dict[str, str]:
    """Return the version of a corpus, and the SHA-256 of its manifest, which has that of every file."""
    folder = home("vectors") if root is None else Path(root)
    listed = manifest.read(folder)
    return {"version": listed.corpus_version, "manifest_sha256": listed.sha256}


def entry(implementation: Implementation, corpus: Corpus) -> dict[str, Any]:
    """Return what the matrix says of one framework.

    Parameters
    ----------
    implementation : Implementation
        What an adapter loads.
    corpus : Corpus
        The vectors to judge it by.

    Returns
    -------
    dict
        Its name, version, dtypes and remarks, and a row for each operation that it offers, or scenario
        that it can play, in each dtype.
    """
    offered = tuple(test for test in corpus.tests if test.operation in implementation.operations)
    dtypes = pick_dtypes(implementation, None, None)
    progress = bar(f"judging {implementation.name}")
    attempts, played = asked(implementation, replace(corpus, tests=offered), dtypes, None, progress)
    results, summaries = conclude([one for one in attempts if one.test.kind == "value"], played)
    refusals = Counter(
        (one.result.operation, one.result.dtype, one.result.verdict)
        for one in attempts
        if one.test.kind == "invalid"
    )
    groups = [[one for one in results if _key(one) == _key(summary)] for summary in summaries]
    rows = [
        _row(summary, group, refusals)
        for summary, group in zip(summaries, groups, strict=True)
        if _says(group, implementation)
    ]
    return {
        "name": implementation.name,
        "version": implementation.version,
        "dtypes": list(dtypes),
        "remarks": dict(sorted(implementation.remarks.items())),
        "rows": rows,
    }


def _key(one: Summary | Result) -> tuple[str, str]:
    return one.operation, one.dtype


def _says(group: Sequence[Result], implementation: Implementation) -> bool:
    """Whether the dtype and the operations of a row exist in the framework."""
    absent = {f"{dtype} not offered" for dtype in DTYPES} | {"operation not offered"}
    return any(one.verdict != "skipped" or one.reason not in absent for one in group)


def _row(
    summary: Summary, group: Sequence[Result], refusals: Counter[tuple[str, str, str]]
) -> dict[str, Any]:
    return {
        "operation": summary.operation,
        "kind": group[0].kind,
        "dtype": summary.dtype,
        "executed": summary.passed + summary.failed + summary.errors,
        "passed": summary.passed,
        "failed": sorted(one.case_id for one in group if one.verdict in ("fail", "error")),
        "uninformative": summary.uninformative,
        "skipped": dict(sorted(Counter(one.reason for one in group if one.verdict == "skipped").items())),
        "strongest_claim": summary.strongest_claim,
        "diagnosis": summary.diagnosis,
        "refused": refusals[summary.operation, summary.dtype, "pass"],
        "answered": refusals[summary.operation, summary.dtype, "fail"],
    }


def matrix(
    names: Sequence[str] = (), root: str | Path | None = None, before: dict[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """Judge every framework that is installed here; yield the matrix as it grows, after each of them.

    Parameters
    ----------
    names : sequence of str, optional
        Only the adapters of these names; default: all.
    root : path, optional
        Folder of another corpus than the one that posref ships.
    before : dict, optional
        An earlier matrix. What it says of frameworks that are not chosen or cannot be imported is kept
        if it was judged by the same corpus.

    Yields
    ------
    dict
        The data that ``spec/schema/matrix.json`` describes.

    Raises
    ------
    KeyError
        If there is no adapter of a name.
    """
    for name in names:
        if name not in frameworks():
            raise KeyError(f"no adapter {name!r}; there are {', '.join(frameworks())}")
    identity, corpus = corpus_identity(root), load_vectors(root)
    kept = before if before is not None and before["corpus"] == identity else {}
    known = {old["name"]: old for old in kept.get("frameworks", ())}
    absent: dict[str, str] = {}
    for name in names or frameworks():
        try:
            known[name] = entry(adapters.load(name), corpus)
        except (ImportError, OSError) as missing:  # a compiler that is not there is an OSError
            absent[name] = _lacking(missing)
        yield _document(identity, known, absent)


def _lacking(missing: ImportError | OSError) -> str:
    """Return what is missing, without a place on this machine."""
    if isinstance(missing, OSError):
        return f"it cannot be run: {missing.strerror or type(missing).__name__}"
    return f"no module {missing.name}" if missing.name else "its module cannot be imported"


def _document(
    identity: dict[str, str], known: dict[str, dict[str, Any]], absent: dict[str, str]
) -> dict[str, Any]:
    left = [name for name in frameworks() if name not in known]
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "corpus": identity,
        "frameworks": [known[name] for name in sorted(known)],
        "not_run": [{"name": name, "reason": absent.get(name, "not chosen")} for name in left],
    }


def canonical(document: dict[str, Any]) -> str:
    """Return a matrix as text: ASCII, a fixed order of keys, one row a line."""
    rows = [json.dumps(row) for one in document["frameworks"] for row in one["rows"]]
    place = iter(range(len(rows)))
    marked = [{**one, "rows": [f"@{next(place)}" for _ in one["rows"]]} for one in document["frameworks"]]
    text = json.dumps({**document, "frameworks": marked}, indent=1, allow_nan=False)
    return MARK.sub(lambda found: rows[int(found[1])], text) + "\n"


def read(path: Path) -> dict[str, Any]:
    """Return a matrix from a file.

    Raises
    ------
    FormatError
        If the file is none.
    """
    place = parse(bounded.read(path), str(path))
    members = place.record("format", "format_version", "corpus", "frameworks", "not_run")
    members["format"].one_of((FORMAT,))
    members["format_version"].one_of((FORMAT_VERSION,))
    for one in members["corpus"].record("version", "manifest_sha256").values():
        one.text()
    for framework in members["frameworks"].elements():
        said = framework.record("name", "version", "dtypes", "remarks", "rows")
        said["name"].text()
        for row in said["rows"].elements():
            failed = row.record(*ROW)["failed"]
            for case in failed.elements():
                case.text()
    document: dict[str, Any] = place.value
    return document


def add_parser(commands: Any) -> None:
    """Add ``matrix`` to the commands."""
    parser = commands.add_parser("matrix", help="judge every installed framework that has an adapter")
    parser.add_argument("--adapter", action="append", metavar="NAME", help="only this; may be repeated")
    parser.add_argument("--output", type=Path, metavar="FILE", help="add to this file; default: the screen")
    parser.add_argument("--root", type=Path, help="folder of the corpus")
    parser.set_defaults(run=_write)


def _write(args: argparse.Namespace) -> int:
    """Write the matrix after each framework, and say what was run; 2 where nothing was."""
    before = read(args.output) if args.output and args.output.exists() else None
    if args.output is not None:
        check_writable(args.output)
    found: dict[str, Any] = {}
    for found in matrix(args.adapter or (), args.root, before):
        if args.output is not None:
            write_text(args.output, canonical(found))
    if args.output is None:
        print(canonical(found), end="")
    else:
        print(_said(found))
    return 0 if found["frameworks"] else 2


def _said(document: dict[str, Any]) -> str:
    lines = []
    for one in document["frameworks"]:
        wrong = sum(len(row["failed"]) for row in one["rows"])
        lines.append(f"{one['name']} {one['version']}: {len(one['rows'])} rows, {wrong} wrong answers")
    lines += [f"{one['name']}: not run, {one['reason']}" for one in document["not_run"]]
    return "\n".join(lines)
