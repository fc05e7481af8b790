"""A folder built beside the one it replaces, and put in its place in one step."""

import ctypes
import glob
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from posref.corpus.writing import alive

_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2
_OLD: Final = ".old"


@contextmanager
def building(destination: Path) -> Iterator[Path]:
    """Give an empty folder beside `destination`, and remove it afterwards.

    It is called ``.NAME.building-PROCESS``. What an earlier build left behind when it was killed is
    removed first, or put back where it was killed between two steps of `replace`; the folder of a build
    that is still running stays.
    """
    destination.parent.mkdir(parents=True, exist_ok=True)
    start = f".{destination.name}.building-"
    for leftover in sorted(destination.parent.glob(f"{glob.escape(start)}*")):
        process = leftover.name.removeprefix(start).removesuffix(_OLD)
        if not process.isdecimal() or (int(process) != os.getpid() and alive(int(process))):
            continue
        if leftover.name.endswith(_OLD) and not destination.exists():
            leftover.rename(destination)
        else:
            shutil.rmtree(leftover)
    folder = destination.parent / f".{destination.name}.building-{os.getpid()}"
    try:
        folder.mkdir()  # within: whatever comes once it is there removes it
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def replace(folder: Path, destination: Path) -> None:
    """Put `folder` in the place of `destination`; what stood there is then in `folder`.

    Where the system can exchange two names at once, there is no moment without a whole `destination`.
    """
    for path in [*folder.rglob("*"), folder]:
        _flush(path)
    if not destination.exists():
        folder.rename(destination)
    elif not _exchange(folder, destination):
        aside = folder.with_name(folder.name + _OLD)
        destination.rename(aside)
        folder.rename(destination)
        aside.rename(folder)
    _flush(destination.parent)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two names in one step; False where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    names = os.fsencode(first), os.fsencode(second)
    return bool(call(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0)
