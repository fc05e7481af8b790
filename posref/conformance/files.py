"""The files of the command line: parameters as JSON, tensors as NPZ archives, what is written."""

import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from posref.corpus.strict import parse_object
from posref.errors import FormatError
from posref.numerics.rounding import bfloat16


def read_params(path: Path) -> dict[str, Any]:
    """Return the parameters in a JSON file: one object, numbers as JSON has them."""
    return parse_object(path.read_bytes(), str(path))


def read_tensors(path: Path) -> dict[str, Any]:
    """Return the arrays in an NPZ archive by name; nothing in it is ever executed.

    NumPy writes bfloat16 arrays as bytes without a name; two bytes an element are read as bfloat16.
    """
    with path.open("rb") as stream:
        try:
            archive = np.load(stream, allow_pickle=False)
        except (ValueError, EOFError, zipfile.BadZipFile) as failure:
            raise FormatError(str(path), f"is no NPZ archive: {failure}") from None
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise FormatError(str(path), "is a single array; an NPZ archive names its arrays")
        with archive:
            return {name: _tensor(archive, name, path) for name in archive.files}


def check_writable(path: Path) -> None:
    """Raise an OSError that says why where no file can be written; nothing is left behind.

    For whatever takes long: what it finds should not be lost because a folder does not exist.
    """
    with _said(path):
        if _is_stream(path):
            if not os.access(path, os.W_OK):
                raise OSError(None, "no permission")
            return
        partial = _partial(path)
        try:
            partial.touch(exist_ok=False)
        finally:
            partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write ASCII text under another name and move it, so that no half of it is ever read.

    A device or a pipe is written into. An OSError names the file and says why it was not written.
    """
    with _said(path):
        if _is_stream(path):
            path.write_text(text, "ascii")
            return
        partial = _partial(path)
        try:
            with partial.open("w", encoding="ascii") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())  # a full disk may show no sooner
            partial.replace(path.resolve())
        finally:
            partial.unlink(missing_ok=True)


def _is_stream(path: Path) -> bool:
    if path.is_dir():
        raise OSError(None, "is a folder")
    return path.exists() and not path.is_file()


def _partial(path: Path) -> Path:
    """Return the name to write under, beside what a link points to, so that it can be moved there."""
    target = path.resolve()
    return target.with_name(f"{target.name}.{os.getpid()}.partial")


@contextmanager
def _said(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as failure:
        raise OSError(f"{path} cannot be written: {failure.strerror or failure}") from None


def _tensor(archive: Any, name: str, path: Path) -> Any:
    try:
        array = archive[name]
    except (ValueError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error) as failure:
        raise FormatError(str(path), f"cannot be read: {failure}", f"/{name}") from None
    if not isinstance(array, np.ndarray):
        raise FormatError(str(path), "is no array", f"/{name}")
    return _named(array)


def _named(array: Any) -> Any:
    return array.view(bfloat16()) if array.dtype.kind == "V" and array.dtype.itemsize == 2 else array
