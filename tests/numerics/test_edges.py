"""Single steps of the numerics where one more or one less would show nowhere else."""

import math
import random
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from posref import SpecError, alibi, attention, rope
from posref.numerics.checks import admit
from posref.numerics.namespace import space
from posref.numerics.parameters import binary64, parameter
from posref.numerics.phase import tables
from posref.numerics.rounding import decode_bits, exact, round_bits
from posref.numerics.wide import LIMB_BITS, LIMBS, ladder, limbs, split, wide
from posref.operation import Parameter, signature, signatures

NUMPY = space({})


def rule(operation: str, name: str) -> Parameter:
    return next(field for field in signature(operation).parameters if field.name == name)


def message(operation: str, name: str, value: Any) -> str:
    with pytest.raises(SpecError) as caught:
        parameter(rule(operation, name), value, {name: "clause.C1"})
    return str(caught.value)


@pytest.mark.parametrize(
    ("operation", "name", "value", "text"),
    [
        ("rope.apply", "rotary_dim", 3, "rotary_dim: must be an integer >= 2 and a multiple of 2, got 3"),
        ("axial_rope.cos_sin", "axis_dims", [], "must be a list of one or more integers, got []"),
        ("swin.index", "window", [1], "must be a list of 2 integers, got [1]"),
        ("rope.apply", "base", math.inf, "[clause.C1] base: must be finite > 1, got inf"),
        ("rope.apply", "base", True, "must be a real number, got True"),
        ("rope.apply", "seq_len", 0, "must be an integer >= 1, got 0"),
        ("sincos2d.encode", "dim", 6, "must be an integer >= 4 and a multiple of 4, got 6"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_is_legal(operation: str, name: str, value: Any, text: str) -> None:
    assert message(operation, name, value).endswith(text)


def test_a_limit_above_is_named_too() -> None:
    limited = [(name, field) for name in signatures() for field in signature(name).parameters]
    limited = [(name, field) for name, field in limited if field.at_most is not None]
    assert limited
    for name, field in limited:
        assert f"<= {field.at_most}" in message(name, field.name, field.at_most + 1)


def test_what_binary64_holds() -> None:
    assert binary64(0.1) == 0.1
    assert (binary64(2**53), binary64(np.float32(0.5)), binary64(np.int8(3))) == (2.0**53, 0.5, 3.0)
    for value in (True, False, "1", None, 1j, math.inf, -math.inf, math.nan, 2**53 + 1, 10**400):
        assert binary64(value) is None


def test_what_overflows_is_named_by_the_input_or_the_dtype() -> None:
    positions = np.array([0, 2**53])
    with pytest.raises(SpecError, match="a value of the result overflows float32") as caught:
        alibi.bias(positions, positions, np.array([1e30]), form="neg_abs", future="keep", dtype="float32")
    assert (caught.value.parameter, caught.value.kind) == ("dtype", "OUT_OF_RANGE")
    x = np.array([[60000.0, 60000.0]], dtype=np.float16)
    with pytest.raises(SpecError, match="overflows float16") as caught:
        rope.apply(x, np.array([5]), rotary_dim=2, base=10.0, pairing="half")
    assert (caught.value.parameter, caught.value.clause) == ("x", "conventions.C2")
    q = np.full((1, 2), 60000.0, dtype=np.float16)
    with pytest.raises(SpecError, match="overflows float16") as caught:
        attention.scores(q, q, scale=1.0)
    assert caught.value.parameter == "q"


def test_an_argument_that_was_not_given_is_no_attribute() -> None:
    given = admit("rope.inv_freq", {}, {"rotary_dim": 4, "base": 10.0, "dtype": "float64"})
    assert given.rotary_dim == 4
    with pytest.raises(AttributeError, match="pairing"):
        _ = given.pairing


def test_tables_that_differ_in_their_first_axis_are_refused() -> None:
    x, cos, sin = (np.ones(shape) for shape in ((2, 3, 1, 2), (2, 3, 1, 1), (1, 3, 1, 1)))
    with pytest.raises(SpecError) as caught:
        rope.rotate(x, cos, sin, pairing_in="half", pairing_out="half")
    assert (caught.value.parameter, caught.value.kind) == ("sin", "INVALID_SHAPE")


@pytest.mark.parametrize(("value", "found"), [(math.nan, "nan"), (math.inf, "an infinity")])
def test_a_refused_value_is_named(value: float, found: str) -> None:
    with pytest.raises(SpecError, match=f"must be finite, got {found}"):
        rope.apply(np.array([[value, 1.0]]), np.array([1]), rotary_dim=2, base=10.0, pairing="half")
    one = np.ones((1, 2))
    with pytest.raises(SpecError, match=f"must be finite or -inf, got {found}"):
        attention.output(one, one, one, np.array([[value]]), scale=1.0)


def test_only_an_axis_of_size_one_stretches() -> None:
    q, k, v = np.ones((1, 2, 4)), np.ones((1, 3, 4)), np.arange(3.0).reshape(1, 3, 1)
    for shape in ((1, 1), (2, 1), (1, 3), (2, 3)):
        got = attention.output(q, k, v, np.zeros(shape), scale=1.0)
        assert got.tolist() == [[[1.0], [1.0]]]
    for shape in ((3, 3), (2, 2), (1, 2)):
        with pytest.raises(SpecError) as caught:
            attention.output(q, k, v, np.zeros(shape), scale=1.0)
        assert (caught.value.parameter, caught.value.kind) == ("bias", "INVALID_SHAPE")


def test_refused_dtypes_are_named() -> None:
    kept = {"rotary_dim": 2, "base": 10.0, "pairing": "half"}
    with pytest.raises(SpecError, match="takes integers, float64 or float32, got bool"):
        rope.apply(np.ones((1, 2)), np.array([True]), **kept)
    with pytest.raises(SpecError, match="takes float64, float32, bfloat16, float16, got int64"):
        rope.apply(np.ones((1, 2), dtype=np.int64), np.array([1]), **kept)


def test_every_integer_dtype_is_one() -> None:
    x = np.ones((1, 2))
    expected = rope.apply(x, np.array([5]), rotary_dim=2, base=10.0, pairing="half")
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        got = rope.apply(x, np.array([5], dtype=name), rotary_dim=2, base=10.0, pairing="half")
        assert np.array_equal(got, expected)


def test_a_table_and_positions_have_two_float_dtypes() -> None:
    table = np.array([[1.0], [2.0]], dtype=np.float16)
    one = np.ones((2, 2))
    with pytest.raises(SpecError) as caught:
        rope.rotate(one, table, table, pairing_in="half", pairing_out="half")
    assert (caught.value.parameter, caught.value.kind) == ("cos", "INVALID_DTYPE")


def test_bfloat16_is_no_dtype_of_positions(need: Any) -> None:
    positions = np.array([1.0]).astype(need("ml_dtypes").bfloat16)
    with pytest.raises(SpecError, match="takes integers, float64 or float32, got bfloat16"):
        rope.apply(np.ones((1, 2)), positions, rotary_dim=2, base=10.0, pairing="half")


@pytest.mark.parametrize("name", ["x", "positions"])
def test_none_is_no_array_where_one_is_needed(name: str) -> None:
    given: dict[str, Any] = {"x": np.ones((1, 2)), "positions": np.array([1]), name: None}
    with pytest.raises(TypeError, match=f"{name} must be an array, got NoneType"):
        rope.apply(**given, rotary_dim=2, base=10.0, pairing="half")


def test_widened_values_keep_their_kind() -> None:
    for kind, wide_kind in (("bool", "bool"), ("int8", "int64"), ("uint32", "int64"), ("float32", "float64")):
        assert NUMPY.widen(np.ones(2, dtype=kind)).dtype == wide_kind
    assert NUMPY.host(np.array([1.5, 2.5])) == [1.5, 2.5]


def test_a_frequency_of_zero_gives_a_positive_zero() -> None:
    positions = np.array([3, -3])
    _, sin = tables(NUMPY, positions, (Decimal(0), Decimal("-0.0")))
    assert not np.signbit(sin).any()


@pytest.mark.parametrize("factor", [0.25, 0.5, 1.0, 2.0, 4.0])
def test_a_power_of_two_scales_exactly(factor: float) -> None:
    positions, frequencies = np.arange(5), ladder(100.0, [Fraction(0), Fraction(1, 2)])
    plain = tables(NUMPY, positions, frequencies)
    scaled = tables(NUMPY, positions, frequencies, factor)
    assert all(np.array_equal(one * factor, other) for one, other in zip(plain, scaled, strict=True))


@pytest.mark.parametrize("position", [2**32 - 1, 2**32, 2**32 + 5, 2**33 - 1, 2**33, 2**34 + 7])
def test_a_position_of_one_digit_more(position: int) -> None:
    cos, sin = tables(NUMPY, np.array([position]), (Decimal(1),))
    with mpmath.workdps(60):
        assert abs(float(cos[0, 0]) - mpmath.cos(position)) < mpmath.mpf(2) ** -52
        assert abs(float(sin[0, 0]) - mpmath.sin(position)) < mpmath.mpf(2) ** -52


def test_a_turn_has_bits_to_spare() -> None:
    """With 512 bits of turns asked for, 512 bits of pi would be too few by the last one now and then."""
    draw = random.Random("turns")
    for extra in (0, 1, 63, 64):
        for _ in range(60):
            value = Decimal(draw.random() + 0.5)
            numerator, denominator = value.as_integer_ratio()
            shift = 512 + extra - LIMBS * LIMB_BITS - numerator.bit_length() + denominator.bit_length()
            [stored] = zip(*limbs([value], shift), strict=True)
            with mpmath.workprec(2048):
                turns = mpmath.mpf(numerator) / denominator / (2 * mpmath.pi) * mpmath.mpf(2) ** shift
                fraction = mpmath.ldexp(turns - mpmath.floor(turns), LIMBS * LIMB_BITS)
                assert mpmath.floor(fraction) == int("".join(f"{limb:08x}" for limb in stored), 16)


def test_a_turn_of_half_a_bit() -> None:
    assert limbs([Decimal(1)], -LIMBS * LIMB_BITS - 1) == [[0]] * LIMBS


def test_a_split_number_is_between_one_and_two() -> None:
    fractions = [Fraction(1, 3), Fraction(5, 3), Fraction(100, 3), Fraction(7, 1000), Fraction(-3, 7)]
    for number in (*map(wide, fractions), *ladder(10.0, [Fraction(i, 7) for i in range(-30, 30)])):
        high, _, exponent = split(number)
        assert 1 <= abs(high) < 2
        assert 1 <= abs(number) / Decimal(2) ** exponent < 2


def test_nan_has_one_pattern_in_bfloat16() -> None:
    assert round_bits([math.nan, -math.nan], "bfloat16").tolist() == [0x7FC0, 0x7FC0]


def test_a_signalling_nan_is_read_in_silence() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(decode_bits([0x7F81], "bfloat16")).all()
        assert np.isnan(decode_bits([0x7F800001], "float32")).all()
        assert np.isnan(round_bits([math.nan], "float32").view(np.float32)).all()


def test_integers_are_rounded_as_numbers() -> None:
    assert round_bits([1, 2], "float64").tolist() == [0x3FF0 << 48, 0x4000 << 48]
    assert round_bits([1, 2], "float32").tolist() == [0x3F800000, 0x40000000]


def test_the_largest_integers() -> None:
    for value in (0, 5, 126, 3969, 2**62, 2**63 - 1):
        name, values = exact(np.array([value], dtype=np.uint64))
        assert (name, values.tolist()) == ("uint64", [value])
    with pytest.raises(TypeError, match="does not fit"):
        exact(np.array([0, 2**63], dtype=np.uint64))
