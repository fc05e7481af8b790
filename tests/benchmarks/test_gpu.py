"""The script for a GPU, played on the host: that it is whole, says what failed, and keeps to its time."""

import json
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SMALL = ["--dry-run", "--mib=0.01", "--rounds=2", "--decades=5", "--operation=swin.index",
         "--tests=tests/numerics/test_angles.py"]  # fmt: skip


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(HERE))
    return pytest.importorskip("gpu")


def played(gpu: Any, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = gpu.main([*SMALL, *words])
    return code, json.loads(capsys.readouterr().out)


def test_every_stage_is_played_and_nothing_is_saved(
    gpu: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(gpu.STAGES, "tests", lambda device, args: {"passed": True, "line": "none"})
    file = tmp_path / "figures.json"
    code, found = played(gpu, capsys, f"--save={file}")
    assert code == 0, found
    assert list(found) == ["device", *gpu.STAGES]
    assert all(found[name]["passed"] for name in gpu.STAGES)
    assert found["bits"]["compared"] == 4 * 4 + 3 * 3
    whats = {(row["work"], row["what"]) for row in found["rotations"]["rows"]}
    assert len(whats) == len(found["rotations"]["rows"]) == 3 * 2 * 2
    assert [row["elements"] for row in found["curve"]["rows"]] == [9216, 99328]
    assert found["check"]["claims"] == {"swin.index int64": "exact"}
    assert not file.exists()


def test_a_wrong_result_fails(
    gpu: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "STAGES", {"bits": gpu.STAGES["bits"]})
    monkeypatch.setattr(gpu, "back", lambda device, array: -array)
    code, found = played(gpu, capsys)
    assert code == 1
    assert len(found["bits"]["wrong"]) == found["bits"]["compared"]


def test_a_slow_kernel_fails_and_a_slow_call_does_not(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    args = gpu.arguments(SMALL)
    args.dry_run = False
    for slow, passes in (("kernel", False), ("call", True)):
        shares = iter([{"share": 0.5 if what == slow else 0.9} for what in ("kernel", "call")] * 6)
        monkeypatch.setattr(gpu, "pair", lambda *_, shares=shares: next(shares))
        assert gpu.rotations(gpu.Host(), args)["passed"] is passes


def test_a_stage_that_raises_does_not_end_the_others(
    gpu: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(device: Any, args: Any) -> Any:
        raise RuntimeError("the device is lost")

    monkeypatch.setattr(gpu, "STAGES", {"broken": broken, "curve": gpu.STAGES["curve"]})
    code, found = played(gpu, capsys)
    assert code == 1
    assert "the device is lost" in found["broken"]["error"]
    assert found["curve"]["passed"]


def test_no_stage_begins_after_the_deadline(gpu: Any, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = played(gpu, capsys, "--seconds=-1")
    assert code == 1
    assert {found[name]["error"] for name in gpu.STAGES} == {"no time was left"}


def test_the_tests_that_need_cupy_are_chosen_by_name(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def ran(words: list[str], **options: Any) -> Any:
        asked.update(words=words, **options)
        return type("Ran", (), {"returncode": 1, "stdout": "1 failed", "stderr": ""})

    monkeypatch.setattr(gpu.subprocess, "run", ran)
    device = type("Device", (), {"backend": "cupy"})()
    found = gpu.tests(device, gpu.arguments(SMALL))
    assert (found["passed"], found["line"]) == (False, "1 failed")
    assert asked["words"][-2:] == ["-k", "cupy or gpu"]
    assert asked["env"]["POSREF_REQUIRE"] == "cupy"
    assert 0 < asked["timeout"] <= 330
