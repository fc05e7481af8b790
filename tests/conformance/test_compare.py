"""Each claim at its edge: the value, its neighbour towards the real value, its neighbour away from it."""

import math
from typing import Any

import numpy as np
import pytest

from posref.conformance.claims import check_claim, default_claim, ladder
from posref.conformance.compare import Evidence, Want, assess, sides, step_at_real
from posref.operation import DTYPES

LADDER = {"rotary_dim": 2, "base": 10000.0}
ULP = 2.0**-23


def evidence(
    got: float, data: float, residual: str, dtype: str = "float32", bound: float = 0.0, **fields: Any
) -> Evidence:
    """One element of one output: a stored value with its residual, and what came."""
    stored = np.array([data])
    want = Want(dtype, stored, sides(residual, (1,)), stored, np.array([bound]))
    return Evidence(
        "rope.inv_freq", dtype, {}, LADDER, {"inv_freq": want}, {"inv_freq": np.array([got])}, **fields
    )


def holds(claim: str, got: float, data: float, residual: str, dtype: str = "float32", **fields: Any) -> bool:
    return evidence(got, data, residual, dtype, **fields).holds(claim)


@pytest.mark.parametrize("side", [1, -1])
class TestNeighbours:
    """The stored value 1.5, the real one a little above (or below) it."""

    def mark(self, side: int) -> str:
        return "+" if side > 0 else "-"

    def test_the_stored_value_keeps_all_but_exact(self, side: int) -> None:
        for claim in ("correctly_rounded", "faithful", "ulp:1"):
            assert holds(claim, 1.5, 1.5, self.mark(side))
        assert not holds("exact", 1.5, 1.5, self.mark(side))
        assert holds("exact", 1.5, 1.5, "0")

    def test_the_neighbour_towards_the_real_value_is_faithful(self, side: int) -> None:
        got = 1.5 + side * ULP
        assert not holds("correctly_rounded", got, 1.5, self.mark(side))
        assert holds("faithful", got, 1.5, self.mark(side))
        assert holds("ulp:1", got, 1.5, self.mark(side))

    def test_the_neighbour_away_from_it_is_neither_faithful_nor_within_one_ulp(self, side: int) -> None:
        got = 1.5 - side * ULP
        assert not holds("faithful", got, 1.5, self.mark(side))
        assert not holds("ulp:1", got, 1.5, self.mark(side))
        assert holds("ulp:2", got, 1.5, self.mark(side))

    def test_two_steps(self, side: int) -> None:
        towards, away = 1.5 + 2 * side * ULP, 1.5 - 2 * side * ULP
        assert not holds("ulp:1", towards, 1.5, self.mark(side))
        assert holds("ulp:2", towards, 1.5, self.mark(side))
        assert not holds("ulp:2", away, 1.5, self.mark(side))
        assert holds("ulp:4", away, 1.5, self.mark(side))

    def test_negative_values_mirror(self, side: int) -> None:
        assert holds("faithful", -1.5 + side * ULP, -1.5, self.mark(side))
        assert not holds("faithful", -1.5 - side * ULP, -1.5, self.mark(side))

    def test_a_value_that_is_exact_has_no_second_faithful_neighbour(self, side: int) -> None:
        assert not holds("faithful", 1.5 + side * ULP, 1.5, "0")
        assert holds("ulp:1", 1.5 + side * ULP, 1.5, "0")


def test_below_a_power_of_two_the_ulp_is_half() -> None:
    below = 1.0 - ULP / 2
    assert holds("faithful", below, 1.0, "-")
    assert not holds("faithful", 1.0 - ULP, 1.0, "-")
    assert holds("ulp:1", below, 1.0, "-")
    assert not holds("ulp:1", 1.0 - ULP, 1.0, "-")
    assert not holds("ulp:1", 1.0 + ULP, 1.0, "-")
    # the real value lies above 1, in the binade of the larger spacing
    assert holds("ulp:1", below, 1.0, "+")
    assert not holds("ulp:1", 1.0 - ULP, 1.0, "+")


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_step_at_the_smallest_normal_is_the_subnormal_one(dtype: str) -> None:
    digits, least = {
        "float64": (53, -1022),
        "float32": (24, -126),
        "bfloat16": (8, -126),
        "float16": (11, -14),
    }[dtype]
    tiny = math.ldexp(1.0, least - digits + 1)
    values = np.array([0.0, tiny, 2.0**least, 2.0 ** (least + 1)])
    down = step_at_real(values, np.array([-1, -1, -1, -1]), dtype)
    up = step_at_real(values, np.array([1, 1, 1, 1]), dtype)
    assert down.tolist() == [tiny, tiny, tiny, tiny]
    assert up.tolist() == [tiny, tiny, tiny, 2 * tiny]


def test_underflow_is_faithful_on_its_side_only() -> None:
    tiny = 2.0**-149
    assert holds("faithful", tiny, 0.0, "+")
    assert not holds("faithful", -tiny, 0.0, "+")
    assert holds("faithful", -tiny, -0.0, "-")
    assert holds("faithful", 0.0, -0.0, "-")


@pytest.mark.parametrize(
    "claim", ["exact", "correctly_rounded", "faithful", "ulp:1", "ulp:4", "f64-angle", "f32-angle"]
)
@pytest.mark.parametrize("got", [math.nan, math.inf, -math.inf])
def test_no_claim_excuses_what_is_not_a_number(claim: str, got: float) -> None:
    assert not holds(claim, got, 1.0, "0", bound=math.inf)


@pytest.mark.parametrize("claim", ["exact", "correctly_rounded", "faithful", "ulp:4", "f32-angle"])
def test_minus_infinity_is_demanded_as_such(claim: str) -> None:
    assert holds(claim, -math.inf, -math.inf, "0")
    for got in (math.inf, math.nan, -3.4e38, 0.0):
        assert not holds(claim, got, -math.inf, "0")


def test_overflow_is_not_faithful() -> None:
    largest = float(np.finfo(np.float64).max)
    assert not holds("faithful", math.inf, largest, "+", "float64")
    assert not holds("ulp:4", math.inf, largest, "+", "float64")
    assert holds("ulp:1", largest, largest, "+", "float64")
    assert not holds("ulp:1", -largest, largest, "+", "float64")


def test_the_default_model_uses_the_stored_bound() -> None:
    assert holds("f32-angle", 1.25, 1.0, "0", bound=0.25)
    assert not holds("f32-angle", 1.25, 1.0, "0", bound=0.2499)
    assert holds("f32-angle", 1.0, 1.0, "+", bound=0.0)


def test_another_model_computes_its_bound() -> None:
    assert not holds("f64-angle", 1.25, 1.0, "0", bound=0.25)
    stored, spacing = float(np.float32(0.01)), 2.0**-30
    for steps, kept in ((0, True), (1, True), (-1, True), (2, False), (-2, False)):
        want = Want("float32", np.array([1.0, stored]), sides("0-", (2,)), np.array([1.0, 0.01]), np.zeros(2))
        got = {"inv_freq": np.array([1.0, stored + steps * spacing])}
        params = {"rotary_dim": 4, "base": 10000.0}
        assert (
            Evidence("rope.inv_freq", "float32", {}, params, {"inv_freq": want}, got).holds("f64-angle")
            is kept
        )


class TestSignedZero:
    def test_is_ignored_unless_strict(self) -> None:
        for claim in ("exact", "correctly_rounded", "f32-angle"):
            assert holds(claim, -0.0, 0.0, "0")

    def test_strict_demands_the_sign_of_a_moved_value(self) -> None:
        for claim in ("exact", "correctly_rounded", "ulp:1", "f32-angle"):
            assert not holds(claim, -0.0, 0.0, "0", strict_zero=True)
            assert not holds(claim, 0.0, -0.0, "0", strict_zero=True)
            assert holds(claim, -0.0, -0.0, "0", strict_zero=True)

    def test_strict_says_nothing_of_a_computed_zero(self) -> None:
        assert holds("f32-angle", -0.0, 0.0, "0", bound=1e-9, strict_zero=True)


class TestAssess:
    def two(self, got: list[float], bound: list[float], residual: str = "00") -> Evidence:
        data = np.array([1.0, 2.0])
        want = Want("float32", data, sides(residual, (2,)), data, np.array(bound))
        params = {"rotary_dim": 4, "base": 10000.0}
        return Evidence(
            "rope.inv_freq", "float32", {}, params, {"inv_freq": want}, {"inv_freq": np.array(got)}
        )

    def test_the_worst_element_is_the_one_farthest_beyond_its_bound(self) -> None:
        outcome = assess(self.two([1.5, 3.0], [0.1, 0.5]), "f32-angle")
        assert not outcome.passed
        assert outcome.worst is not None
        assert outcome.worst.index == (0,)
        assert (outcome.worst.got, outcome.worst.expected) == (1.5, 1.0)
        assert (outcome.worst.error, outcome.worst.bound) == (0.5, 0.1)
        assert outcome.worst.ulp == 0.5 * 2**23
        assert outcome.worst.ratio == pytest.approx(5.0)

    def test_not_a_number_is_the_worst_of_all(self) -> None:
        outcome = assess(self.two([1e30, math.nan], [0.1, 0.5]), "f32-angle")
        assert outcome.worst is not None
        assert outcome.worst.index == (1,)
        assert math.isnan(outcome.worst.got)

    def test_a_pass_still_says_how_near_it_was(self) -> None:
        outcome = assess(self.two([1.05, 2.0], [0.1, 0.5]), "f32-angle")
        assert outcome.passed
        assert outcome.elements == 2
        assert outcome.worst is not None
        assert outcome.worst.ratio == pytest.approx(0.5)

    def test_integers_are_exact_under_every_claim(self) -> None:
        want = Want("int64", np.array([2**53 + 1]), None, np.array([2**53 + 1]))
        for got, passed in ((2**53 + 1, True), (2**53, False)):
            one = Evidence("positions.relative", "int64", {}, {}, {"d": want}, {"d": np.array([got])})
            assert assess(one, "exact").passed is passed


def far(positions: list[int], got: np.ndarray[Any, Any]) -> Evidence:
    """A table of cosines and sines in float32, far out, where float32 angles say nothing."""
    inputs = {"positions": np.array(positions), "inv_freq": np.array([1.0, 2.0**-40])}
    real = {
        "cos": np.cos(np.outer(positions, inputs["inv_freq"])),
        "sin": np.sin(np.outer(positions, inputs["inv_freq"])),
    }
    want = {
        name: Want(
            "float32", np.float32(values).astype(np.float64), sides("0" * values.size, values.shape), values
        )
        for name, values in real.items()
    }
    given = {name: got + 0 * values for name, values in real.items()}
    return Evidence("rope.cos_sin", "float32", inputs, {"attention_factor": 1.0}, want, given)


def test_uninformative_elements_are_counted_apart() -> None:
    one = far([2**31 - 1], np.array([[0.25, 9.0]]))
    outcome = assess(one, "f32-angle")
    assert outcome.uninformative == 2  # the first column of both outputs
    assert outcome.elements == 2
    assert not outcome.passed
    assert outcome.worst is not None
    assert outcome.worst.index == (0, 1)


def test_an_uninformative_element_must_still_be_a_number() -> None:
    one = far([2**31 - 1], np.array([[math.nan, 9.0]]))
    assert assess(one, "f32-angle").uninformative == 0
    assert not one.holds("f32-angle")


class TestClaims:
    @pytest.mark.parametrize("claim", ["ulp:0", "ulp:-1", "ulp:1.5", "ulp", "close", "", "f32"])
    def test_an_unknown_claim_is_named_with_what_there_is(self, claim: str) -> None:
        with pytest.raises(ValueError, match=r"no claim .*faithful.*f32-angle"):
            check_claim(claim)

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_the_ladder_is_strict_first_and_has_the_default(self, dtype: str) -> None:
        claims = ladder(dtype)
        assert claims[:6] == ("exact", "correctly_rounded", "faithful", "ulp:1", "ulp:2", "ulp:4")
        assert claims[6] == "f64-angle"
        assert default_claim(dtype) in claims

    def test_integers_have_one_claim(self) -> None:
        assert ladder("int64") == ladder("bool") == ("exact",)

    def test_the_strongest_claim_is_the_first_that_holds(self) -> None:
        assert evidence(1.5, 1.5, "0").strongest() == "exact"
        assert evidence(1.5, 1.5, "+").strongest() == "correctly_rounded"
        assert evidence(1.5 + ULP, 1.5, "+").strongest() == "faithful"
        assert evidence(1.5 - ULP, 1.5, "+").strongest() == "ulp:2"
        assert evidence(9.0, 1.5, "+").strongest() == "none"
