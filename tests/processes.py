"""A look for processes that a test has started, by a mark that they carry."""

import time
from pathlib import Path

MARK = "POSREF_FAULT"
"""The environment variable that holds the mark where no argument does."""


def living(mark: str) -> list[int]:
    """Return the processes, zombies aside, that have a mark among their arguments or in `MARK`."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                arguments, variables = ((folder / name).read_bytes() for name in ("cmdline", "environ"))
            except OSError:
                continue
            if mark.encode() in arguments.split(b"\0") or f"{MARK}={mark}".encode() in variables.split(b"\0"):
                found.append(int(folder.name))
    return found


def gone(mark: str, seconds: float = 20.0) -> bool:
    """Return whether all processes with a mark end within a time: killing takes effect a little later."""
    until = time.monotonic() + seconds
    while living(mark) and time.monotonic() < until:
        time.sleep(0.02)
    return not living(mark)
