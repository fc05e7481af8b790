"""What importing costs: nothing but NumPy, and no framework."""

import subprocess
import sys

PROGRAM = """
import sys, time
import numpy
before = set(sys.modules)
start = time.perf_counter()
import posref
light = time.perf_counter() - start
posref.rope
whole = time.perf_counter() - start
roots = {name.partition(".")[0] for name in set(sys.modules) - before}
print(light, whole, *sorted(roots & {"torch", "jax", "cupy", "ml_dtypes", "mpmath", "flint", "scipy"}))
"""


def test_importing_the_reference_is_cheap_and_loads_no_framework() -> None:
    """The best of three runs, so that a busy machine does not decide."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(3)
    ]
    assert all(len(run) == 2 for run in runs), runs
    assert min(float(run[0]) for run in runs) < 0.05
    assert min(float(run[1]) for run in runs) < 0.15
