"""Rounding on bits: exhaustively between all neighbours of the two short dtypes, against rationals."""

import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from posref.numerics.rounding import FORMATS, decode_bits, exact, finite, native, on_grid, round_bits, ulp

SHORT = ("float16", "bfloat16")
DIGITS = {"float64": 53, "float32": 24, "bfloat16": 8, "float16": 11}
LEAST = {"float64": -1022, "float32": -126, "bfloat16": -126, "float16": -14}


def positive_finite(dtype: str) -> np.ndarray:
    """Return the patterns of 0 and all positive finite numbers, in order."""
    return np.arange(0x7C00 if dtype == "float16" else 0x7F80, dtype=np.uint16)


def value_of(bits: int, dtype: str) -> Fraction:
    """Decode a pattern by the definition of the format."""
    fraction_bits = DIGITS[dtype] - 1
    exponent, fraction = bits >> fraction_bits, bits & ((1 << fraction_bits) - 1)
    if exponent:
        fraction, exponent = fraction + (1 << fraction_bits), exponent - 1
    return Fraction(fraction) * Fraction(2) ** (exponent + LEAST[dtype] - fraction_bits)


@pytest.mark.parametrize("dtype", SHORT)
def test_every_pattern_decodes_by_definition_and_rounds_to_itself(dtype: str) -> None:
    bits = positive_finite(dtype)
    values = decode_bits(bits, dtype)
    assert [Fraction(value) for value in values.tolist()] == [value_of(int(entry), dtype) for entry in bits]
    assert np.array_equal(round_bits(values, dtype), bits)
    assert np.array_equal(round_bits(-values, dtype), bits | np.uint16(0x8000))


@pytest.mark.parametrize("dtype", SHORT)
def test_every_midpoint_goes_to_even_and_its_neighbours_to_their_side(dtype: str) -> None:
    """A midpoint needs one digit more than the dtype, so float64 holds it and both its neighbours."""
    bits = positive_finite(dtype)
    below, above = bits[:-1], bits[1:]
    middle = (decode_bits(below, dtype) + decode_bits(above, dtype)) / 2
    even = np.where(below % 2 == 0, below, above)
    assert np.array_equal(round_bits(middle, dtype), even)
    assert np.array_equal(round_bits(np.nextafter(middle, 0), dtype), below)
    assert np.array_equal(round_bits(np.nextafter(middle, np.inf), dtype), above)


def test_bfloat16_is_not_rounded_through_float32() -> None:
    """1 + 2^-8 + 2^-40 is above a midpoint; float32 forgets the 2^-40 and the tie then goes down."""
    value = 1 + 2.0**-8 + 2.0**-40
    assert round_bits(value, "bfloat16") == 0x3F81
    assert (np.float32(value).view(np.uint32) >> 16) == 0x3F80


@pytest.mark.parametrize(
    ("dtype", "infinity"), [("float16", 0x7C00), ("bfloat16", 0x7F80), ("float32", 0x7F800000)]
)
def test_overflow_starts_at_half_a_step_beyond_the_largest(dtype: str, infinity: int) -> None:
    largest = float(decode_bits(infinity - 1, dtype))
    edge = largest + float(ulp(largest, dtype)) / 2
    assert round_bits(np.nextafter(edge, 0), dtype) == infinity - 1
    assert round_bits(edge, dtype) == infinity
    assert round_bits(1e300, dtype) == infinity
    assert round_bits(np.inf, dtype) == infinity


@pytest.mark.parametrize("dtype", DIGITS)
def test_nan_stays_nan_and_zero_keeps_its_sign(dtype: str) -> None:
    assert np.isnan(decode_bits(round_bits(np.nan, dtype), dtype))
    zeros = decode_bits(round_bits([0.0, -0.0, 5e-324 if dtype != "float64" else 0.0], dtype), dtype)
    assert zeros.tolist() == [0.0, 0.0, 0.0]
    assert np.signbit(zeros).tolist() == [False, True, False]


def test_every_nan_becomes_the_quiet_nan_of_bfloat16() -> None:
    """With all bits of its fraction set, rounding as a number would carry into the sign."""
    patterns = np.array([0x7FF8 << 48, (1 << 63) - 1, (1 << 64) - 1, (0x7FF0 << 48) + 1], dtype=np.uint64)
    assert round_bits(patterns.view(np.float64), "bfloat16").tolist() == [0x7F80 + 0x40] * 4


@pytest.mark.parametrize(
    ("dtype", "infinity"), [("float32", 0x7F800000), ("bfloat16", 0x7F80), ("float16", 0x7C00)]
)
def test_rounding_reports_nothing(dtype: str, infinity: int) -> None:
    signalling = np.array([(0x7FF0 << 48) + 1], dtype=np.uint64).view(np.float64)
    with np.errstate(all="raise"):
        assert round_bits([1e300, 1e-300], dtype).tolist() == [infinity, 0]
        assert round_bits(signalling, dtype)[0] > infinity


@pytest.mark.parametrize(
    ("dtype", "pattern"), [("float32", 0x7F800001), ("bfloat16", 0x7F81), ("float16", 0x7C01)]
)
def test_a_signalling_nan_decodes_without_a_report(dtype: str, pattern: int) -> None:
    with np.errstate(all="raise"):
        assert np.isnan(decode_bits([pattern], dtype)).tolist() == [True]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_number_that_is_not_finite_is_found_wherever_it_stands(dtype: str) -> None:
    """The pass goes by blocks of 2**15; the last is not full."""
    values = np.ones(2**17 + 3, dtype)
    assert finite(values, dtype)
    for place in (0, 2**15 - 1, 2**15, 2**16 - 1, 2**17 - 1, 2**17 + 2):
        for wrong in (np.inf, -np.inf, np.nan):
            values[place] = wrong
            assert not finite(values, dtype)
        values[place] = 1.0


@pytest.mark.parametrize("dtype", DIGITS)
def test_no_numbers_at_all_are_finite(dtype: str) -> None:
    assert finite(np.zeros((2, 0), np.uint16 if dtype == "bfloat16" else dtype), dtype)


def test_float32_agrees_with_rational_rounding() -> None:
    draw = np.random.default_rng(20240601)
    values = draw.standard_normal(2000) * 2.0 ** draw.integers(-160, 120, 2000)
    got = decode_bits(round_bits(values, "float32"), "float32")
    for value, rounded in zip(values.tolist(), got.tolist(), strict=True):
        step = Fraction(float(ulp(value, "float32")))
        assert Fraction(rounded) == round(Fraction(value) / step) * step


@pytest.mark.parametrize("dtype", DIGITS)
def test_ulp_is_the_spacing_of_the_binade(dtype: str) -> None:
    digits, least = DIGITS[dtype], LEAST[dtype]
    assert ulp(1.0, dtype) == 2.0 ** (1 - digits)
    assert ulp(-1.75, dtype) == 2.0 ** (1 - digits)
    assert ulp(np.nextafter(1.0, 0), dtype) == 2.0**-digits
    smallest = 2.0 ** (least + 1 - digits)
    assert ulp([0.0, smallest, 2.0**least], dtype).tolist() == [smallest] * 3
    assert np.isnan(ulp(np.inf, dtype))


def test_on_grid_leaves_float64_alone() -> None:
    values = np.array([0.1, 5e-324, 1e308])
    assert on_grid(values, "float64") is values


def test_native_and_exact_are_inverse() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    values = np.array([[1.0, -0.0, 0.5], [3.0, 2.0**-14, -7.0]])
    for dtype in DIGITS:
        array = native(values, dtype)
        assert array.dtype == (ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype))
        name, back = exact(array)
        assert name == dtype
        assert back.dtype == np.float64
        assert np.array_equal(back, values)
        assert np.signbit(back)[0, 1]


def test_native_of_integers_and_booleans() -> None:
    assert native([1, 2**53], "int64").tolist() == [1, 2**53]
    assert native([1, 0], "bool").tolist() == [True, False]


def test_exact_of_integers_widens_and_keeps_the_name() -> None:
    name, values = exact(np.array([200], dtype=np.uint8))
    assert (name, values.dtype, values.tolist()) == ("uint8", np.int64, [200])
    assert exact(np.array([True]))[0] == "bool"
    name, values = exact(np.array([0, 1, 2**63 - 1], dtype=np.uint64))
    assert (name, values.dtype, values.tolist()) == ("uint64", np.int64, [0, 1, 2**63 - 1])
    with pytest.raises(TypeError, match="does not fit int64"):
        exact(np.array([2**63], dtype=np.uint64))
    with pytest.raises(TypeError, match="complex128"):
        exact(np.array([1j]))


def test_missing_ml_dtypes_is_an_error_that_names_the_extra(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(ImportError, match=r"posref\[bfloat16\]"):
        native([1.0], "bfloat16")


@pytest.mark.parametrize("code", [">f8", ">f4", ">f2", ">i8", ">u2"])
def test_exact_reads_the_other_byte_order(code):
    values = np.array([1.0, 3.0, 200.0])
    name, found = exact(values.astype(code))
    assert name == np.dtype(code).newbyteorder("<").name
    assert found.tolist() == values.tolist()


@pytest.mark.parametrize("dtype", SHORT)
def test_rounding_agrees_with_the_grid_on_hard_patterns(dtype: str) -> None:
    """Near every tie, in every binade of float64, and where a rounding to float32 would come first."""
    numbers = decode_bits(positive_finite(dtype), dtype)
    ties = (numbers[:-1] + numbers[1:]) / 2
    hard = [numbers, ties]
    for power in (-52, -40, -30, -26, -25, -24):
        hard += [ties * (1 + 2.0**power), ties * (1 - 2.0**power), numbers * (1 + 2.0**power)]
    draw = np.random.default_rng(20250303)
    hard += [draw.integers(0, 2**63, 100_000).view(np.float64)]
    values = np.concatenate(hard)
    values = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        want = np.asarray(on_grid(values, dtype)).astype(np.float32)
        largest = decode_bits(FORMATS[dtype].infinity - 1, dtype)
        want = np.where(want > largest, np.inf, want)
        assert np.array_equal(decode_bits(round_bits(values, dtype), dtype), want)
        assert np.array_equal(decode_bits(round_bits(-values, dtype), dtype), -want)
