"""fourier: features of exact projections, however large, small or cancelling.

The projections here are formed in mpmath from the given numbers. Claim `f64-angle` admits 2.5 ulp of
the table and A + 2 roundings of the sum of the sizes; the reference is held to one ulp of the result and
to 2^-100 of that sum, which is what cancels.
"""

from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import fourier
from posref.numerics.rounding import exact, native, ulp


def draw(seed: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(list(seed.encode())).standard_normal(shape)


def assert_features(x: np.ndarray, weights: np.ndarray, two_pi: bool) -> None:
    got = fourier.encode(x, weights, two_pi=two_pi, include_input=False)
    with mpmath.workdps(1400):
        factor = 2 * mpmath.pi if two_pi else mpmath.mpf(1)
        for values, row in zip(got.tolist(), x.tolist(), strict=True):
            terms = [
                [mpmath.mpf(a) * mpmath.mpf(w) * factor for a, w in zip(row, column, strict=True)]
                for column in weights.T.tolist()
            ]
            angles, sizes = [mpmath.fsum(z) for z in terms], [mpmath.fsum(map(abs, z)) for z in terms]
            reals = [mpmath.sin(z) for z in angles] + [mpmath.cos(z) for z in angles]
            for value, real, size in zip(values, reals, sizes + sizes, strict=True):
                slack = min(size, 2.0**34) * mpmath.mpf(2) ** -100  # beyond, projections are exact
                assert abs(mpmath.mpf(value) - real) <= float(ulp(float(real), "float64")) + slack


@pytest.mark.parametrize("two_pi", [True, False])
@pytest.mark.parametrize("scale", [1.0, 2.0**20, 2.0**31, 2.0**60, 2.0**-300, 2.0**-600, 2.0**1000])
def test_every_feature_whatever_the_size_of_the_projection(scale: float, two_pi: bool) -> None:
    assert_features(draw("x", 5, 3) * scale, draw("weights", 3, 4), two_pi)


@pytest.mark.parametrize("two_pi", [True, False])
@pytest.mark.parametrize(
    ("x", "weights"),
    [
        ([[1.0, 2.0**-60, -1.0]], [[3.0], [5.0], [3.0]]),
        ([[1e16, 1.0, -1e16]], [[1.0], [0.3], [1.0]]),
        ([[1e300, 1e300]], [[1e300], [-1e300]]),
        ([[1e300, 0.25]], [[1e-300], [1.0]]),
        ([[355.0], [-22.0], [6134899525417045.0]], [[1.0]]),
        ([[0.25], [0.5], [-0.75], [1e15 + 0.25]], [[1.0]]),
    ],
)
def test_sums_that_cancel_and_angles_near_the_axes(x: Any, weights: Any, two_pi: bool) -> None:
    assert_features(np.array(x), np.array(weights), two_pi)


def test_the_bands_of_the_public_report() -> None:
    """Features at 0.3 with bands 1, 2, 4 and a factor of pi: half the bands and 2 pi."""
    got = fourier.encode(np.array([[0.3]]), np.array([[0.5, 1.0, 2.0]]), two_pi=True, include_input=False)
    typed = [0.809016994, 0.951056516, -0.587785252]
    assert np.abs(got[0, :3] - typed).max() <= 5e-10


def test_quarter_turns_are_exact() -> None:
    x = np.array([[0.0], [0.25], [0.5], [0.75], [-0.25], [7.0]])
    got = fourier.encode(x, np.array([[1.0]]), two_pi=True, include_input=False)
    assert got.tolist() == [[0, 1], [1, 0], [0, -1], [-1, 0], [-1, 0], [0, 1]]
    assert not np.signbit(got[got == 0]).any()


def test_the_dot_product_of_two_points_is_a_function_of_their_difference() -> None:
    """40 products of entries with errors of u, and their sum: 40 (2.5 + 40) u a dot product."""
    weights = np.round(draw("kernel", 2, 20) * 64) / 64
    points = np.array([[0.25, -0.5], [1.0, 0.125], [3.25, 4.5], [4.0, 5.125]])
    table = fourier.encode(points, weights, two_pi=False, include_input=False)
    assert abs(table[0] @ table[1] - table[2] @ table[3]) <= 2 * 40 * 42.5 * 2.0**-53


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_the_input_is_kept_bit_for_bit(dtype: str) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    x = native([[-0.0, 1.5], [0.375, -2.0]], dtype)
    weights = draw("kept", 2, 3)
    got = fourier.encode(x, weights, two_pi=True, include_input=True)
    assert got.dtype == x.dtype
    assert np.ascontiguousarray(got[:, :2]).tobytes() == x.tobytes()
    assert np.array_equal(got[:, 2:], fourier.encode(x, weights, two_pi=True, include_input=False))
    wide = fourier.encode(exact(x)[1], weights, two_pi=True, include_input=False)
    assert np.array_equal(got[:, 2:], native(wide, dtype))


@pytest.mark.parametrize(
    ("x", "weights", "match"),
    [
        (np.ones((2, 3)), np.ones((2, 5)), r"\[fourier.C3\] weights"),
        (np.ones((2, 3)), np.ones(3), r"\[fourier.C3\] weights"),
        (np.ones((2, 3)), np.ones((3, 0)), r"\[fourier.C3\] weights"),
        (np.ones(3), np.ones((3, 2)), r"\[fourier.C3\] x"),
        (np.ones((2, 3), dtype=int), np.ones((3, 2)), r"\[conventions.C3\] x"),
        (np.ones((2, 3)), np.ones((3, 2), dtype=np.float16), r"\[conventions.C3\] weights"),
        (np.full((2, 3), np.nan), np.ones((3, 2)), r"\[conventions.C3\] x: must be finite"),
    ],
)
def test_bad_input(x: np.ndarray, weights: np.ndarray, match: str) -> None:
    with pytest.raises(posref.SpecError, match=match):
        fourier.encode(x, weights, two_pi=True, include_input=False)


def test_leading_axes_and_no_point() -> None:
    x, weights = draw("axes", 2, 3, 4, 2), draw("bands", 2, 3)
    got = fourier.encode(x, weights, two_pi=True, include_input=True)
    assert got.shape == (2, 3, 4, 8)
    assert np.array_equal(got[1, 2], fourier.encode(x[1, 2], weights, two_pi=True, include_input=True))
    assert fourier.encode(np.ones((0, 2)), weights, two_pi=False, include_input=False).shape == (0, 6)


def test_on_every_library(on: Any) -> None:
    for scale in (1.0, 2.0**40):
        x, weights = draw("library", 4, 3) * scale, draw("columns", 3, 2)
        for two_pi in (True, False):
            got = fourier.encode(on(x), on(weights), two_pi=two_pi, include_input=True)
            here = fourier.encode(x, weights, two_pi=two_pi, include_input=True)
            assert np.array_equal(on.back(got), here)
