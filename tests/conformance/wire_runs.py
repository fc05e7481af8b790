"""Programs of wire_programs as things to judge, and a look for processes that they left."""

import sys
import time
from pathlib import Path
from typing import Any

from posref.conformance.wire import Command, Limits

PROGRAMS = Path(__file__).parent / "wire_programs"


def words(program: str, *arguments: str) -> list[str]:
    return [sys.executable, str(PROGRAMS / f"{program}.py"), *arguments]


def command(program: str, *arguments: str, wire: str = "json", **limits: Any) -> Command:
    return Command(words(program, *arguments, "--wire", wire), wire, Limits(**limits))


def living(mark: str) -> list[int]:
    """Return the processes, zombies aside, that have `mark` among their arguments."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if mark.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


def gone(mark: str) -> bool:
    """Return whether all processes with `mark` end within a moment: killing takes effect a little later."""
    until = time.monotonic() + 5
    while living(mark) and time.monotonic() < until:
        time.sleep(0.02)
    return not living(mark)
