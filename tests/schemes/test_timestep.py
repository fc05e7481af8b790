"""timestep: requirement G2, published rows, and steps from the smallest number to the largest."""

from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import timestep
from posref.numerics.rounding import exact, native, ulp

PLAIN: dict[str, Any] = {
    "max_period": 10000.0,
    "freq_shift": 0.0,
    "flip_sin_to_cos": False,
    "scale": 1.0,
    "odd": "error",
}


def encode(steps: Any, dim: int, **changed: Any) -> Any:
    return timestep.encode(np.asarray(steps, dtype=np.float64), dim=dim, **(PLAIN | changed))


def real_row(step: float, dim: int, **changed: Any) -> list[Any]:
    """Evaluate timestep.C1 and C2 word for word, for an even width."""
    chosen = PLAIN | changed
    half = dim // 2
    angles = []
    for j in range(half):
        exponent = -mpmath.mpf(j) / (half - mpmath.mpf(chosen["freq_shift"]))
        angles.append(
            mpmath.mpf(chosen["scale"]) * mpmath.mpf(step) * mpmath.mpf(chosen["max_period"]) ** exponent
        )
    sines, cosines = [mpmath.sin(a) for a in angles], [mpmath.cos(a) for a in angles]
    return cosines + sines if chosen["flip_sin_to_cos"] else sines + cosines


def test_g2_the_published_rows_of_step_10() -> None:
    """Width 8, nine decimals: the first diffusion model, and its guided successor."""
    first = encode([10.0], 8, freq_shift=1.0)[0]
    typed = "-0.544021111 0.447670835 0.02154268 0.001 -0.839071529 0.894198425 0.99976793 0.9999995"
    assert np.abs(first - [float(number) for number in typed.split()]).max() <= 5e-10
    guided = encode([10.0], 8, flip_sin_to_cos=True)[0]
    typed = "-0.839071529 0.540302306 0.995004165 0.99995 -0.544021111 0.841470985 0.099833417 0.009999833"
    assert np.abs(guided - [float(number) for number in typed.split()]).max() <= 5e-10


def test_g2_the_order_of_the_public_reports() -> None:
    plain, flipped = (encode([1.0], 4, flip_sin_to_cos=flip)[0] for flip in (False, True))
    assert np.abs(plain - [0.841470985, 0.00999983333, 0.540302306, 0.999950000]).max() <= 5e-10
    assert np.array_equal(flipped, np.roll(plain, 2))


def test_g2_steps_from_0_to_1_need_their_factor() -> None:
    """The third of four frequencies at step 0.5: almost constant without a factor, not with 1000."""
    assert abs(encode([0.5], 8)[0, 2] - 0.00499997917) <= 5e-12
    assert abs(encode([0.5], 8, scale=1000.0)[0, 2] - -0.958924275) <= 5e-10


@pytest.mark.parametrize("changed", [{}, {"max_period": 500000.0}])
def test_g2_the_basis_is_that_of_positions_and_the_argument_is_not(changed: dict[str, float]) -> None:
    """Whole steps meet the positions of `sinusoidal.encode`; between them lie steps of their own."""
    base = changed.get("max_period", 10000.0)
    same = {"dim": 16, "base": base, "denominator": "dim", "layout": "sin_cos", "odd": "error"}
    positions = np.array([0, 1, 7, -40, 999])
    assert np.array_equal(encode(positions, 16, **changed), posref.sinusoidal.encode(positions, **same))
    between = encode([3.0, 3.5, 4.0], 16, **changed)
    assert np.abs(np.diff(between, axis=0)).max(axis=1).min() > 0.1


def test_shift_1_ends_at_one_over_the_period() -> None:
    """At step 1 the last sine is that of 1/10000; shift 0 stops short of it."""
    with mpmath.workdps(40):
        assert encode([1.0], 8, freq_shift=1.0)[0, 3] == float(mpmath.sin(mpmath.mpf(1) / 10000))
        assert encode([1.0], 8)[0, 3] == float(mpmath.sin(mpmath.mpf(1) / 1000))


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"freq_shift": 1.0, "flip_sin_to_cos": True, "scale": 0.1},
        {"freq_shift": 0.3, "max_period": 1e300, "scale": -1e-250},
        {"freq_shift": -2.5, "max_period": 1.0000001, "scale": 1e300},
        {"freq_shift": 3 - 2.0**-50, "scale": 1000.0},
        {"scale": 0.0},
    ],
)
@pytest.mark.parametrize(
    "steps", [[0.1, 3.7, 999.0, -12345.678], [2.0**53, 0.0, 5e-324, 1e-300], [1e17, -1.7e308, 2.0**1000, 0.5]]
)
def test_every_entry_is_within_an_ulp(steps: list[float], changed: dict[str, Any]) -> None:
    got = encode(steps, 6, **changed)
    with mpmath.workdps(1400):
        for values, step in zip(got.tolist(), steps, strict=True):
            for value, real in zip(values, real_row(step, 6, **changed), strict=True):
                assert abs(mpmath.mpf(value) - real) <= float(ulp(float(real), "float64"))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_short_steps_give_faithful_short_tables(dtype: str) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    steps = native([0.375, 129.0, 2000.0], dtype)
    table = exact(timestep.encode(steps, dim=8, **PLAIN))[1]
    with mpmath.workdps(60):
        for values, step in zip(table.tolist(), exact(steps)[1].tolist(), strict=True):
            for value, real in zip(values, real_row(step, 8), strict=True):
                assert abs(value - real) < float(ulp(float(real), dtype))


@pytest.mark.parametrize("flip", [False, True])
def test_an_odd_width_ends_in_a_column_of_zeros(flip: bool) -> None:
    table = encode([2.0, -0.5], 7, odd="zero_pad", flip_sin_to_cos=flip)
    assert np.array_equal(table[:, :6], encode([2.0, -0.5], 6, flip_sin_to_cos=flip))
    assert table[:, 6].tolist() == [0.0, 0.0]
    assert not np.signbit(table[:, 6]).any()
    with pytest.raises(posref.SpecError, match=r"\[timestep.C3\] dim: must be even .* got 7"):
        encode([2.0], 7)


@pytest.mark.parametrize(
    ("dim", "changed", "match"),
    [
        (1, {"odd": "zero_pad"}, r"\[timestep.C1\] dim"),
        (8, {"freq_shift": 4.0}, r"\[timestep.C1\] freq_shift: must be below 4"),
        (8, {"freq_shift": 4.5}, r"\[timestep.C1\] freq_shift"),
        (2, {"freq_shift": 1.0}, r"\[timestep.C1\] freq_shift"),
        (8, {"freq_shift": float("inf")}, r"\[timestep.C1\] freq_shift"),
        (8, {"max_period": 1.0}, r"\[timestep.C1\] max_period"),
        (8, {"scale": float("nan")}, r"\[timestep.C2\] scale"),
        (8, {"flip_sin_to_cos": None}, r"\[conventions.C6\] flip_sin_to_cos"),
        (8, {"odd": "extra_sine"}, r"\[conventions.C6\] odd"),
    ],
)
def test_bad_parameters(dim: int, changed: dict[str, Any], match: str) -> None:
    with pytest.raises(posref.SpecError, match=match):
        encode([1.0], dim, **changed)


def test_bad_steps() -> None:
    for steps, match in (
        (np.array([1, 2]), r"\[conventions.C3\] timesteps: .*got int64"),
        (np.array([[1.0]]), r"\[conventions.C5\] timesteps"),
        (np.array([np.inf]), r"\[conventions.C3\] timesteps: must be finite"),
    ):
        with pytest.raises(posref.SpecError, match=match):
            timestep.encode(steps, dim=4, **PLAIN)
    assert encode([], 4).shape == (0, 4)


def test_on_every_library(on: Any) -> None:
    for steps in (np.array([0.1, -3.0, 355.0]), np.array([1e20, 0.5, -0.0])):
        got = timestep.encode(on(steps), dim=5, **(PLAIN | {"odd": "zero_pad", "scale": 0.3}))
        assert np.array_equal(on.back(got), encode(steps, 5, odd="zero_pad", scale=0.3))
