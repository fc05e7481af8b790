"""``posref sweep``: its filter, what it catches, and how it is resumed."""

import json
import math
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from posref.cli import main
from posref.corpus import sweep, sweep_state
from posref.corpus import sweep_filter as sieve
from posref.corpus.sweep import Unit
from posref.corpus.sweep_state import Tally
from posref.errors import FormatError

DTYPES = ("float32", "bfloat16", "float16")
ml_dtypes = pytest.importorskip("ml_dtypes")


def naive(positions: Any, width: int, base: float, dtype: str) -> Any:
    """Return a table with angles that are rounded to float32, as many programs make it."""
    ladder = np.float32(base) ** (-np.arange(0, width, 2, dtype=np.float32) / np.float32(width))
    angles = (positions.astype(np.float32)[:, None] * ladder).astype(np.float64)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(dtype)


def bent(row: int, column: int, steps: int) -> Any:
    """Return what makes the reference's table with one value moved by so many neighbours."""

    def subject(positions: Any, width: int, base: float, dtype: str) -> Any:
        table = sweep.reference(positions, width, base, dtype).copy()
        bits = table.view("uint32" if dtype == "float32" else "uint16")
        bits[row, column] += steps
        return table

    return subject


def test_the_filter_is_as_right_as_it_says() -> None:
    worst = 0.0
    for block in (0, 77, 1023, 1024):
        cos, sin = sieve.turned(5e5, 8, block)
        with mpmath.workdps(50):
            for row in range(0, sieve.BLOCK, 93):
                for column in range(4):
                    angle = (block * sieve.BLOCK + row) * mpmath.mpf(500000) ** (-mpmath.mpf(column) / 4)
                    for got, real in ((cos, mpmath.cos(angle)), (sin, mpmath.sin(angle))):
                        worst = max(worst, float(abs(mpmath.mpf(float(got[row, column])) - real)))
    assert 0 < worst <= 3.7 * 2.0**-53 < sieve.ERROR


@pytest.mark.parametrize("dtype", DTYPES)
def test_rounding_is_to_the_nearest_and_to_even(dtype: str) -> None:
    kind = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    values = np.random.default_rng(3).standard_normal(3000) * 2.0 ** -np.arange(0, 60, 0.02)
    got = sieve.values(sieve.rounded(values, dtype), dtype)
    unit = sieve.spacing(values, dtype)
    assert (np.abs(got - values) <= unit / 2).all()
    ones = 1 + np.arange(-9, 10) * float(ml_dtypes.finfo(kind).eps) / 2
    assert np.array_equal(
        sieve.rounded(-ones, dtype),
        np.ascontiguousarray((-ones).astype(kind)).view(sieve.rounded(ones, dtype).dtype),
    )
    assert math.copysign(1, sieve.values(sieve.rounded(-ones, dtype), dtype)[0]) == -1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [2, 10])
def test_the_reference_passes(dtype: str, width: int) -> None:
    work = list(sweep.units([dtype], [1e4, 3.0], [width], 3000))
    tally = sweep.run(work)
    assert tally.values == 2 * 3000 * width
    assert tally.golden >= width, "the sines of position 0 are open to the filter"
    assert (tally.unfaithful, tally.misrounded) == (0, 0)
    assert tally.worst <= 0.5


def test_a_naive_table_is_caught() -> None:
    tally = sweep.check(Unit("float32", 1e4, 8, 0, 5000), naive)
    assert tally.unfaithful > 1000
    assert tally.misrounded > tally.unfaithful
    assert tally.worst > 100


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("row", "column"), [(2047, 0), (1025, 7)])
def test_one_wrong_neighbour_is_caught(dtype: str, row: int, column: int) -> None:
    unit = Unit(dtype, 1e4, 8, 0, 2048)
    near = sweep.check(unit, bent(row, column, 1))
    assert (near.misrounded, near.unfaithful) in ((1, 0), (1, 1))
    assert 0.5 < near.worst <= 1.5
    assert near.unfaithful == (near.worst >= 1)
    far = sweep.check(unit, bent(row, column, 2))
    assert (far.misrounded, far.unfaithful) == (1, 1)
    assert 1.5 <= far.worst <= 2.5


def test_what_goes_to_the_golden_definitions_is_judged_too() -> None:
    """The sine of position 0: a filter that is off by anything cannot decide it."""

    def negative_zero(positions: Any, width: int, base: float, dtype: str) -> Any:
        table = sweep.reference(positions, width, base, dtype).copy()
        table[0, 1] = -0.0
        return table

    unit = Unit("float32", 1e4, 8, 0, 300)
    assert sweep.check(unit).misrounded == 0
    assert sweep.check(unit, negative_zero).misrounded == 1
    tiny = sweep.check(unit, bent(0, 1, 1))
    assert (tiny.misrounded, tiny.unfaithful) == (1, 1)


def test_nan_is_no_value() -> None:
    def broken(positions: Any, width: int, base: float, dtype: str) -> Any:
        table = sweep.reference(positions, width, base, dtype).copy()
        table[5, 3] = np.nan
        return table

    tally = sweep.check(Unit("float32", 1e4, 8, 0, 300), broken)
    assert (tally.misrounded, tally.unfaithful, tally.worst) == (1, 1, math.inf)


def test_units_are_all_positions() -> None:
    work = list(sweep.units(["float32"], [1e4], [4, 6], 2 * sweep.SPAN + 5))
    assert sum((unit.stop - unit.start) * unit.width for unit in work) == 10 * (2 * sweep.SPAN + 5)
    assert len({unit.name for unit in work}) == len(work) == 6


def test_a_sweep_is_resumed(tmp_path: Path) -> None:
    state, asked = tmp_path / "state.json", []

    def subject(*call: Any) -> Any:
        asked.append(call)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return sweep.reference(*call)

    work = list(sweep.units(["float16"], [1e4], [4, 6, 8], 100))
    with pytest.raises(KeyboardInterrupt):
        sweep.run(work, state=state, subject=subject)
    assert len(json.loads(state.read_text())["units"]) == 1
    whole = sweep.run(work, state=state, subject=subject)
    assert len(asked) == 4
    assert whole == sweep.run(work)
    assert whole == sweep.run(work, state=state, subject=naive), "all was done already"
    assert not state.with_name("state.json.partial").exists()


def test_a_state_of_other_code_counts_for_nothing(tmp_path: Path, monkeypatch: Any) -> None:
    state = tmp_path / "state.json"
    work = list(sweep.units(["float32"], [1e4], [4], 50))
    sweep.run(work, state=state)
    found = Tally(values=1, misrounded=7, unfaithful=7, worst=9.0)
    sweep_state.write(state, {unit.name: found for unit in work})
    assert sweep.run(work, state=state) == found
    monkeypatch.setattr(sweep_state, "fingerprint", lambda: "0")
    assert sweep.run(work, state=state).unfaithful == 0


def test_a_state_that_was_changed_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    work = list(sweep.units(["float32"], [1e4], [4], 50))
    sweep_state.write(state, {unit.name: Tally(values=1, misrounded=7, unfaithful=7) for unit in work})
    state.write_text(state.read_text().replace('"unfaithful": 7', '"unfaithful": 0'))
    with pytest.raises(FormatError, match="/digest: is not that of the file"):
        sweep.run(work, state=state)


def test_processes_find_the_same(tmp_path: Path) -> None:
    work = list(sweep.units(["bfloat16"], [1e4], [4, 6], 500))
    assert sweep.run(work, jobs=2, state=tmp_path / "state.json") == sweep.run(work)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    common = ["sweep", "--bases", "10000", "--widths", "4", "--positions", "300", "--jobs", "1"]
    common += ["--dtype", "float32", "--state", str(tmp_path / "state.json")]
    assert main(common) == 0
    out = capsys.readouterr()
    assert "1200 values checked" in out.out
    assert "0 unfaithful, 0 not correctly rounded" in out.out
    assert out.err == ""
    monkeypatch.setattr(sweep, "run", lambda *_, **__: Tally(4, 1, 2, 1, 3.5))
    assert main(common) == 1
    assert "1 unfaithful, 2 not correctly rounded, worst 3.500000000 ulp" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrong", [["--widths", "5"], ["--bases", "1"], ["--positions", "0"], ["--dtype", "float64"]]
)
def test_bad_arguments_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", *wrong]) == 2
    assert "error" in capsys.readouterr().err


def test_another_file_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "package.json"
    other.write_text("{}")
    command = ["sweep", "--positions", "4", "--jobs", "1", "--state", str(other)]
    assert main(command) == 2
    assert "no state of a sweep" in capsys.readouterr().err
    assert other.read_text() == "{}"
