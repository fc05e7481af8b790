"""Tables made by turning blocks, against the exact phase and the error that `runs` derives."""

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref.numerics import runs
from posref.numerics.namespace import space
from posref.numerics.phase import exact_tables, tables
from posref.numerics.rounding import round_bits, ulp
from posref.numerics.wide import Frequencies, ladder

ERROR = 2.0**-49
"""Times the magnitude factor: what an entry may be off, `runs`."""


def frequencies(base: float, width: int) -> Frequencies:
    return ladder(base, [Fraction(2 * i, width) for i in range(width // 2)])


def both(positions: Any, base: float, width: int, factor: float = 1.0) -> tuple[Any, Any]:
    """Return the tables for float32 and the exact ones, cosines and sines stacked."""
    here, entries = space({"positions": positions}), frequencies(base, width)
    quick = tables(here, positions, entries, factor, "float32")
    return np.stack(quick), np.stack(exact_tables(here, positions, entries, factor))


@pytest.mark.parametrize(
    ("first", "count", "base", "width", "factor"),
    [
        (0, 5000, 1e4, 128, 1.0),
        (10**6 - 7, 4097, 5e5, 96, 1.3465735902799727),
        (2**53 - 1023, 1024, 1e4, 64, 0.1),
        (-3000, 6001, 1e6, 16, 1.0),
        (-300, 601, 1e4, 2, 2.0**20),
        (355 - 128, 256, 1e4, 1024, 1.0),
    ],
)
def test_runs_keep_their_promise(first: int, count: int, base: float, width: int, factor: float) -> None:
    positions = np.arange(first, first + count)
    quick, exact = both(positions, base, width, factor)
    off = np.abs(quick - exact)
    assert off.max() > 0, "nothing was turned"
    assert off.max() <= (ERROR + 2.0**-53) * factor
    assert (off <= (2.0**-8 + 2.0**-29) * ulp(exact, "float32")).all()
    small = np.abs(quick) < runs.SMALL * factor
    assert np.array_equal(quick[small], exact[small])


def test_an_entry_near_a_zero_is_made_from_its_phase() -> None:
    """sin(245850922) is 3e-9: eight digits of it are lost in a product of points, float32's last bits too."""
    positions = np.arange(245850922 - 200, 245850922 + 200)
    quick, _ = both(positions, 1e4, 2)
    with mpmath.workdps(60):
        real = mpmath.sin(245850922)
        assert abs(real) < 1e-8
        assert abs(mpmath.mpf(float(quick[1, 200, 0])) - real) <= float(ulp(float(real), "float64"))


@pytest.mark.parametrize("factor", [0.1, 1.0, 2.0**20])
def test_small_entries_are_exact_wherever_their_run_stands(factor: float) -> None:
    run = np.arange(245850922 - 200, 245850922 + 200)
    quick, exact = both(np.concatenate([[3, 1, 4], run, [9, 9], run - 7]), 1e4, 2, factor)
    small = np.abs(exact) < runs.SMALL * factor
    assert np.argwhere(small).tolist() == [[1, 203, 0], [1, 612, 0]]
    assert np.array_equal(quick[small], exact[small])
    assert not np.array_equal(quick, exact)


def test_what_is_no_run_is_exact() -> None:
    """Short runs, repeats, steps of two, falling positions, and fractions one apart."""
    draw = np.random.default_rng(5)
    pieces = [np.arange(runs.LONG - 1), np.full(300, 7), np.arange(0, 900, 2), np.arange(900, 0, -1)]
    for positions in (
        np.concatenate(pieces),
        draw.integers(-(2**31), 2**31, 600),
        np.arange(700) + 0.5,
        np.arange(700) * 0.1,
    ):
        quick, exact = both(positions, 1e4, 16)
        assert np.array_equal(quick, exact)


def test_runs_among_other_positions_and_in_leading_axes() -> None:
    run = np.arange(10**5, 10**5 + 512)
    mixed = np.concatenate([[3, 1, 4], run, [10**5], run - 512, [-5]])
    quick, exact = both(mixed, 1e4, 32)
    assert (np.abs(quick - exact) <= ERROR + 2.0**-53).all()
    assert np.array_equal(quick[:, :3], exact[:, :3])
    assert not np.array_equal(quick[:, 3:515], exact[:, 3:515])
    batch = np.stack([run, run + 77])
    quick, exact = both(batch, 1e4, 32)
    assert quick.shape == (2, 2, 512, 16)
    assert (np.abs(quick - exact) <= ERROR + 2.0**-53).all()


def test_whole_positions_in_float64_make_runs() -> None:
    positions = np.arange(1000.0) - 0.0
    assert np.array_equal(both(positions, 1e4, 32)[0], both(np.arange(1000), 1e4, 32)[0])


@pytest.mark.parametrize("factor", [2.0**-61, 2.0**61, 1e300])
def test_extreme_factors_stay_with_the_exact_phase(factor: float) -> None:
    quick, exact = both(np.arange(300), 1e4, 8, factor)
    assert np.array_equal(quick, exact)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("positions", [np.arange(-9, 4000), np.arange(4000)[::-1]])
def test_rounded_tables_are_the_exact_ones_rounded(dtype: str, positions: Any) -> None:
    """The middle of two neighbours is nearer than 2^-8 ulp for few entries: none of these."""
    pytest.importorskip("ml_dtypes")
    inv_freq = posref.rope.inv_freq(rotary_dim=64, base=1e4)
    made = posref.rope.cos_sin(positions, inv_freq, dtype=dtype)
    exact = posref.rope.cos_sin(positions, inv_freq)
    for narrow, wide in zip(made, exact, strict=True):
        assert narrow.dtype.name == dtype
        assert np.array_equal(narrow.view(round_bits(0.0, dtype).dtype), round_bits(wide, dtype))


def test_float32_that_overflows_is_refused() -> None:
    with pytest.raises(posref.SpecError, match="overflows float32"):
        posref.rope.cos_sin(np.arange(300), np.array([1.0]), attention_factor=1e39, dtype="float32")


def test_on_every_library(on: Any) -> None:
    positions = np.arange(600)
    inv_freq = posref.rope.inv_freq(rotary_dim=8, base=1e4)
    made = posref.rope.cos_sin(on(positions), on(inv_freq), dtype="float32")
    for narrow, wide in zip(made, posref.rope.cos_sin(positions, inv_freq), strict=True):
        assert np.array_equal(on.back(narrow), wide.astype(np.float32))
