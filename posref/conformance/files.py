"""The files of ``posref judge``: parameters as JSON, tensors as NPZ archives."""

import zipfile
import zlib
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
