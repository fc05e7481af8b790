"""SIGKILL at any moment: the old result is whole or the new one is, and the next run tidies up."""

import random
import signal
import time
from pathlib import Path

import pytest
from commands import WRITERS, Writer, fresh, results, run, start, states, temporary
from processes import gone, living

FEW, MANY = 3, 50


@pytest.mark.parametrize("name", WRITERS)
def test_a_few_kills(name: str, tmp_path: Path, root: Path) -> None:
    killed(name, FEW, tmp_path / "target", root)


@pytest.mark.full
@pytest.mark.parametrize("name", WRITERS)
def test_many_kills(name: str, tmp_path: Path, root: Path) -> None:
    killed(name, MANY, tmp_path / "target", root)


def killed(name: str, kills: int, folder: Path, root: Path) -> None:
    """Kill a command so often, and look after each time; every second time while it writes, if possible.

    A machine that is busy may be too slow to see it write: then any moment of its run will do.
    """
    writer, draw = WRITERS[name], random.Random(f"{name} {kills}")
    new, seconds = finished(writer, folder, root)
    done = missed = 0
    while done < kills:
        assert missed <= 20, "it ends before it can be killed"
        old = fresh(writer, folder, root)
        at_writing = done % 2 == 0 and missed < 3
        moment = draw.uniform(0.0, 0.02 if at_writing else seconds)
        if not interrupted(writer, folder, root, moment, at_writing=at_writing):
            missed += 1
            continue
        done, missed = done + 1, 0
        found = results(folder)
        assert writer.whole(old, new, found), f"after {moment:.4f} s: {sorted(found)}"
        states(folder)
        again = run(writer.words(folder, root))
        assert again.returncode == 0, again.stderr
        assert results(folder) == new
        assert temporary(folder) == []


def finished(writer: Writer, folder: Path, root: Path) -> tuple[dict[str, bytes], float]:
    """Return the result of a run that nobody disturbs, and how long it takes."""
    old = fresh(writer, folder, root)
    begun = time.monotonic()
    assert run(writer.words(folder, root)).returncode == 0
    seconds = time.monotonic() - begun
    new = dict(results(folder))
    assert new != old
    assert temporary(folder) == []
    return new, seconds


def interrupted(writer: Writer, folder: Path, root: Path, moment: float, *, at_writing: bool) -> bool:
    """Kill a run at a moment, counted from its start or from when it first writes; False if it was over."""
    mark = f"kill-{folder}-{time.monotonic_ns()}"
    process = start(writer.words(folder, root), mark)
    while at_writing and not temporary(folder) and process.poll() is None:
        time.sleep(0.001)
    time.sleep(moment)
    process.send_signal(signal.SIGKILL)
    over = process.wait(60) != -signal.SIGKILL
    assert gone(mark), f"left over: {living(mark)}"
    return not over


def test_a_resumed_sweep_leaves_out_what_is_done(tmp_path: Path, root: Path) -> None:
    writer, folder = WRITERS["sweep"], tmp_path / "target"
    new, _ = finished(writer, folder, root)
    (units,) = states(folder)
    fresh(writer, folder, root)
    process = start(writer.words(folder, root), "sweep")
    while not results(folder):
        time.sleep(0.001)
    process.kill()
    process.wait(60)
    (done,) = states(folder)
    again = run(writer.words(folder, root))
    assert 0 < done < units == 4
    assert again.returncode == 0
    assert results(folder) == new
    assert again.stdout.startswith("float16: 240000 values checked")
