"""The test suites for torch and JAX that the guide to pytest and an exercise show pass."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("library", "name"),
    [
        ("torch", "test_torch_kernel.py"),
        ("jax", "test_jax_kernel.py"),
        ("torch", "test_rope_in_torch.py"),
    ],
)
def test_the_example(library, name, tmp_path):
    pytest.importorskip(library)
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
