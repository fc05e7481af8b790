"""Build a corpus: the same bytes whatever the engine and the number of processes."""

import shutil
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Final

from posref import operation
from posref.corpus import (
    certified,
    certified_scenario,
    encode,
    encode_scenario,
    golden_set,
    hard_set,
    manifest,
    models,
    swap,
    workers,
)
from posref.corpus.encode import Json
from posref.corpus.golden_set import GoldenGroup
from posref.corpus.hard_set import HardGroup
from posref.corpus.kinds import GOLDEN, HARD, INVALID, MODEL, SCENARIO, SETS, VALUE, path_of
from posref.corpus.load import load_vectors
from posref.corpus.models import ModelGroup
from posref.corpus.progress import Progress
from posref.corpus.writing import said
from posref.operation import Group, ScenarioGroup

CORPUS_VERSION: Final = "0.1.0"
"""The version of the corpus that this package builds."""

AnyGroup = Group | ScenarioGroup

Built = dict[tuple[str, str], list[Json]]
"""Groups by operation and kind, or by scenarios or model and that word."""


def build(
    destination: str | Path,
    *,
    engine: str = "mpmath",
    jobs: int = 1,
    progress: Progress | None = None,
    operations: str = "*",
) -> None:
    """Build the corpus in `destination`: cases, certified values, bounds, files, manifest.

    Everything is written beside `destination`, read back strictly, and put in its place at the end;
    a build that fails or is killed leaves the old corpus whole.

    Parameters
    ----------
    destination : path
        The folder of the corpus. What is kept in it by hand (`manifest.BY_HAND`) stays.
    engine : {"mpmath", "arb"}
        The arithmetic.
    jobs : int
        Processes.
    progress : callable, optional
        Called after every group.
    operations : str
        Glob of the operations to build; the files of others stay as they are. A model is matched as
        ``models/<name>``.

    Raises
    ------
    ImportError
        If the engine's library is missing; names the extra that brings it.
    ValueError
        If something stands at `destination` that is no corpus, which a build would replace.
    OSError
        If it cannot be written.
    """
    destination = Path(destination).resolve()
    check_place(destination)
    groups: list[AnyGroup] = list(cases(operations))
    if not groups:
        raise KeyError(f"no operation matches {operations!r}; posref list shows them all")
    certified.engine_class(engine)
    with said(destination), swap.building(destination) as folder:
        if destination.exists():
            keep(destination, folder, operations)
        write(folder, certify(groups, engine, jobs, progress))
        load_vectors(folder)
        swap.replace(folder, destination)


def check_place(destination: Path) -> None:
    """Raise a ValueError where something stands that is neither a corpus nor the start of one."""
    if not destination.exists():
        return
    if not destination.is_dir():
        raise ValueError(f"{destination} is no folder")
    names = {path.name for path in destination.iterdir()}
    if not names.issubset(manifest.BY_HAND) and manifest.MANIFEST not in names:
        raise ValueError(f"{destination} is neither empty nor a corpus, it has no {manifest.MANIFEST}")
    strange = {name for name in names.difference(manifest.FOLDERS) if (destination / name).is_dir()}
    if strange:
        raise ValueError(f"{destination} is more than a corpus, it has a folder {min(strange)}")


def cases(operations: str) -> Iterator[AnyGroup]:
    """Yield the groups of every operation, hard and golden ones, scenarios and models that match."""
    for name in operation.signatures():
        if fnmatchcase(name, operations):
            yield from operation.find("cases", name)()
    yield from (group for group in operation.scenarios() if fnmatchcase(group.scenario, operations))
    yield from models.groups(operations)
    yield from hard_set.groups(operations)
    yield from golden_set.groups(operations)


def subject(group: AnyGroup) -> str:
    """Return the operation of a group, or the name of its scenarios."""
    return group.scenario if isinstance(group, ScenarioGroup) else group.operation


def _place(group: AnyGroup) -> tuple[str, str]:
    """Return the operation, the model or the scenarios that a group belongs to, and the kind of its file."""
    if isinstance(group, ScenarioGroup):
        return group.scenario, SCENARIO
    if isinstance(group, ModelGroup):
        return group.model, MODEL
    if isinstance(group, GoldenGroup):
        return group.operation, GOLDEN
    return group.operation, _kind(group)


def _kind(group: Group) -> str:
    refused = {case.error is not None for case in group.cases}
    if len(refused) != 1:
        raise ValueError(f"{group.operation}: group {group.name} holds values and refusals, or nothing")
    if isinstance(group, HardGroup):
        return HARD
    return INVALID if refused.pop() else VALUE


def certify(groups: list[AnyGroup], engine: str, jobs: int, progress: Progress | None) -> Built:
    """Return every group with its certified values as JSON."""
    found: Built = {}
    for done, (group, value) in enumerate(workers.each(partial(_certified, engine=engine), groups, jobs), 1):
        found.setdefault(_place(group), []).append(value)
        if progress:
            progress(done, len(groups), subject(group))
    return found


def _certified(group: AnyGroup, engine: str) -> Json:
    if isinstance(group, ScenarioGroup):
        return certified_scenario.group(group, engine)
    if isinstance(group, GoldenGroup):
        return golden_set.group(group, engine)
    return certified.group(group, engine)


def write(folder: Path, built: Built) -> None:
    """Write the files of `built` into `folder`, then its check sums and its manifest."""
    for (name, kind), groups in built.items():
        path = folder / path_of(name, kind)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode.dump(document(name, kind, groups)))
    (folder / manifest.SUMS).write_bytes(manifest.sums(folder))
    (folder / manifest.MANIFEST).write_bytes(encode.dump(manifest.make(folder, CORPUS_VERSION)))


def document(name: str, kind: str, groups: list[Json]) -> Json:
    """Return the file of an operation, of scenarios or of a model as JSON."""
    if kind == SCENARIO:
        return encode_scenario.document(name, groups)
    if kind != MODEL:
        return encode.document(name, kind, groups)
    model = models.models()[name]
    return encode.model(name, model.title, model.source, groups)


def keep(source: Path, folder: Path, operations: str) -> None:
    """Copy what a build does not write: hand-kept files, and the files of other operations."""
    rebuilt = {
        path_of(name, kind)
        for name in operation.signatures()
        if fnmatchcase(name, operations)
        for kind in (VALUE, INVALID, *SETS)
    }
    rebuilt |= {
        path_of(group.scenario, SCENARIO)
        for group in operation.scenarios()
        if fnmatchcase(group.scenario, operations)
    }
    rebuilt |= {path_of(group.model, MODEL) for group in models.groups(operations)}
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source).as_posix()
        stale = name in (manifest.MANIFEST, manifest.SUMS) or name in rebuilt
        gone = operations == "*" and name.partition("/")[0] in manifest.FOLDERS
        if path.is_file() and not stale and not gone:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, folder / name)
