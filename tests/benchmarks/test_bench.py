"""`posref bench`: what it prints and saves; its figures are for a person at a quiet machine."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import posref
from posref.bench import command, curves, record, timing
from posref.bench.works import Work, plain_rotation
from posref.cli import main

LINE = re.compile(r"(.{34}) (.{38}) +(\d+\.\d\d) +(\d+\.\d\d) +(\d+\.\d\d)$")


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def test_a_line_has_ordered_ratios(capsys: Any) -> None:
    assert main(["bench", "--rounds", "3", "--tokens", "8", "--work", "adjacent"]) == 0
    found = capsys.readouterr()
    assert not found.err
    rows = [LINE.match(line) for line in found.out.splitlines()]
    figures = [[float(cell) for cell in row.groups()[2:]] for row in rows[1:] if row]
    assert len(figures) >= 2  # a copy and NumPy are always there
    assert all(0 < low <= middle <= high for low, middle, high in figures)


def test_threads_are_pointed_out(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert main(["bench", "--work", "nothing is called so"]) == 0
    assert "OMP_NUM_THREADS is not 1" in capsys.readouterr().err


def test_a_library_that_is_missing_is_named() -> None:
    def missing() -> Any:
        raise ImportError(name="somelib")

    work = Work("work", lambda: None, np.ones(1), {"other": missing})
    lines = [command.line(ratio) for ratio in command.opponents(work, 1)]
    assert "other: not measured, somelib is not installed" in lines[1]


def test_ratios_are_of_runs_that_follow_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10**6))
    calls: list[str] = []
    monkeypatch.setattr(timing, "perf_counter", lambda: next(clock))

    def one() -> None:
        calls.append("one")
        next(clock), next(clock)

    def other() -> None:
        calls.append("other")

    assert timing.ratios(one, other, 3) == [3.0, 3.0, 3.0]
    assert calls == ["one", "other"] * 4  # the first pair is not measured
    assert timing.medians(one, other, 3) == (3.0, 1.0, 3.0)


@pytest.mark.parametrize("pairing", ["adjacent", "half"])
def test_the_plain_expression_does_the_same_work(pairing: str) -> None:
    x = np.linspace(-1, 1, 2 * 3 * 8, dtype=np.float32).reshape(2, 3, 8)
    table = posref.rope.cos_sin(np.arange(3), np.array([1.0, 0.5, 0.25, 0.125]))
    want = posref.rope.rotate(x, *table, pairing_in=pairing, pairing_out=pairing)
    # two products and a sum of numbers up to 1 in float64 err by 2^-51 at most, then both round to float32
    apart = np.abs(plain_rotation(x, *table, pairing).astype(float) - want)
    assert (apart <= np.spacing(np.abs(want)) + 2.0**-51).all()


def test_sizes_are_two_a_decade_and_end_where_they_are_told_to() -> None:
    assert curves.steps(10**5) == [10_000, 31_623, 100_000]
    assert curves.steps(200_000) == [10_000, 31_623, 100_000, 200_000]
    assert curves.steps(10**9)[-1] == 10**9
    assert len(curves.steps(10**9)) == 11
    assert curves.steps(500) == [500]


@pytest.mark.parametrize("name", curves.WORKS)
@pytest.mark.parametrize("size", [1, 1000, 54_321])
def test_a_point_is_of_about_the_size_that_was_asked_for(name: str, size: int) -> None:
    call, result = curves.WORKS[name](size)
    answer = call()
    parts = np.stack(answer) if isinstance(answer, tuple) else answer
    assert (parts.shape, parts.dtype) == (result.shape, result.dtype)
    assert np.isfinite(result).all()
    assert result.size <= max(size, curves.HEADS * curves.WIDTH)
    assert size < 10_000 or result.size >= 0.9 * size


def test_a_curve_has_positive_times(capsys: Any) -> None:
    points = [*curves.over_elements(20_000, 2)]
    assert [point.work for point in points[::2]] == [*curves.WORKS]
    assert all(point.ns > 0 and point.copy_ns > 0 and point.copies > 0 for point in points)
    assert not any(point.position for point in points)


def test_positions_go_up_to_two_to_the_31(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves, "ROWS", 4)
    points = [*curves.over_positions(1)]
    assert {point.position for point in points} == {2**exponent for exponent in curves.EXPONENTS}
    assert (min(curves.EXPONENTS), max(curves.EXPONENTS)) == (10, 31)


def test_what_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(curves, "ROWS", 4)
    file = tmp_path / "figures.json"
    record.save(file, {"memory": ["kept"], "ratios": ["replaced"]})
    options = ["--rounds=1", "--tokens=4", "--elements=12000", "--work=alibi"]
    assert main(["bench", "--save", str(file), *options]) == 0
    held = json.loads(file.read_text("ascii"))
    assert set(held) == {"format", "memory", "ratios", "curves"}
    assert held["memory"]["values"] == ["kept"]
    assert [row["work"] for row in held["ratios"]["values"]] == [
        "alibi.bias consecutive", "alibi.bias arbitrary",
    ]  # fmt: skip
    assert {row["work"] for row in held["curves"]["values"]} >= set(curves.WORKS)
    for section in ("memory", "ratios", "curves"):
        assert held[section]["versions"]["numpy"] == np.__version__
        assert held[section]["machine"]["threads"] == "1"
        assert "date" not in str(held[section]["machine"]).lower()


@pytest.mark.parametrize("text", ["{", "[]", '{"format": "something else"}'])
def test_another_file_is_not_written_over(tmp_path: Path, text: str, capsys: Any) -> None:
    file = tmp_path / "mine.json"
    file.write_text(text, encoding="utf-8")
    assert main(["bench", "--save", str(file), "--work", "none"]) == 2
    assert "mine.json" in capsys.readouterr().err
    assert file.read_text("utf-8") == text


def test_measure_saves_the_other_sections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "numerics"))
    import measure

    names = ("rope.rotate", "t5.bucket")
    few = {name: arguments for name, arguments in measure.memory_test.calls().items() if name in names}
    monkeypatch.setattr(measure.memory_test, "calls", lambda: few)
    file, state = tmp_path / "figures.json", tmp_path / "sweep.json"
    options = ["--positions=64", "--jobs=1", f"--sweep-state={state}"]
    assert measure.main([str(file), "--only=memory", "--only=sweep", *options]) == 0
    held = json.loads(file.read_text("ascii"))
    rows = {row["operation"]: row for row in held["memory"]["values"]}
    assert set(rows) == set(names)
    assert rows["rope.rotate"]["output"] == measure.memory_test.SIZE
    assert all(-(2**20) < row["beyond"] < measure.memory_test.SLACK for row in rows.values())
    # every base and width: a sine and a cosine a pair at each of the 64 positions
    values = 64 * sum(measure.WIDTHS) * len(measure.BASES)
    assert [row["values"] for row in held["sweep"]["values"]] == [values] * len(measure.DIGITS)
    assert not any(row["unfaithful"] for row in held["sweep"]["values"])
    sys.modules.pop("measure")
