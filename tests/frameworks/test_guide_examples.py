"""The test suites for torch and JAX that the guide to pytest shows pass."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_the_example(library, tmp_path):
    pytest.importorskip(library)
    name = f"test_{library}_kernel.py"
    shutil.copy(ROOT / "docs" / "examples" / name, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", name],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
    assert "skipped" not in done.stdout.splitlines()[-1]
