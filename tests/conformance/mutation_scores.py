"""The mutants of the reference, put to the vectors and to the unit tests of the numerics, and the scores.

``python -m mutation_scores [MODULE ...] [--out FOLDER]``, with ``tests``, ``tests/conformance`` and
``tests/numerics`` on the path, tries all mutants of some modules, or of all, and prints the tables; with a
folder it keeps what it finds there, and takes from there what it found before.
"""

import argparse
import importlib
import inspect
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

from exchanging import exchanged
from mutation import Mutant, mutants
from reference_runs import Lines, Outcome, judged, traced, vectors
from unit_runs import unit_tests

from posref import operation
from posref.corpus.load import Test as Vector

PRIVATE = {
    "_config": "rope_scaling",
    "_mrope_ids": "mrope",
    "_resolve": "rope_scaling",
    "_rope_back": "rope",
    "_rope_moves": "rope",
    "_rope_scaling": "rope",
    "_rope_tables": "rope",
    "_scaled_ladders": "rope_scaling",
    "_scaling_bands": "rope_scaling",
    "_scaling_bases": "rope_scaling",
    "_scaling_common": "rope_scaling",
    "_settings": "rope_scaling",
}
"""Parts of a scheme's reference that stand in modules of their own."""

NUMERICS = (
    "angles", "buckets", "checks", "circle", "decay", "distances", "doubled", "given", "namespace",
    "parameters", "phase", "pieces", "products", "reduction", "rotation", "rounding", "rows", "runs",
    "stretched", "sums", "tokens", "turned", "turns", "wide", "wrapping",
)  # fmt: skip
"""What the reference computes and checks with; `fused`, which needs CuPy, is not among it."""

MODULES = tuple(f"reference.{name}" for name in (*PRIVATE, *operation.schemes())) + tuple(
    f"numerics.{name}" for name in NUMERICS
)
EQUIVALENT: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("reference_equivalents.json").read_text("ascii")
)
"""Module, then ``function: line``: how many of its mutants are no faults, and why."""

UNIT_TESTS: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("reference_unit_tests.json").read_text("ascii")
)
"""Module of the reference, then its lines with mutants that no vector sees, and a unit test does."""

ENDLESS = 2
"""Vectors on which a mutant may run out of time before it is taken for one that never ends."""


MOST = 150
"""Value tests, of all operations in turn, that a mutant of the numerics meets in each dtype."""


@dataclass
class Record:
    """What became of one mutant.

    `word` is ``rejected``, ``endless``, ``coarser``, ``float32`` (nothing in float64, but something there),
    ``unit`` or ``same``; `reached` are the operations whose
    vectors run its line, `own` those whose vectors see it, `vector` one that does, and `narrow` says whether
    it is seen too where the vectors are judged in float32.
    """

    module: str
    line: str
    change: str
    kind: str
    reached: list[str]
    own: list[str] = field(default_factory=list)
    word: str = "same"
    vector: str = ""
    narrow: bool = False


def source(name: str) -> ModuleType:
    return importlib.import_module(f"posref.{name}")


def changes(name: str) -> Iterator[Mutant]:
    return mutants(inspect.getsource(source(name)), thorough=True)


def line(mutant: Mutant, name: str) -> str:
    """Return the function of a mutant and its line as it was."""
    text = inspect.getsource(source(name)).splitlines()[mutant.line - 1].strip()
    return f"{mutant.function}: {text}"


@cache
def files() -> frozenset[str]:
    return frozenset(str(source(name).__file__) for name in MODULES)


@dataclass(frozen=True)
class Run:
    """A vector, what the reference makes of it in float64 and in float32, and the lines that run for it."""

    test: Vector
    before: Outcome
    narrow: Outcome
    ran: Lines


@cache
def runs() -> list[Run]:
    return [Run(test, *traced(test, files())) for test in vectors()]


def tried(name: str, mutant: Mutant) -> Record:
    """Put the vectors that reach a mutant to it, those of each operation until one rejects it.

    Of the numerics, which nearly every vector reaches, the first word is enough.
    """
    file = str(source(name).__file__)
    reaching: dict[str, list[Run]] = {}
    for run in runs():
        if run.ran[file].intersection(mutant.lines):
            reaching.setdefault(run.test.operation, []).append(run)
    record = Record(name, line(mutant, name), mutant.change, mutant.kind, sorted(reaching))
    shared = name.startswith("numerics.")
    rounds = [some(alternately(reaching.values()))] if shared else list(reaching.values())
    with exchanged(source(name), mutant):
        again = chain(seeing(record, rounds), *rounds)
        narrow = next((run for run in again if record.word == "endless" or seen_in_float32(run)), None)
    if narrow is not None:
        record.narrow = True
        if record.word == "same":
            record.word, record.vector, record.own = "float32", narrow.test.id, [narrow.test.operation]
    return record


def some(tests: Sequence[Run]) -> list[Run]:
    """Return the first value tests, and then all refusals, which take no time."""
    values = [run for run in tests if run.test.kind == "value"]
    return values[:MOST] + [run for run in tests if run.test.kind == "invalid"]


def alternately(rows: Iterable[list[Run]]) -> list[Run]:
    """Return the first of every row, then the second of every row, and so on."""
    return [run for column in zip_longest(*rows) for run in column if run is not None]


def seeing(record: Record, rounds: Iterable[list[Run]]) -> list[Run]:
    """Note what the vectors make of the mutant in force; return one of each round that sees it."""
    seen, endless = [], 0
    enough = "coarser" if record.module.startswith("numerics.") else "endless"
    for tests in rounds:
        found = of_operation(record, tests, enough)
        seen += [run for run, _ in found]
        endless += sum(word == "endless" for _, word in found)
        if endless == ENDLESS:
            break
    return seen


ORDER = ("same", "coarser", "endless", "rejected")


def of_operation(record: Record, tests: Iterable[Run], enough: str) -> list[tuple[Run, str]]:
    """Note the harshest word of some vectors, up to `enough`; return it with the vector that spoke it."""
    best: tuple[int, Run] | None = None
    for run in tests:
        rank = ORDER.index(judged(run.test, run.before))
        if rank > (best[0] if best else 0):
            best = rank, run
        if rank >= ORDER.index(enough):
            break
    if best is None:
        return []
    rank, run = best
    record.own.append(run.test.operation)
    if rank > ORDER.index(record.word):
        record.word, record.vector = ORDER[rank], run.test.id
    return [(run, ORDER[rank])]


def seen_in_float32(run: Run) -> bool:
    return judged(run.test, run.narrow, "float32") != "same"


def by_vectors(name: str) -> list[Record]:
    """Put all mutants of a module to the vectors."""
    return [tried(name, mutant) for mutant in changes(name)]


def by_unit_tests(records: Sequence[Record]) -> None:
    """Put what no vector sees to the unit tests, and note which of them fails.

    Left out are lines of which all that the vectors do not see stands in the table of equivalents.
    """
    open_lines = {
        (name, key)
        for name, lines in unseen(records).items()
        for key, count in lines.items()
        if EQUIVALENT.get(name, {}).get(key, {}).get("mutants") != count
    }
    left = {
        (one.module, one.line, one.change): one
        for one in records
        if one.word == "same" and (one.module, one.line) in open_lines
    }

    def still_left() -> Iterator[tuple[ModuleType, Mutant]]:
        for name in dict.fromkeys(name for name, *_ in left):
            for mutant in changes(name):
                if (name, line(mutant, name), mutant.change) in left:
                    yield source(name), mutant

    of_left = frozenset(str(source(name).__file__) for name, *_ in left)
    failing = unit_tests(of_left, still_left()) if left else []
    for record, test in zip(left.values(), failing, strict=True):
        if test is not None:
            record.word, record.vector = "unit", test


def unseen(records: Iterable[Record]) -> dict[str, dict[str, int]]:
    """Return how many mutants of which lines nothing sees, by module."""
    found: dict[str, Counter[str]] = {}
    for record in records:
        if record.word == "same":
            found.setdefault(record.module, Counter())[record.line] += 1
    return {name: dict(lines) for name, lines in found.items()}


def lines_of(records: Iterable[Record], word: str) -> dict[str, list[str]]:
    """Return the lines with mutants of one word, by module."""
    found: dict[str, set[str]] = {}
    for record in records:
        if record.word == word:
            found.setdefault(record.module, set()).add(record.line)
    return {name: sorted(lines) for name, lines in found.items()}


def is_equivalent(record: Record) -> bool:
    return record.word == "same" and record.line in EQUIVALENT.get(record.module, {})


def row(title: str, records: Sequence[Record], own: str = "") -> str:
    """Return a line of the tables: how many mutants there are, and what becomes of them."""
    words = Counter(record.word for record in records)
    by_vectors = [record for record in records if record.word not in ("same", "unit")]
    equivalent = sum(map(is_equivalent, records))
    count, killed = len(records), len(by_vectors) + words["unit"]
    counts = [count, killed, len(by_vectors)]
    counts += [sum(own in record.own for record in by_vectors)] if own else []
    counts += [words["unit"], sum(not record.narrow for record in by_vectors), equivalent]
    survivors = count - killed - equivalent
    faults = count - equivalent
    score = f"{100 * killed / faults:.1f} %" if faults else "none"
    return f"| {title} | {' | '.join(map(str, (*counts, survivors)))} | {score} |"


def table(records: Sequence[Record]) -> str:
    """Return the scores by module, by operation and by kind of change, as tables in Markdown."""
    tail = "unit tests only | float64 only | equivalent | survivors | score |"
    heads = {
        "modules": f"| module | mutants | killed | by vectors | {tail}",
        "operations": f"| operation | mutants | killed | by vectors | of these its own | {tail}",
    }
    by_module = [row(name, [r for r in records if r.module == name]) for name in MODULES]
    by_operation = [
        row(name, [r for r in records if name in r.reached], name) for name in operation.signatures()
    ]
    rule = {key: "|" + "---|" * (head.count("|") - 1) for key, head in heads.items()}
    return "\n".join(
        [
            heads["modules"], rule["modules"], *by_module, row("all", records), "",
            heads["operations"], rule["operations"], *by_operation,
        ]
    )  # fmt: skip


def found(name: str, out: Path | None) -> list[Record]:
    """Return what the vectors make of a module's mutants, or what an earlier run has kept of it."""
    if out and (out / f"{name}.json").exists():
        return [Record(**entry) for entry in json.loads((out / f"{name}.json").read_text("utf-8"))]
    records = by_vectors(name)
    keep(records, name, out)
    print(row(name, records), flush=True)
    return records


def keep(records: Sequence[Record], name: str, out: Path | None) -> None:
    if out:
        text = json.dumps([asdict(record) for record in records], indent=1)
        (out / f"{name}.json").write_text(text, "utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="mutation_scores", description=__doc__)
    parser.add_argument("modules", nargs="*", help=f"such as numerics.wide; default: all {len(MODULES)}")
    parser.add_argument("--out", type=Path, help="folder of what was found, a file a module")
    given = parser.parse_args(argv)
    names = given.modules or MODULES
    records = [record for name in names for record in found(name, given.out)]
    by_unit_tests(records)
    for name in names:
        keep([record for record in records if record.module == name], name, given.out)
    print(table(records))
    left = [record for record in records if record.word == "same" and not is_equivalent(record)]
    print(*(f"{record.module}: {record.line}: {record.change}" for record in left), sep="\n")
    return int(bool(left))


if __name__ == "__main__":
    raise SystemExit(main())
