"""Vector files read strictly: the authority on what a valid file is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from posref import operation
from posref.corpus import bounded, manifest, read_golden
from posref.corpus.chosen import chosen, globs, wanted
from posref.corpus.encode import FORMAT, FORMAT_VERSION, LICENSE, Expected
from posref.corpus.kinds import GOLDEN, HARD, INVALID, MODEL, SCENARIO, VALUE, address
from posref.corpus.read import READERS, Hardness, Reader, Test, groups
from posref.corpus.read_golden import Decimals, GoldenTest
from posref.corpus.read_scenario import ScenarioTest, scenario_groups
from posref.corpus.strict import SLUG, Place, parse
from posref.errors import FormatError

__all__ = [
    "Corpus",
    "Decimals",
    "Expected",
    "GoldenTest",
    "Hardness",
    "ScenarioTest",
    "Test",
    "load_vectors",
]

BUG_TYPES: Final = (
    "basic",
    "convention",
    "wrong_formula",
    "precision",
    "indexing",
    "missing_step",
    "stale_state",
    "edge_case",
    "known_bug",
)
"""What kind of mistake a flag looks for."""

HEAD: Final = (
    "format",
    "format_version",
    "kind",
    "operation",
    "license",
    "header",
    "notes",
    "number_of_tests",
    "groups",
)
"""Keys of a file of values, of invalid input, of the hard or of the golden set, in order."""

MODEL_HEAD: Final = tuple(
    part for key in HEAD for part in (("model", "source") if key == "operation" else (key,))
)
"""Keys of the file of a model, whose groups name their operations."""

SCENARIO_HEAD: Final = tuple(SCENARIO if key == "operation" else key for key in HEAD)
"""Keys of a file of scenarios, whose objects name their operations."""

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys((VALUE, INVALID, HARD, GOLDEN), HEAD),
    MODEL: MODEL_HEAD,
    SCENARIO: SCENARIO_HEAD,
}
"""Keys of a file of each kind; the fourth is what the file is of."""

AnyTest = Test | ScenarioTest | GoldenTest

_READERS: Final[Mapping[str, Reader[AnyTest]]] = {**READERS, GOLDEN: read_golden.READER}


@dataclass(frozen=True)
class Corpus:
    """The tests, the scenarios and the golden decimals of a corpus, each in the order of its files.

    Hard tests are among the `tests`.
    """

    root: Path
    version: str
    format_version: int
    files: tuple[manifest.File, ...]
    tests: tuple[Test, ...]
    scenarios: tuple[ScenarioTest, ...] = ()
    golden: tuple[GoldenTest, ...] = ()


def load_vectors(root: str | Path | None = None, operations: str | Sequence[str] = "*") -> Corpus:
    """Load a corpus, or refuse it.

    Parameters
    ----------
    root : path, optional
        The folder that holds ``manifest.json``; the corpus that posref ships, if left out.
    operations : str or sequence of str, default "*"
        Globs of the operations whose tests are wanted. Every file is verified against the manifest;
        only the files of these operations, and those of models and of scenarios, are read. A scenario
        is wanted when its own name matches, or all of its operations do.

    Returns
    -------
    Corpus
        Its `tests` and `scenarios`, with the inputs and the certified values as exact numbers, and its
        `golden` tests, with the results as decimals.

    Raises
    ------
    FormatError
        If anything is not as ``spec/vector-format.md`` says; names file, case and JSON pointer.
    ValueError
        If a glob matches no operation.

    Examples
    --------
    >>> corpus = load_vectors(operations="rope.inv_freq")
    >>> {test.operation for test in corpus.tests}
    {'rope.inv_freq'}
    """
    patterns = globs(operations)
    folder = operation.home("vectors") if root is None else Path(root)
    listed = manifest.read(folder)
    seen: dict[str, str] = {}
    found: list[AnyTest] = []
    for file in listed.files:
        if not (folder / file.path).exists():
            continue
        data = _verified(folder, file)
        name, kind = address(file.path)
        if kind in (MODEL, SCENARIO) or chosen(name, patterns):
            tests = _read(parse(data, file.path), name, kind, file, seen)
            found += [test for test in tests if _chosen(test, patterns)]
    return Corpus(
        folder,
        listed.corpus_version,
        listed.format_version,
        listed.files,
        tuple(test for test in found if isinstance(test, Test)),
        tuple(test for test in found if isinstance(test, ScenarioTest)),
        tuple(test for test in found if isinstance(test, GoldenTest)),
    )


def _verified(folder: Path, file: manifest.File) -> bytes:
    data = bounded.read_member(folder, file.path)
    if len(data) != file.bytes:
        raise FormatError(file.path, f"has {len(data)} bytes where {manifest.MANIFEST} says {file.bytes}")
    if manifest.digest(data) != file.sha256:
        raise FormatError(file.path, f"is not the file whose SHA-256 {manifest.MANIFEST} gives")
    return data


def _chosen(test: AnyTest, patterns: tuple[str, ...]) -> bool:
    return wanted(test, patterns) if isinstance(test, ScenarioTest) else chosen(test.operation, patterns)


def _read(root: Place, name: str, kind: str, file: manifest.File, seen: dict[str, str]) -> list[AnyTest]:
    """Return the tests of a file that promises to be of `kind`, and of `name`."""
    head = _head(root, name, kind)
    notes = _notes(head["notes"])
    found = []
    for test, place in _tests(head["groups"], name, kind, notes):
        if test.id in seen:
            place.at("id").fail(f"stands in {seen[test.id]} too")
        seen[test.id] = file.path
        found.append(test)
    _check_counts(root, head, [test.flags for test in found], notes, file)
    return found


def _head(root: Place, name: str, kind: str) -> dict[str, Place]:
    """Return the members of a file, its head checked."""
    members = root.members()
    for key, value in (("format", FORMAT), ("format_version", FORMAT_VERSION), ("kind", kind)):
        if key not in members:
            root.fail(f"{key!r} is missing")
        members[key].one_of((value,))
    root.record(*KEYS[kind])
    members[KEYS[kind][3]].one_of((name,))
    if kind == MODEL:
        _check_source(members["source"])
    members["license"].one_of((LICENSE,))
    members["header"].text()
    return members


def _tests(place: Place, name: str, kind: str, notes: tuple[str, ...]) -> Iterator[tuple[AnyTest, Place]]:
    if kind == SCENARIO:
        return scenario_groups(place, name, notes)
    return groups(place, _READERS[kind], None if kind == MODEL else operation.signature(name), notes)


def _check_source(place: Place) -> None:
    if not place.elements():
        place.fail("a model names the public files that its numbers come from")
    names = [entry.text() for entry in place.elements()]
    if len(set(names)) < len(names):
        place.fail("holds an entry twice")


def _notes(place: Place) -> tuple[str, ...]:
    for flag, note in place.members().items():
        if not SLUG.fullmatch(flag):
            note.fail(f"{flag!r} is not a flag")
        members = note.record("bug_type", "description", "effect", "links")
        members["bug_type"].one_of(BUG_TYPES)
        members["description"].text()
        members["effect"].text()
        for link in members["links"].elements():
            link.text()
    return tuple(place.value)


def _check_counts(
    root: Place,
    head: dict[str, Place],
    flags: list[tuple[str, ...]],
    notes: tuple[str, ...],
    file: manifest.File,
) -> None:
    if head["number_of_tests"].integer(1) != len(flags):
        head["number_of_tests"].fail(f"is {head['number_of_tests'].value}, the groups have {len(flags)}")
    unused = set(notes) - {flag for raised in flags for flag in raised}
    if unused:
        head["notes"].at(min(unused)).fail("no test raises this flag")
    if manifest.count(root.value) != (file.tests, file.elements):
        root.fail(
            f"has not the tests and elements that {manifest.MANIFEST} says: {file.tests}, {file.elements}"
        )
