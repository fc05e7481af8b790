"""Files read up to a size: whoever hands one over cannot make the reader take more memory than that."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from posref.errors import FormatError

MOST: Final = 64 << 20
"""Bytes that a vector file, a manifest, or a line or a file of somebody else's has at most."""


def read(path: Path, name: str | None = None, most: int = MOST) -> bytes:
    """Return what is in a file.

    Parameters
    ----------
    path : path
        The file, a device or a pipe.
    name : str, optional
        Its name in messages; default: the path.
    most : int, optional
        Bytes that it has at most.

    Raises
    ------
    FormatError
        If it has more.
    OSError
        If it cannot be read.
    """
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise FormatError(str(path) if name is None else name, f"has more than {most} bytes")
    return data


def read_member(root: Path, name: str) -> bytes:
    """Return what is in a file of a folder; a FormatError where it is none, such as a pipe, or too long."""
    if not (root / name).is_file():
        raise FormatError(name, "is no file")
    return read(root / name, name)


@contextmanager
def memory(most: int) -> Iterator[None]:
    """Raise a MemoryError where more bytes than `most` are taken; where Linux does not count, do nothing."""
    try:
        import resource  # POSIX alone has it

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (ImportError, OSError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = pages * resource.getpagesize() + most
    limits = [wanted, *(one for one in (soft, hard) if one != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
