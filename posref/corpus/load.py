"""Vector files read strictly: the authority on what a valid file is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from posref import operation
from posref.corpus import manifest
from posref.corpus.encode import FORMAT, FORMAT_VERSION, LICENSE, Expected
from posref.corpus.encode_scenario import KIND
from posref.corpus.read import READERS, Hardness, Test, groups
from posref.corpus.read_golden import Decimals, GoldenTest, golden_groups
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

SCENARIO_HEAD: Final = tuple(KIND if key == "operation" else key for key in HEAD)
"""Keys of a file of scenarios, whose objects name their operations."""

GOLDEN: Final = "golden"
SETS: Final = ("hard", GOLDEN)
"""Folders beside the core whose files are of one kind each, which has the folder's name."""

SUFFIXES: Final = {"_invalid": "invalid", "": "value"}
"""Kind of a file of the core, by the end of its name."""


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


def load_vectors(root: str | Path | None = None, operations: str = "*") -> Corpus:
    """Load a corpus, or refuse it.

    Parameters
    ----------
    root : path, optional
        The folder that holds ``manifest.json``; the corpus that posref ships, if left out.
    operations : str, default "*"
        Glob of the operations whose tests are wanted. Every file is verified against the manifest;
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
    KeyError
        If `operations` matches no operation.

    Examples
    --------
    >>> corpus = load_vectors(operations="rope.inv_freq")
    >>> {test.operation for test in corpus.tests}
    {'rope.inv_freq'}
    """
    if not matches(operations):
        raise KeyError(f"no operation matches {operations!r}; posref list shows them all")
    folder = operation.home("vectors") if root is None else Path(root)
    listed = manifest.read(folder)
    seen: dict[str, str] = {}
    tests: list[Test] = []
    scenarios: list[ScenarioTest] = []
    golden: list[GoldenTest] = []
    for file in listed.files:
        if not (folder / file.path).exists():
            continue
        data = _verified(folder, file)
        name, kind = _address(file.path)
        if kind == KIND:
            played = _read_scenarios(parse(data, file.path), name, file, seen)
            scenarios += [test for test in played if wanted(test, (operations,))]
        elif kind == GOLDEN:
            if fnmatchcase(name, operations):
                golden += _read_golden(parse(data, file.path), name, file, seen)
        elif kind == "model" or fnmatchcase(name, operations):
            found = _read_file(parse(data, file.path), name, kind, file, seen)
            tests += [test for test in found if fnmatchcase(test.operation, operations)]
    return Corpus(
        folder,
        listed.corpus_version,
        listed.format_version,
        listed.files,
        tuple(tests),
        tuple(scenarios),
        tuple(golden),
    )


def matches(pattern: str) -> bool:
    """Return whether a glob matches any operation, or the name of any file of scenarios."""
    return any(fnmatchcase(name, pattern) for name in operation.signatures()) or any(
        fnmatchcase(group.scenario, pattern) for group in operation.scenarios()
    )


def wanted(test: ScenarioTest, patterns: Sequence[str]) -> bool:
    """Return whether a glob matches the name of a scenario, or globs match all of its operations."""
    return any(fnmatchcase(test.name, pattern) for pattern in patterns) or all(
        any(fnmatchcase(name, pattern) for pattern in patterns) for name in test.operations
    )


def _verified(folder: Path, file: manifest.File) -> bytes:
    data = (folder / file.path).read_bytes()
    if len(data) != file.bytes:
        raise FormatError(file.path, f"has {len(data)} bytes where {manifest.MANIFEST} says {file.bytes}")
    if manifest.digest(data) != file.sha256:
        raise FormatError(file.path, f"is not the file whose SHA-256 {manifest.MANIFEST} gives")
    return data


def _address(path: str) -> tuple[str, str]:
    """Return the operation, the model or the scenarios, and the kind, that the path of a file promises."""
    parts = path.removesuffix(".json").split("/")
    if parts[0] == "models" and len(parts) == 2:
        return parts[1], "model"
    scheme, _, name = ".".join(parts[1:]).partition(".")
    if parts[0] == "core" and len(parts) == 3 and scheme in operation.schemes() and name.endswith(f"_{KIND}"):
        return f"{scheme}.{name}", KIND
    if parts[0] in SETS and len(parts) == 3 and f"{scheme}.{name}" in operation.signatures():
        return f"{scheme}.{name}", parts[0]
    for suffix in SUFFIXES:
        name = ".".join(parts[1:]).removesuffix(suffix)
        if (
            parts[0] == "core"
            and len(parts) == 3
            and parts[2].endswith(suffix)
            and name in operation.signatures()
        ):
            return name, SUFFIXES[suffix]
    raise FormatError(path, "is not the path of a file of an operation that this version knows")


def _read_scenarios(root: Place, name: str, file: manifest.File, seen: dict[str, str]) -> list[ScenarioTest]:
    head = _head(root, KIND)
    root.record(*SCENARIO_HEAD)
    head[KIND].one_of((name,))
    notes = _common(head)
    tests = list(scenario_groups(head["groups"], name, notes))
    _check_ids(tests, file, seen)
    found = [test for test, _ in tests]
    _check_counts(root, head, [test.scenario.flags for test in found], notes, file)
    return found


def _read_golden(root: Place, name: str, file: manifest.File, seen: dict[str, str]) -> list[GoldenTest]:
    head = _head(root, GOLDEN)
    root.record(*HEAD)
    head["operation"].one_of((name,))
    notes = _common(head)
    tests = list(golden_groups(head["groups"], operation.signature(name), notes))
    _check_ids(tests, file, seen)
    found = [test for test, _ in tests]
    _check_counts(root, head, [test.flags for test in found], notes, file)
    return found


def _head(root: Place, kind: str) -> dict[str, Place]:
    head = root.members()
    for key, value in (("format", FORMAT), ("format_version", FORMAT_VERSION), ("kind", kind)):
        if key not in head:
            root.fail(f"{key!r} is missing")
        head[key].one_of((value,))
    return head


def _common(head: dict[str, Place]) -> tuple[str, ...]:
    head["license"].one_of((LICENSE,))
    head["header"].text()
    return _notes(head["notes"])


def _check_ids(
    tests: Iterable[tuple[Test | ScenarioTest | GoldenTest, Place]], file: manifest.File, seen: dict[str, str]
) -> None:
    for test, place in tests:
        if test.id in seen:
            place.at("id").fail(f"stands in {seen[test.id]} too")
        seen[test.id] = file.path


def _read_file(root: Place, name: str, kind: str, file: manifest.File, seen: dict[str, str]) -> list[Test]:
    head = _head(root, kind)
    if kind == "model":
        root.record(*MODEL_HEAD)
        head["model"].one_of((name,))
        _source(head["source"])
    else:
        root.record(*HEAD)
        head["operation"].one_of((name,))
    notes = _common(head)
    signature = None if kind == "model" else operation.signature(name)
    tests = list(groups(head["groups"], READERS[kind], signature, notes))
    _check_ids(tests, file, seen)
    found = [test for test, _ in tests]
    _check_counts(root, head, [test.flags for test in found], notes, file)
    return found


def _source(place: Place) -> None:
    if not place.elements():
        place.fail("a model names the public files that its numbers come from")
    for entry in place.elements():
        entry.text()


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
