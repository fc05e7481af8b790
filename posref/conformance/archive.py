"""NPZ archives read strictly: bytes become arrays, nothing is executed, nothing is guessed.

Every member must be what its headers say, to the last byte, and its check sum must hold. What an archive
takes in memory is known before it is read.
"""

import io
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from numpy.lib import format as npy

from posref.errors import FormatError
from posref.numerics.rounding import bfloat16

SMALL: Final = 1 << 30
"""Bytes that an archive may expand to, however small it is."""

RATIO: Final = 100
"""Times its own size that a larger archive may expand to."""

_HEADERS: Final = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_KINDS: Final = "biufcV"
"""Kinds of dtypes that are numbers; NumPy writes bfloat16 as bytes without a name."""


def read(path: Path) -> dict[str, Any]:
    """Return the arrays in an NPZ archive by name.

    Two bytes an element without a name are read as bfloat16.

    Raises
    ------
    FormatError
        If the file is anything else, or would expand to far more than it is.
    OSError
        If it cannot be read.
    """
    with path.open("rb") as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                members = archive.infolist()
                _check(members, path)
                _check_whole(stream, members, archive.start_dir, path)
                return {_name(one, path): _array(archive, one, path) for one in members}
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as failure:
            if isinstance(failure, FormatError):
                raise
            raise FormatError(str(path), f"is no NPZ archive: {failure}") from None


def _check(members: list[zipfile.ZipInfo], path: Path) -> None:
    names = [one.filename for one in members]
    if len(set(names)) < len(names):
        twice = next(name for index, name in enumerate(names) if name in names[:index])
        raise FormatError(str(path), "stands twice in the archive", f"/{twice}")
    size = sum(one.file_size for one in members)
    if size > max(SMALL, RATIO * path.stat().st_size):
        raise FormatError(str(path), f"expands to {size} bytes; save it without compression")


def _check_whole(stream: IO[bytes], members: list[zipfile.ZipInfo], end: int, path: Path) -> None:
    """Refuse an archive with bytes that its directory does not name: an array that was left out of it."""
    at, slack = 0, 0
    for one in sorted(members, key=lambda one: one.header_offset):
        if not 0 <= one.header_offset - at <= slack:
            break
        stream.seek(one.header_offset + 26)
        sizes = stream.read(4)
        at = one.header_offset + 30 + sum(struct.unpack("<HH", sizes)) + one.compress_size
        slack = 24 if one.flag_bits & 8 else 0  # the sizes may be written once more, after the content
    else:
        if 0 <= end - at <= slack:
            return
    raise FormatError(str(path), "holds bytes that its directory does not name")


def _name(member: zipfile.ZipInfo, path: Path) -> str:
    if not member.filename.endswith(".npy"):
        raise FormatError(str(path), "is no array", f"/{member.filename}")
    return member.filename.removesuffix(".npy")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> Any:
    try:
        with archive.open(member) as stream, warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # a header that NumPy has to mend
            array = _parsed(stream, member)
        return array.view(bfloat16()) if array.dtype.kind == "V" else array
    except (
        ValueError,
        EOFError,
        MemoryError,
        NotImplementedError,  # a way of compression that zipfile has not
        OSError,  # a place before the file
        RuntimeError,  # the member is encrypted
        SyntaxError,
        TypeError,
        UserWarning,
        zipfile.BadZipFile,
        zlib.error,
        tokenize.TokenError,
    ) as failure:
        said = str(failure) or type(failure).__name__
        raise FormatError(str(path), f"cannot be read: {said}", f"/{_name(member, path)}") from None


def _parsed(stream: IO[bytes], member: zipfile.ZipInfo) -> Any:
    content = stream.read(member.file_size + 1)  # to the end, where the check sum is looked at
    file = io.BytesIO(content)
    header = _HEADERS.get(npy.read_magic(file))
    if header is None:
        raise ValueError("a version of the NPY format that has names in UTF-8")
    shape, columns, dtype = header(file)
    if dtype.kind not in _KINDS or dtype.fields or (dtype.kind == "V" and dtype.itemsize != 2):
        raise ValueError(f"an array of {dtype} holds no plain numbers")
    count = math.prod(shape)
    if len(content) - file.tell() != count * dtype.itemsize:
        raise ValueError(f"has not the bytes of shape {list(shape)} and {dtype}")
    if min(shape, default=0) < 0:
        raise ValueError(f"has a negative axis: {list(shape)}")
    flat = np.frombuffer(content, dtype, count, file.tell())
    return flat.reshape(shape, order="F" if columns else "C")
