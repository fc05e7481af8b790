"""What importing brings: nothing but NumPy and what the reference itself needs."""

import subprocess
import sys

PROGRAM = """
import sys
import numpy
before = set(sys.modules)
import posref
light = set(sys.modules) - before
posref.rope
whole = set(sys.modules) - before
print(*sorted(name for name in light if name.startswith("posref")))
print(*sorted({name.partition(".")[0] for name in whole} - sys.stdlib_module_names))
print(*sorted({".".join(name.split(".")[:2]) for name in whole if name.startswith("posref.")}))
"""


def test_importing_the_reference_loads_no_framework_and_no_other_room() -> None:
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    light, roots, rooms = (line.split() for line in ran.stdout.splitlines())
    assert light == ["posref"]
    assert set(roots) <= {"numpy", "posref"}
    assert rooms == ["posref.errors", "posref.numerics", "posref.operation", "posref.reference"]
