"""Files made to take all memory or all time are refused soon, and take little of either."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SECONDS = 20.0
PEAK = 512 << 20

EXPECTED = {
    "huge": "has more than [0-9]+ bytes",
    "deep": "nested more than 64 deep|is not TOML|is not the SHA-256",
    "deep-objects": "nested more than 64 deep|is not TOML|is not the SHA-256",
    "long": "key 'a' stands twice|has more than 1048576 bytes|is not the SHA-256",
    "device": "has more than 67108864 bytes",
    "deep header": "cannot be read",
    "bomb": "expands to 1074790400 bytes",
    "shape": "rows|characters|digits|has not the bytes of shape",
    "two axes": "rows",
    "empty": "has more than 1000000000000 elements|is missing",
    "empty shape": "has not the bytes of shape",
    "axes": "has more than 32 axes|digits",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What became of each hostile file in a process whose memory is limited."""
    if not Path("/proc/self/statm").exists():
        pytest.skip("no limit to the memory of a process on this system")
    done = subprocess.run(
        [sys.executable, str(HERE / "hostile.py"), str(tmp_path_factory.mktemp("hostile"))],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "OPENBLAS_NUM_THREADS": "1",
        },
    )
    assert done.returncode == 0, done.stderr
    read: dict[str, Any] = json.loads(done.stdout)
    return read


@pytest.mark.parametrize("way", EXPECTED)
def test_what_is_huge_is_refused(found: dict[str, Any], way: str) -> None:
    own = {name: said for name, said in found.items() if name.partition(" ")[2] == way}
    assert own
    for name, (said, seconds) in own.items():
        assert re.search(f"^FormatError: .*({EXPECTED[way]})", said), name
        assert seconds < SECONDS, name


def test_every_kind_was_tried_every_way(found: dict[str, Any]) -> None:
    assert {name.partition(" ")[2] for name in found} == {*EXPECTED, ""}
    assert found["peak"] < PEAK
