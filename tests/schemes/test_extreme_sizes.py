"""Arguments near the ends of binary64, where a shortcut of the arithmetic would overflow or lose bits."""

import mpmath
import numpy as np
import pytest

from posref import fourier, learned, temperature, timestep


@pytest.mark.parametrize("power", [500, 1000, -500, -1000])
@pytest.mark.parametrize("side", ["x", "weights"])
def test_a_projection_of_huge_and_tiny_factors(power: int, side: str) -> None:
    """(2**p) (1.25 * 2**-p) is a turn and a quarter: the sine is 1 and the cosine 0, whatever p is."""
    x, weights = np.array([[2.0**power]]), np.array([[1.25 * 2.0**-power]])
    if side == "weights":
        x, weights = weights, x
    got = fourier.encode(x, weights, two_pi=True, include_input=False)
    assert got.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("exponent", [52, 53, 54, 63, 64, 65, 80, 105, 107, 126])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_step_of_any_size(exponent: int, sign: int) -> None:
    step = sign * (2.0**exponent + 2.0 ** (exponent - 20))
    options = {
        "max_period": 10000.0,
        "freq_shift": 0.0,
        "flip_sin_to_cos": False,
        "scale": 1.0,
        "odd": "error",
    }
    got = timestep.encode(np.array([3.0, step]), dim=4, **options)[1]
    with mpmath.workdps(120):
        slow = mpmath.mpf(step) / 100
        real = [mpmath.sin(step), mpmath.sin(slow), mpmath.cos(step), mpmath.cos(slow)]
        for value, exact in zip(got.tolist(), real, strict=True):
            assert abs(value - exact) <= abs(exact) * mpmath.mpf(2) ** -52


def test_a_first_step_beyond_all_positions() -> None:
    got = temperature.scale(np.array([0, 2**53]), beta=0.5, floor_scale=10**25, plus_one=False)
    assert got.tolist() == [1.0, 1.0]


def test_a_step_at_the_last_position() -> None:
    """2**54 tokens a step, and one is added to the last position: still below the first step."""
    for floor_scale in (2**53, 2**53 + 1, 2**54):
        got = temperature.scale(np.array([2**53]), beta=0.5, floor_scale=floor_scale, plus_one=True)
        steps = (2**53 + 1) // floor_scale
        assert got.tolist() == [1.0 if steps == 0 else 1 + 0.5 * float(np.log(2.0))]


@pytest.mark.parametrize("size", [2.0**899, 2.0**950, 2.0**1023])
def test_rows_between_huge_rows(size: float) -> None:
    """Halfway between s and 3 s / 4, and between their opposites, lies 7 s / 8."""
    table = np.array([[size, -size], [0.75 * size, -0.75 * size]])
    got = learned.resize(table, length=3, align_corners=True)
    assert got[1].tolist() == [0.875 * size, -0.875 * size]


def test_one_row_alone_is_huge() -> None:
    """Halfway between 1 and a row of size 2**1023, which is far beyond: half of it."""
    for size in (2.0**1023, -(2.0**1023)):
        for rows in ([[size], [1.0]], [[1.0], [size]]):
            got = learned.resize(np.array(rows), length=3, align_corners=True)
            assert got[1].tolist() == [size / 2]


@pytest.mark.parametrize("signs", [(-1.0, 1.0), (1.0, -1.0)])
def test_a_projection_that_needs_more_digits_than_two_floats(signs: tuple[float, float]) -> None:
    """Two whole numbers of turns, one of them negative and huge, and 2**-20 of a turn."""
    x = np.array([[signs[0] * 2.0**120, 2.0**40, 2.0**-20]])
    got = fourier.encode(x, np.array([[signs[1]], [1.0], [1.0]]), two_pi=True, include_input=False)
    with mpmath.workdps(40):
        angle = 2 * mpmath.pi * mpmath.mpf(2) ** -20
        for value, real in zip(got[0].tolist(), (mpmath.sin(angle), mpmath.cos(angle)), strict=True):
            assert abs(value - real) <= abs(real) * mpmath.mpf(2) ** -52
