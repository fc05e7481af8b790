"""What the diagnosis is worth: every registered mistake is run as an implementation and must be named.

A mistake that gives the same outputs as another on every case of the corpus is its *alias*: to name
either is right. To name neither, or one whose outputs differ, is not. Pairs of mistakes made at once are
drawn at random and told by the same rule.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, permutations
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from posref.conformance.claims import check_dtypes, default_claim
from posref.conformance.compare import Evidence
from posref.conformance.coverage import JUDGED, faulty
from posref.conformance.diagnose import Diagnosis, name_mistakes, stack
from posref.conformance.run import run
from posref.corpus import arguments, chosen
from posref.corpus.load import Test, load_vectors
from posref.operation import Mistake, mistakes, signature

Outcome = Literal["right", "alias", "unseen", "none", "wrong"]

OUTCOMES: Final[tuple[Outcome, ...]] = ("right", "alias", "unseen", "none", "wrong")
"""What can become of a name; what no case rejects is unseen, and needs none."""


@dataclass(frozen=True)
class Naming:
    """What the diagnosis says of one mistake in one dtype; `named` is empty where it says nothing."""

    mistake: Mistake
    dtype: str
    named: tuple[str, ...]
    outcome: Outcome

    def __str__(self) -> str:
        named = " and ".join(self.named) or "-"
        return f"  {self.mistake.name:<40} {self.dtype:<8} {self.outcome:<6} {named}"


def _sorted(mistake: Mistake, tests: Iterable[Test], dtype: str) -> tuple[list[Evidence], list[Evidence]]:
    """Return the calls that fail and those that pass."""
    found: dict[str, list[Evidence]] = {"fail": [], "pass": []}
    for attempt in run(faulty(mistake, dtype), tests, dtype, ranked=False):
        if attempt.evidence is not None and attempt.result.verdict in found:
            found[attempt.result.verdict].append(attempt.evidence)
    return found["fail"], found["pass"]


def name(mistake: Mistake, tests: Sequence[Test], dtype: str, parts: Sequence[Mistake] = ()) -> Naming:
    """Return what `posref.check` names where one mistake is run.

    Parameters
    ----------
    mistake : Mistake
        What is run.
    tests : sequence of Test
        Value tests of its operation.
    dtype : str
        The dtype of its results; ``"int64"`` for an operation without float outputs.
    parts : sequence of Mistake
        The two that are to be named where `mistake` is both at once.
    """
    failing, passing = _sorted(mistake, tests, dtype)
    if not failing:
        return Naming(mistake, dtype, (), "unseen")
    found = name_mistakes(mistake.operation, failing, passing, default_claim(dtype))
    named = tuple(one.name for one in found.mistakes)
    return Naming(mistake, dtype, named, _outcome(mistake, found, {one.name for one in parts}, tests, dtype))


def _outcome(
    mistake: Mistake, found: Diagnosis, parts: set[str], tests: Sequence[Test], dtype: str
) -> Outcome:
    named = [one.name for one in found.mistakes]
    if not named:
        return "none"
    if set(named) == (parts or {mistake.name}):
        return "right"
    first, *second = (one for one in found.mistakes if isinstance(one, Mistake))
    made: Mistake | None = first
    if second:
        made = stack(first, *second) if found.together else None
    return "alias" if made is not None and same(mistake, made, tests, dtype) else "wrong"


def same(one: Mistake, other: Mistake, tests: Sequence[Test], dtype: str) -> bool:
    """Whether two mistakes give the same outputs in `dtype` on every test."""
    pairs = zip(
        run(faulty(one, dtype), tests, dtype, ranked=False),
        run(faulty(other, dtype), tests, dtype, ranked=False),
        strict=True,
    )
    return all(_equal(first.evidence, second.evidence) for first, second in pairs)


def drawn(
    operation: str, tests: Sequence[Test], dtype: str, count: int
) -> Iterator[tuple[Mistake, tuple[Mistake, Mistake]]]:
    """Yield at most `count` pairs of mistakes made at once, both of which show; the same each time."""
    pairs = list(permutations(mistakes(operation), 2))
    random.Random(operation).shuffle(pairs)
    shown = (pair for pair in pairs if _shows(pair, tests, dtype))
    for outer, inner in islice(shown, count):
        both = stack(outer, inner)
        if both is not None:
            yield both, (outer, inner)


def _shows(pair: tuple[Mistake, Mistake], tests: Sequence[Test], dtype: str) -> bool:
    """Whether two mistakes can be made at once, give an answer to every test, and neither hides the other."""
    both = stack(*pair)
    if both is None:
        return False
    attempts = run(faulty(both, dtype), tests, dtype, ranked=False)
    if any(attempt.result.verdict == "error" for attempt in attempts):
        return False
    return not any(same(both, one, tests, dtype) for one in pair)


def _equal(first: Evidence | None, second: Evidence | None) -> bool:
    if first is None or second is None:
        return first is second
    return all(_alike(first.got[name], second.got[name]) for name in first.got)


def _alike(first: Any, second: Any) -> bool:
    return bool(np.array_equal(first, second, equal_nan=first.dtype == np.float64))


def confusion(
    operations: str = "*",
    dtypes: Sequence[str] = JUDGED,
    root: str | Path | None = None,
    *,
    pairs: int = 0,
) -> Iterator[Naming]:
    """Yield what the diagnosis says of every registered mistake of the operations, in each of `dtypes`.

    Operations whose outputs are integers are judged once. With `pairs`, that many pairs of mistakes of
    each operation, drawn at random and made at once, take the place of the single ones.

    Raises
    ------
    ValueError
        If no operation matches the glob, or a dtype is unknown.
    FormatError
        If the corpus is not what the specification says.
    """
    names = chosen.names(operations)
    check_dtypes(dtypes)
    tests = [test for test in load_vectors(root, operations).tests if test.kind == "value"]
    for operation in names:
        own = [test for test in tests if test.operation == operation]
        for dtype in ("int64",) if signature(operation).integer else dtypes:
            if pairs:
                for both, parts in drawn(operation, own, dtype, pairs):
                    yield name(both, own, dtype, parts)
            else:
                for mistake in mistakes(operation):
                    yield name(mistake, own, dtype)


def add_parser(commands: Any) -> None:
    """Add ``confusion`` to the sub-commands of ``posref vectors``."""
    parser = commands.add_parser("confusion", help="which mistake the diagnosis names for each mistake")
    parser.add_argument("--operation", default="*", metavar="GLOB", help="only these operations")
    parser.add_argument("--dtype", action="append", help="judge in this floating dtype; may be repeated")
    parser.add_argument(
        "--pairs", type=arguments.at_least(0), default=0, metavar="N", help="N random pairs instead"
    )
    parser.add_argument("--root", type=Path, help="folder of the corpus")
    parser.set_defaults(run=_print)


def _print(args: argparse.Namespace) -> int:
    """Print the counts of each operation and what is not named right; 1 if anything is named wrongly."""
    totals: dict[str, Counter[str]] = {}
    found = confusion(args.operation, args.dtype or JUDGED, args.root, pairs=args.pairs)
    for (operation, dtype), group in groupby(found, key=lambda one: (one.mistake.operation, one.dtype)):
        entries = list(group)
        counts: Counter[str] = Counter(one.outcome for one in entries)
        print(f"{operation:<24} {dtype:<8} {_counted(counts)}", flush=True)
        for one in entries:
            if one.outcome != "right":
                print(one)
        totals[dtype] = totals.get(dtype, Counter()) + counts
    for dtype, counts in totals.items():
        print(f"{'all':<24} {dtype:<8} {_counted(counts)}")
    return 1 if any(counts["wrong"] for counts in totals.values()) else 0


def _counted(counts: Counter[str]) -> str:
    parts = ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES)
    return f"{counts.total()} mistakes: {parts}"
