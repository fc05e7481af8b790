"""What the loader does not ask: canonical bytes, sizes, notes, conventions covered."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from posref import operation
from posref.corpus import encode, encode_scenario, golden_set, manifest
from posref.corpus.clauses import clauses
from posref.corpus.encode import Json
from posref.corpus.generate import document
from posref.corpus.kinds import GOLDEN, HARD, MODEL, SETS, VALUE
from posref.corpus.load import Corpus, GoldenTest, ScenarioTest, Test, load_vectors
from posref.operation import Case, Group, Scenario, ScenarioGroup

CORE_BYTES: Final = 8_000_000
"""The core stays small enough to be carried by anybody's repository."""

SET_BYTES: Final = 2_000_000
"""The hard and the golden set together."""

NAME_LENGTH: Final = 60
FATTEST: Final = 10


@dataclass(frozen=True)
class Lint:
    """What is wrong with a corpus, and where its bytes are."""

    problems: tuple[str, ...]
    files: tuple[manifest.File, ...]

    def text(self) -> str:
        """Return the size report, the fattest files first, and the problems."""
        total = manifest.File(
            f"total of {len(self.files)}",
            "",
            sum(file.bytes for file in self.files),
            sum(file.tests for file in self.files),
            sum(file.elements for file in self.files),
        )
        fattest = sorted(self.files, key=lambda file: (-file.bytes, file.path))[:FATTEST]
        lines = [f"{'file':<44} {'bytes':>9} {'tests':>6} {'elements':>8}"]
        lines += [
            f"{file.path:<44} {file.bytes:>9} {file.tests:>6} {file.elements:>8}"
            for file in [*fattest, total]
        ]
        return "\n".join([*lines, *(f"problem: {problem}" for problem in self.problems)])


def lint(root: str | Path | None = None) -> Lint:
    """Return what is wrong with the corpus in `root`, by default the one that posref ships.

    A file that the loader refuses is a FormatError, not a problem in the list.
    """
    corpus = load_vectors(root)
    checks = (_canonical, _sizes, _hand_kept, _cited, _conventions, _edges, _golden)
    return Lint(tuple(problem for check in checks for problem in check(corpus)), corpus.files)


def rewrite(tests: list[Test]) -> bytes:
    """Return the bytes that the tests of one file have when they are written again."""
    groups = []
    place, _, path = tests[0].file.partition("/")
    named = place == "models"
    for _, members in groupby(tests, key=lambda test: test.group):
        inside = list(members)
        first = inside[0]
        cases = [
            Case(test.id, test.comment, test.inputs, test.clauses, test.flags, test.error) for test in inside
        ]
        group = Group(
            first.group, first.operation, first.params, tuple(cases), first.requires, first.signed_zero
        )
        values = {test.id: test.expected for test in inside if not test.error}
        said = {test.id: _hardness(test) for test in inside} if place == HARD else None
        groups.append(encode.group(group, values, first.source, named=named, said=said))
    name = path.removesuffix(".json") if named else tests[0].operation
    kind = MODEL if named else HARD if place == HARD else tests[0].kind
    return encode.dump(document(name, kind, groups))


def _hardness(test: Test) -> Json:
    return {"hardness": None if test.hardness is None else vars(test.hardness)}


def rewrite_golden(tests: list[GoldenTest]) -> bytes:
    """Return the bytes that the tests of one file of the golden set have when they are written again."""
    groups = []
    for name, members in groupby(tests, key=lambda test: test.group):
        inside = list(members)
        first = inside[0]
        cases = tuple(Case(test.id, test.comment, test.inputs, test.clauses, test.flags) for test in inside)
        group = Group(name, first.operation, first.params, cases, first.requires, first.signed_zero)
        values = {test.id: test.expected for test in inside}
        groups.append(golden_set.written(group, values, first.source))
    return encode.dump(document(tests[0].operation, GOLDEN, groups))


def rewrite_scenarios(tests: list[ScenarioTest]) -> bytes:
    """Return the bytes that the scenarios of one file have when they are written again."""
    groups = []
    for name, members in groupby(tests, key=lambda test: test.group):
        inside = list(members)
        first = inside[0]
        cases = tuple(test.scenario for test in inside)
        group = ScenarioGroup(name, first.name, cases, first.requires, first.signed_zero)
        groups.append(encode_scenario.group(group, {test.id: test.expected for test in inside}, first.source))
    return encode.dump(encode_scenario.document(tests[0].name, groups))


def _rewritten(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    for file, tests in groupby(corpus.tests, key=lambda test: test.file):
        yield file, rewrite(list(tests))
    for file, played in groupby(corpus.scenarios, key=lambda test: test.file):
        yield file, rewrite_scenarios(list(played))
    for file, printed in groupby(corpus.golden, key=lambda test: test.file):
        yield file, rewrite_golden(list(printed))


def _canonical(corpus: Corpus) -> Iterator[str]:
    raised = {flag for test in _all(corpus) for flag in test.flags}
    unknown = raised - encode.flags().keys()
    if unknown:
        yield f"flags that spec/flags.json does not explain: {', '.join(sorted(unknown))}"
        return
    for file, fresh in _rewritten(corpus):
        old = (corpus.root / file).read_bytes().split(b"\n")
        new = fresh.split(b"\n")
        if old != new:
            pairs = enumerate(zip(old, new, strict=False), 1)
            line = next((number for number, (one, two) in pairs if one != two), min(len(old), len(new)))
            yield f"{file}: line {line} is not what the format and the specification make of it"


def _sizes(corpus: Corpus) -> Iterator[str]:
    core = sum(file.bytes for file in corpus.files if file.path.startswith("core/"))
    if core > CORE_BYTES:
        yield f"the core has {core} bytes, more than {CORE_BYTES}"
    sets = sum(file.bytes for file in corpus.files if file.path.partition("/")[0] in SETS)
    if sets > SET_BYTES:
        yield f"the hard and the golden set have {sets} bytes, more than {SET_BYTES}"
    for file in corpus.files:
        if len(Path(file.path).name) > NAME_LENGTH:
            yield f"{file.path}: a file name has at most {NAME_LENGTH} characters"


def _hand_kept(corpus: Corpus) -> Iterator[str]:
    if not (corpus.root / manifest.SUMS).exists():
        return
    if (corpus.root / manifest.SUMS).read_bytes() != manifest.sums(corpus.root):
        yield f"{manifest.SUMS} is not what the files hash to"
    for name in manifest.BY_HAND:
        if not (corpus.root / name).exists():
            yield f"{name} is missing"


def _cited(corpus: Corpus) -> Iterator[str]:
    known = clauses()
    files = {test.id: test.file for test in corpus.tests}
    files |= {test.id: test.file for test in corpus.scenarios}
    files |= {test.id: test.file for test in corpus.golden}
    for test in _all(corpus):
        for clause in test.clauses:
            if clause not in known:
                yield f"{files[test.id]}: {test.id} cites {clause}, which no page of the specification has"


def _conventions(corpus: Corpus) -> Iterator[str]:
    seen = {
        (test.operation, name, choice)
        for test in corpus.tests
        if test.kind == VALUE
        for name, value in test.params.items()
        for choice in (value if isinstance(value, list) else [value])
        if isinstance(choice, str)
    }
    for name in _operations(corpus):
        for entry in operation.signature(name).parameters:
            for value in entry.values:
                if (name, entry.name, value) not in seen:
                    yield f"{name}: no value test has {entry.name} {value!r}"


def _edges(corpus: Corpus) -> Iterator[str]:
    seen = {(test.operation, flag) for test in corpus.tests for flag in test.flags}
    for name in _operations(corpus):
        for edge in operation.signature(name).edges:
            if (name, edge) not in seen:
                yield f"{name}: no test raises the edge {edge!r}"


def _golden(corpus: Corpus) -> Iterator[str]:
    core = {test.id: test for test in corpus.tests}
    for test in corpus.golden:
        other = core.get(test.core)
        if other is None:
            yield f"{test.file}: {test.id} repeats no test of the core"
        elif repr((test.params, test.inputs)) != repr((other.params, other.inputs)):
            yield f"{test.file}: {test.id} has not the parameters and inputs of {test.core}"


def _all(corpus: Corpus) -> list[Test | Scenario | GoldenTest]:
    """Return every test of a corpus, the scenarios among them."""
    return [*corpus.tests, *(test.scenario for test in corpus.scenarios), *corpus.golden]


def _operations(corpus: Corpus) -> list[str]:
    return sorted({test.operation for test in corpus.tests})
