"""sinusoidal: every requirement B1 to B10, the odd widths, and the awkward positions.

Unless a comment says more: an entry is within one ulp of the real one and below 1 in size, so it is off
by at most u = 2^-53.
"""

import math
from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import sinusoidal
from posref.numerics.rounding import exact, ulp

UNIT = 2.0**-53
PLAIN: dict[str, Any] = {"base": 10000.0, "denominator": "dim", "layout": "interleaved", "odd": "error"}
LAYOUTS = ("interleaved", "sin_cos", "cos_sin")


def encode(positions: Any, dim: int, **changed: Any) -> Any:
    return sinusoidal.encode(np.asarray(positions), dim=dim, **(PLAIN | changed))


def inv_freq(dim: int) -> np.ndarray:
    return sinusoidal.inv_freq(dim=dim, base=10000.0, denominator="dim")


def real_row(position: float, exponents: list[Any], base: float = 10000.0) -> tuple[list[Any], list[Any]]:
    """Return sines and cosines at the frequencies base^-e, as mpmath numbers."""
    angles = [mpmath.mpf(position) * mpmath.mpf(base) ** -exponent for exponent in exponents]
    return [mpmath.sin(angle) for angle in angles], [mpmath.cos(angle) for angle in angles]


def assert_within_an_ulp(got: np.ndarray, real: list[Any]) -> None:
    for value, truth in zip(got.tolist(), real, strict=True):
        assert abs(mpmath.mpf(value) - truth) <= float(ulp(float(truth), "float64"))


@pytest.mark.parametrize("position", [0, 1, 355, -6134899525417045, 2**53, 0.3])
def test_b1_sines_stand_in_even_columns_and_cosines_in_odd_ones(position: float) -> None:
    row = encode([position], 12)[0]
    with mpmath.workdps(80):
        sines, cosines = real_row(position, [mpmath.mpf(2 * i) / 12 for i in range(6)])
        assert_within_an_ulp(row[0::2], sines)
        assert_within_an_ulp(row[1::2], cosines)


def test_b1_an_odd_width_is_refused_unless_a_variant_is_named() -> None:
    with pytest.raises(posref.SpecError, match=r"\[sinusoidal.C5\] dim: must be even .* got 7"):
        encode([1], 7)
    assert encode([1], 7, odd="zero_pad").shape == encode([1], 7, odd="extra_sine").shape == (1, 7)


@pytest.mark.parametrize("dim", [2, 64, 512])
def test_b2_every_row_has_the_norm_root_of_half_the_width(dim: int) -> None:
    """A square errs by 2 u from the entry and u/2 from its rounding; fsum adds no more."""
    for row in encode([0, 1, 17, 10**6 + 3, -(2**53)], dim):
        assert abs(math.fsum((row * row).tolist()) - dim / 2) <= dim * 2.5 * UNIT + dim * UNIT


def test_b3_the_dot_product_of_two_rows_is_a_function_of_the_offset() -> None:
    """A product errs by 2 u from its factors and u/2 from its rounding, the sum of d of them by d u."""
    dim = 64
    bound = dim * 3.5 * UNIT
    rows = encode([0, 3, 5, 8, 1000, 1003], dim)

    def dot(one: int, other: int) -> float:
        return math.fsum((rows[one] * rows[other]).tolist())

    with mpmath.workdps(40):
        real = mpmath.fsum(mpmath.cos(3 * mpmath.mpf(10000) ** (-mpmath.mpf(2 * i) / dim)) for i in range(32))
    for one, other in ((0, 1), (2, 3), (4, 5)):  # PE(5).PE(8) = PE(0).PE(3) among them
        assert abs(dot(one, other) - float(real)) <= bound


def test_b3_it_oscillates_and_is_no_monotone_decay() -> None:
    table = encode(np.arange(40), 8)
    dots = table @ table[0]
    assert dots[0] == dots.max()
    rises = np.diff(dots) > 0.01
    assert rises.any()
    assert not rises.all()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("offset", [1, -7, 10**9, 2**52])
def test_b4_a_shift_is_linear(offset: int, layout: str) -> None:
    """An entry of M PE is two products of numbers below 1 with errors of u each: 7 u with all roundings."""
    matrix = sinusoidal.shift_matrix(offset=offset, dim=16, base=10000.0, denominator="dim", layout=layout)
    for position in (0, 5, -3, 10**6):
        row, shifted = encode([position, position + offset], 16, layout=layout)
        assert np.abs(matrix @ row - shifted).max() <= 8 * UNIT


def test_b4_the_matrix_of_a_pair_is_a_rotation_by_minus_kw_in_sine_cosine_order() -> None:
    matrix = sinusoidal.shift_matrix(offset=3, dim=4, base=10000.0, denominator="dim", layout="interleaved")
    for pair, frequency in enumerate((1.0, 0.01)):
        c, s = math.cos(3 * frequency), math.sin(3 * frequency)
        block = matrix[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2]
        # libm errs by an ulp, and the rounded frequency 0.01 moves an angle of 0.03 by less than u
        assert np.abs(block - np.array([[c, s], [-s, c]])).max() <= 3 * UNIT
    assert np.array_equal(matrix[:2, 2:], np.zeros((2, 2)))
    assert np.array_equal(matrix[2:, :2], np.zeros((2, 2)))
    rope = posref.rope.matrix(np.array([3]), rotary_dim=4, base=10000.0, pairing="adjacent")[0]
    assert np.array_equal(matrix, rope.T)


def test_b4_offset_zero_is_the_identity() -> None:
    for layout in LAYOUTS:
        matrix = sinusoidal.shift_matrix(offset=0, dim=6, base=10000.0, denominator="dim", layout=layout)
        assert np.array_equal(matrix, np.eye(6))
        assert not np.signbit(matrix).any()


def test_b5_small_indices_are_fast() -> None:
    frequencies = inv_freq(64)
    assert frequencies[0] == 1.0  # one radian a token
    assert (np.diff(frequencies) < 0).all()
    step = np.abs(encode([1], 64) - encode([0], 64))[0]
    assert step[0] > 0.8  # sin 1
    assert step[-2] < 2e-4


def test_b5_b6_first_and_last_wavelength() -> None:
    frequencies = inv_freq(512)
    assert 2 * math.pi / frequencies[0] == 2 * math.pi
    last = 2 * math.pi / frequencies[-1]
    with mpmath.workdps(40):
        real = 2 * mpmath.pi * mpmath.mpf(10000) ** (1 - mpmath.mpf(2) / 512)
        # the frequency, 2 pi and the quotient: half a unit each and one more for the ulp promised
        assert abs(last / real - 1) <= 4 * UNIT
    assert last < 0.97 * 2 * math.pi * 10000  # not 2 pi * 10000


def test_b7_worked_rows() -> None:
    """Typed to six decimals from the worked example of width 8."""
    assert inv_freq(8).tolist() == [1.0, 0.1, 0.01, 0.001]
    half_unit = 5e-7
    rows = encode([0, 1, 2], 8)
    assert rows[0].tolist() == [0, 1, 0, 1, 0, 1, 0, 1]
    assert np.abs(rows[1, :4] - [0.841471, 0.540302, 0.099833, 0.995004]).max() <= half_unit
    assert np.abs(rows[2, :4] - [0.909297, -0.416147, 0.198669, 0.980067]).max() <= half_unit
    assert abs(rows[1, 0] - 0.84) <= 5e-3


def test_b7_angles_of_the_last_pair() -> None:
    """At t = 100 the angle is 0.1; at t = 10000 it is 10 radians, 1.59155 turns."""
    last = inv_freq(8)[-1]
    assert 100 * last == 0.1
    assert 10000 * last == 10.0
    assert abs(10000 * last / (2 * math.pi) - 1.59155) <= 5e-6
    row = encode([100, 10000], 8)
    for index, angle in enumerate((0.1, 10.0)):
        # the rounded 0.1 is off by u/2, libm by an ulp
        assert abs(row[index, 6] - math.sin(angle)) <= 3 * UNIT
        assert abs(row[index, 7] - math.cos(angle)) <= 3 * UNIT


def test_b8_wavelengths_and_periods_in_a_training_length() -> None:
    """Nine digits for width 128 and 2048 tokens: off by at most half a unit of the ninth.

    The second period is 18.32947744950...; printed with nine digits it is often 18.3294775, rounded up
    from an already rounded 18.32947745.
    """
    wavelengths = 2 * math.pi / inv_freq(128)[[0, 20, 40, 62]]
    typed = np.array([6.28318531, 111.732591, 1986.91765, 47117.2428])
    half_unit = np.array([0.5e-8, 0.5e-6, 0.5e-5, 0.5e-4])
    assert (np.abs(wavelengths - typed) <= half_unit).all()
    periods = 2048 / wavelengths
    typed = np.array([325.949323, 18.3294774, 1.03074226, 0.0434660409])
    half_unit = np.array([0.5e-6, 0.5e-7, 0.5e-8, 0.5e-10])
    assert (np.abs(periods - typed) <= half_unit).all()
    assert periods[-1] < 1 < periods[-2]  # the last band never completes a cycle in training


def test_b9_added_to_the_input_it_makes_order_count() -> None:
    """Two tokens of equal content: without PE attention returns equal rows, with it unequal ones."""
    x = np.ones((2, 8))
    plain = posref.attention.output(x, x, x, scale=1.0)
    assert np.array_equal(plain[0], plain[1])
    tokens = math.sqrt(8) * x + encode([0, 1], 8)
    mixed = posref.attention.output(tokens, tokens, tokens, scale=1.0)
    assert np.abs(mixed[0] - mixed[1]).max() > 1e-3
    # the injection is a plain sum: a common rotation of both rows away, PE stays what it is
    assert np.abs((tokens - math.sqrt(8) * x) - encode([0, 1], 8)).max() <= 4 * UNIT


def test_b9_exp_log_form_equals_the_power_and_differs_in_float32() -> None:
    dim, base = 512, 10000.0
    with mpmath.workdps(60):
        for i in range(0, 256, 15):
            power = mpmath.mpf(base) ** (-mpmath.mpf(2 * i) / dim)
            expln = mpmath.exp(-mpmath.mpf(2 * i) / dim * mpmath.log(base))
            assert abs(power / expln - 1) < mpmath.mpf(10) ** -55
    exponent = np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim)
    computed = np.exp(exponent * -np.float32(math.log(base))).astype(np.float64)
    error = np.abs(computed / inv_freq(dim) - 1)
    # (2 k + 2) e ln b + 2 k + 1 roundings with k = 4 ulp of exp
    allowed = (10 * exponent.astype(np.float64) * math.log(base) + 9) * 2.0**-24
    assert (error <= allowed).all()
    assert error.max() > 2.0**-24  # more than a correctly rounded table could show


def test_b10_bounded_and_smooth_where_the_raw_integer_is_not() -> None:
    table = encode(np.arange(0, 2**20, 997), 64)
    assert np.abs(table).max() <= 1.0
    neighbours = encode(np.arange(1, 2**20, 997), 64)
    # |PE(t+1) - PE(t)|^2 = sum 2 - 2 cos w_i <= sum w_i^2, the same at every t
    steps = np.sqrt(((neighbours - table) ** 2).sum(axis=1))
    assert steps.max() <= math.sqrt((inv_freq(64) ** 2).sum())
    assert steps.max() - steps.min() <= 64 * 4 * UNIT


def test_b10_rows_of_real_widths_are_far_apart() -> None:
    """|PE(t) - PE(t')| depends on the offset only; at width 512 the nearest row is the neighbour, at 3.71."""
    offsets = np.arange(1, 2**14)
    squared = sum(2 - 2 * np.cos(offsets * frequency) for frequency in inv_freq(512))
    assert squared.argmin() == 0
    assert abs(math.sqrt(squared[0]) - 3.714) < 1e-3
    rows = encode([1000, 1001], 512)
    assert abs(rows[0] @ rows[1] / 256 - 0.973) < 5e-4


def test_b10_where_float32_rows_collide_or_nearly_do() -> None:
    """Width 2 has one frequency: positions that differ by almost a multiple of 2 pi.

    2 * 21053343141 is within 3e-10 of one: rows 1 and 1 + that are one row in float32, two in float64.
    At width 8 no row up to 10^5 comes nearer than offset 100531 (distance 0.0353).
    """
    positions = [1, 1 + 2 * 21053343141]
    short = encode(positions, 2, dtype="float32")
    assert np.array_equal(short[0], short[1])
    wide = encode(positions, 2)
    assert not np.array_equal(wide[0], wide[1])
    near = encode([0, 100531], 8, dtype="float32")
    assert 0.0352 < math.dist(near[0], near[1]) < 0.0354


@pytest.mark.parametrize("denominator", ["dim", "count_minus_1"])
@pytest.mark.parametrize("odd", ["zero_pad", "extra_sine"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dim", [5, 7])
def test_odd_widths_by_the_words_of_the_clause(dim: int, layout: str, odd: str, denominator: str) -> None:
    row = encode([11], dim, layout=layout, odd=odd, denominator=denominator)[0]
    cosines = dim // 2
    sines = cosines + (odd == "extra_sine")
    n = mpmath.mpf(sines)
    width = dim if odd == "extra_sine" else dim - 1
    with mpmath.workdps(40):
        step = mpmath.mpf(2) / width if denominator == "dim" else 1 / (n - 1)
        sine, cosine = real_row(11, [i * step for i in range(sines)])
    cosine = cosine[:cosines]
    if layout == "interleaved":
        expected = [entry for pair in zip(sine, cosine, strict=False) for entry in pair] + sine[cosines:]
    else:
        expected = sine + cosine if layout == "sin_cos" else cosine + sine
    if odd == "zero_pad":
        assert row[-1] == 0.0
        row = row[:-1]
    assert_within_an_ulp(row, expected)


@pytest.mark.parametrize("odd", ["error", "zero_pad", "extra_sine"])
def test_odd_changes_nothing_for_an_even_width(odd: str) -> None:
    assert np.array_equal(encode([3, 4], 6, odd=odd), encode([3, 4], 6))


def test_count_minus_1_ends_at_one_over_base() -> None:
    got = sinusoidal.inv_freq(dim=10, base=10000.0, denominator="count_minus_1")
    assert got.tolist() == [1.0, 0.1, 0.01, 0.001, 0.0001]
    for call in (
        lambda: sinusoidal.inv_freq(dim=2, base=10000.0, denominator="count_minus_1"),
        lambda: encode([1], 2, denominator="count_minus_1"),
        lambda: encode([1], 3, denominator="count_minus_1", odd="zero_pad"),
    ):
        with pytest.raises(posref.SpecError, match=r"\[sinusoidal.C2\] dim"):
            call()


def test_layouts_are_one_table_rearranged() -> None:
    plain = encode([5], 8)[0]
    assert np.array_equal(encode([5], 8, layout="sin_cos")[0], np.concatenate([plain[0::2], plain[1::2]]))
    assert np.array_equal(encode([5], 8, layout="cos_sin")[0], np.concatenate([plain[1::2], plain[0::2]]))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_short_tables_are_faithful(dtype: str) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    positions = [1, 355, 10**6 + 3, 21053343141]
    table = exact(encode(positions, 8, dtype=dtype))[1]
    with mpmath.workdps(60):
        for row, position in zip(table, positions, strict=True):
            sines, _ = real_row(position, [mpmath.mpf(i) / 4 for i in range(4)])
            for value, real in zip(row[0::2].tolist(), sines, strict=True):
                assert abs(value - real) < float(ulp(float(real), dtype))


def test_leading_axes_and_no_token() -> None:
    assert np.array_equal(encode([[1, 2], [3, 4]], 6)[1, 0], encode([3], 6)[0])
    assert encode(np.zeros((2, 0), dtype=int), 6).shape == (2, 0, 6)


def test_on_every_library(on: Any) -> None:
    positions = np.array([0, -3, 355])
    got = sinusoidal.encode(on(positions), dim=7, **(PLAIN | {"odd": "extra_sine", "layout": "cos_sin"}))
    assert np.array_equal(on.back(got), encode(positions, 7, odd="extra_sine", layout="cos_sin"))
    plain = {"offset": 4, "dim": 6, "base": 10000.0, "denominator": "dim", "layout": "sin_cos"}
    assert np.array_equal(
        on.back(sinusoidal.shift_matrix(**plain, like=on(np.ones(1)))), sinusoidal.shift_matrix(**plain)
    )
