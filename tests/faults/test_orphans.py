"""A judge that is killed: its program sees the end of its input and ends; no file of either is left."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import environment
from processes import gone, living
from wire_runs import words

FEW, MANY = 4, 50


@pytest.mark.parametrize("wire", ["json", "flat"])
def test_a_few_kills_of_the_judge(wire: str, tmp_path: Path) -> None:
    killed(wire, FEW, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("wire", ["json", "flat"])
def test_many_kills_of_the_judge(wire: str, tmp_path: Path) -> None:
    killed(wire, MANY, tmp_path)


def killed(wire: str, kills: int, folder: Path) -> None:
    """Kill the judge so often, each time a moment after its program was started."""
    draw = random.Random(kills)
    for count in range(kills):
        mark = f"judge-{folder}-{count}"
        with judge(wire, mark, folder) as process:
            until = time.monotonic() + 60
            while len(living(mark)) < 2 and time.monotonic() < until:
                time.sleep(0.005)
            assert len(living(mark)) == 2, "the program was not started"
            time.sleep(draw.uniform(0.0, 1.0))
            process.kill()
            assert process.wait(60) == -signal.SIGKILL
        assert gone(mark), f"left over: {living(mark)}"
        assert list(folder.iterdir()) == []


def judge(wire: str, mark: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start posref on an honest program, for longer than anybody waits."""
    text = " ".join(words("honest", "--wire", wire))
    report = str(folder / "report")
    return subprocess.Popen(
        [sys.executable, "-m", "posref", "check", "--cmd", text, "--wire", wire, "--json", report],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(mark),
        cwd=os.sep,
    )
