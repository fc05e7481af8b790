"""Programs of wire_programs as things to judge."""

import sys
from pathlib import Path
from typing import Any

from posref.conformance.wire import Command, Limits

PROGRAMS = Path(__file__).parent / "wire_programs"


def words(program: str, *arguments: str) -> list[str]:
    return [sys.executable, str(PROGRAMS / f"{program}.py"), *arguments]


def command(program: str, *arguments: str, wire: str = "json", **limits: Any) -> Command:
    return Command(words(program, *arguments, "--wire", wire), wire, Limits(**limits))
