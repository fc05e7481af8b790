"""Files written so that the old one or the new one is whole, whatever happens in between.

The new one is written beside the old one as ``NAME.PROCESS.partial`` and then moved. What a process that
was killed has left under such a name is removed by the next one that writes the same file.
"""

import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def check_writable(path: Path) -> None:
    """Raise an OSError that says why where no file can be written; nothing is left behind.

    For whatever takes long: what it finds should not be lost because a folder does not exist.
    """
    with said(path):
        if _is_stream(path):
            if not os.access(path, os.W_OK):
                raise OSError(None, "no permission")
            return
        partial = _partial(path)
        try:
            partial.touch()
        finally:
            partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write ASCII text as `write` does."""
    write(path, (text.encode("ascii"),))


def write(path: Path, pieces: Iterable[bytes]) -> int:
    """Write a file under another name, move it, and return its size: no half of it is ever read.

    A device or a pipe is written into. An OSError names the file and says why it was not written.
    """
    with said(path):
        if _is_stream(path):
            with path.open("wb") as stream:
                return _written(stream, pieces)
        partial = _partial(path)
        try:
            with partial.open("wb") as stream:
                size = _written(stream, pieces)
                stream.flush()
                os.fsync(stream.fileno())  # a full disk may show no sooner
            partial.replace(path.resolve())
        finally:
            with suppress(OSError):  # its folder is none, or not ours: then nothing of ours is there
                partial.unlink(missing_ok=True)
    return size


def _written(stream: BinaryIO, pieces: Iterable[bytes]) -> int:
    return sum(stream.write(piece) for piece in pieces)


def _is_stream(path: Path) -> bool:
    if path.is_dir():
        raise OSError(None, "is a folder")
    return path.exists() and not path.is_file()


def _partial(path: Path) -> Path:
    """Return the name to write under, beside what a link points to, so that it can be moved there.

    What processes that are no more have left under their names is removed.
    """
    target = path.resolve()
    for leftover in target.parent.glob(f"{glob.escape(target.name)}.*.partial"):
        process = leftover.name.split(".")[-2]
        if process.isdecimal() and not alive(int(process)):
            leftover.unlink(missing_ok=True)
    return target.with_name(f"{target.name}.{os.getpid()}.partial")


def alive(process: int) -> bool:
    """Return whether a process runs; where that cannot be asked, that it does."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def said(path: Path) -> Iterator[None]:
    """Have an OSError say in one line what cannot be written, and why."""
    try:
        yield
    except OSError as failure:
        raise OSError(f"{path} cannot be written: {failure.strerror or failure}") from None
