"""The files of ``posref judge``: parameters as JSON, tensors as NPZ archives."""

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from posref.errors import FormatError
from posref.numerics.rounding import bfloat16


def read_params(path: Path) -> dict[str, Any]:
    """Return the parameters in a JSON file: one flat object, numbers as JSON has them."""
    try:
        params = json.loads(path.read_text("utf-8"), parse_constant=_refuse)
    except ValueError as failure:
        raise FormatError(str(path), f"is not JSON: {failure}") from None
    if not isinstance(params, dict):
        raise FormatError(str(path), "must hold one object: parameter names and values")
    return params


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no number")


def read_tensors(path: Path) -> dict[str, Any]:
    """Return the arrays in an NPZ archive by name; nothing in it is ever executed.

    NumPy writes bfloat16 arrays as bytes without a name; two bytes an element are read as bfloat16.
    """
    try:
        archive = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile) as failure:
        raise FormatError(str(path), f"is no NPZ archive: {failure}") from None
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise FormatError(str(path), "is a single array; an NPZ archive names its arrays")
    with archive:
        tensors = {}
        for name in archive.files:
            try:
                tensors[name] = _named(archive[name])
            except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as failure:
                raise FormatError(str(path), f"cannot be read: {failure}", f"/{name}") from None
    return tensors


def _named(array: Any) -> Any:
    return array.view(bfloat16()) if array.dtype.kind == "V" and array.dtype.itemsize == 2 else array
