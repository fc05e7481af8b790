"""`posref bench`: what it prints; its figures are for a person at a quiet machine."""

import re
from typing import Any

import numpy as np
import pytest

import posref
from posref import bench
from posref.cli import main

LINE = re.compile(r"(.{34}) (.{38}) +(\d+\.\d\d) +(\d+\.\d\d) +(\d+\.\d\d)$")


def test_a_line_has_ordered_ratios(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
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

    work = bench.Work("work", lambda: None, np.ones(1), {"other": missing})
    assert "other: not measured, somelib is not installed" in list(bench.lines(work, 1))[1]


@pytest.mark.parametrize("pairing", ["adjacent", "half"])
def test_the_plain_expression_does_the_same_work(pairing: str) -> None:
    x = np.linspace(-1, 1, 2 * 3 * 8, dtype=np.float32).reshape(2, 3, 8)
    table = posref.rope.cos_sin(np.arange(3), np.array([1.0, 0.5, 0.25, 0.125]))
    want = posref.rope.rotate(x, *table, pairing_in=pairing, pairing_out=pairing)
    # two products and a sum of numbers up to 1 in float64 err by 2^-51 at most, then both round to float32
    apart = np.abs(bench.plain_rotation(x, *table, pairing).astype(float) - want)
    assert (apart <= np.spacing(np.abs(want)) + 2.0**-51).all()
