"""Build a corpus: the same bytes whatever the engine and the number of processes."""

import multiprocessing
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatchcase
from multiprocessing.connection import wait
from pathlib import Path
from typing import Final

from posref import operation
from posref.corpus import certified, encode, manifest, models, swap
from posref.corpus.encode import Json
from posref.corpus.load import load_vectors
from posref.corpus.models import ModelGroup
from posref.operation import Group

CORPUS_VERSION: Final = "0.1.0"
"""The version of the corpus that this package builds."""

Progress = Callable[[int, int, str], None]
"""Called with the groups done, all groups, and the operation of the last one."""

Built = dict[tuple[str, str], list[Json]]
"""Groups by operation and kind, or by model and ``"model"``."""


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
        The folder of the corpus. Hand-kept files in it (README, CHANGELOG) stay.
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
    """
    destination = Path(destination).resolve()
    groups = list(cases(operations))
    if not groups:
        raise KeyError(f"no operation matches {operations!r}; posref list shows them all")
    certified.engine_class(engine)
    with swap.building(destination) as folder:
        if destination.exists():
            keep(destination, folder, operations)
        write(folder, certify(groups, engine, jobs, progress))
        load_vectors(folder)
        swap.replace(folder, destination)


def cases(operations: str) -> Iterator[Group]:
    """Yield the groups of every operation, and of every model, that the glob matches."""
    for name in operation.signatures():
        if fnmatchcase(name, operations):
            yield from operation.find("cases", name)()
    yield from models.groups(operations)


def _place(group: Group) -> tuple[str, str]:
    """Return the operation or the model that a group belongs to, and the kind of its file."""
    if isinstance(group, ModelGroup):
        return group.model, models.KIND
    return group.operation, _kind(group)


def _kind(group: Group) -> str:
    refused = {case.error is not None for case in group.cases}
    if len(refused) != 1:
        raise ValueError(f"{group.operation}: group {group.name} holds values and refusals, or nothing")
    return "invalid" if refused.pop() else "value"


def certify(groups: list[Group], engine: str, jobs: int, progress: Progress | None) -> Built:
    """Return every group with its certified values as JSON."""
    found: Built = {}
    for done, (group, value) in enumerate(_each(groups, engine, jobs), 1):
        found.setdefault(_place(group), []).append(value)
        if progress:
            progress(done, len(groups), group.operation)
    return found


def _each(groups: list[Group], engine: str, jobs: int) -> Iterator[tuple[Group, Json]]:
    if jobs <= 1:
        for group in groups:
            yield group, certified.group(group, engine)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_attend) as pool:
        futures = {pool.submit(certified.group, group, engine): group for group in groups}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _attend() -> None:
    """Let a worker leave the interrupt to its parent, and end when the parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel
        threading.Thread(target=lambda: (wait([sentinel]), os._exit(1)), daemon=True).start()


def write(folder: Path, built: Built) -> None:
    """Write the files of `built` into `folder`, then its check sums and its manifest."""
    for (name, kind), groups in built.items():
        path = folder / path_of(name, kind)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode.dump(document(name, kind, groups)))
    (folder / manifest.SUMS).write_bytes(manifest.sums(folder))
    (folder / manifest.MANIFEST).write_bytes(encode.dump(manifest.make(folder, CORPUS_VERSION)))


def document(name: str, kind: str, groups: list[Json]) -> Json:
    """Return the file of an operation or of a model as JSON."""
    if kind != models.KIND:
        return encode.document(name, kind, groups)
    model = models.models()[name]
    return encode.model(name, model.title, model.source, groups)


def path_of(name: str, kind: str) -> str:
    """Return the path of the file of an operation or of a model, below the root of the corpus."""
    if kind == models.KIND:
        return f"models/{name}.json"
    scheme, _, function = name.partition(".")
    return f"core/{scheme}/{function}{'' if kind == 'value' else '_' + kind}.json"


def keep(source: Path, folder: Path, operations: str) -> None:
    """Copy what a build does not write: hand-kept files, and the files of other operations."""
    rebuilt = {
        path_of(name, kind)
        for name in operation.signatures()
        if fnmatchcase(name, operations)
        for kind in ("value", "invalid")
    }
    rebuilt |= {path_of(group.model, models.KIND) for group in models.groups(operations)}
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source).as_posix()
        stale = name in (manifest.MANIFEST, manifest.SUMS) or name in rebuilt
        if path.is_file() and not stale and not (operations == "*" and name.startswith(("core/", "models/"))):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)
