"""What a test needs and a machine may lack: skipped with a reason, failed where POSREF_REQUIRE names it."""

import os
import shutil
import subprocess
from functools import cache
from typing import NoReturn

import pytest


def required(name: str) -> bool:
    """Return whether the environment variable POSREF_REQUIRE, names with commas, has `name`."""
    return name in os.environ.get("POSREF_REQUIRE", "").split(",")


def unavailable(name: str, reason: str) -> NoReturn:
    """Skip with a reason, or fail where POSREF_REQUIRE has `name`."""
    if required(name):
        pytest.fail(f"POSREF_REQUIRE={name}, but {reason}")
    pytest.skip(reason)


@cache
def tool(*names: str, group: str = "consumers") -> str:
    """Return the path of the first of these programs that is there, and runs; `group` requires it."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        unavailable(group, f"{names[0]} is not installed")
    if subprocess.run([found, "--version"], capture_output=True, check=False).returncode:
        unavailable(group, f"{names[0]} does not run")
    return found
