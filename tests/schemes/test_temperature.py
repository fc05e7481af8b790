"""temperature: the released numbers, every value by mpmath, and steps that are counted in integers."""

import itertools
from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import temperature
from posref.numerics.rounding import ulp

LLAMA: dict[str, Any] = {"beta": 0.1, "floor_scale": 8192, "plus_one": True}
MINISTRAL: dict[str, Any] = LLAMA | {"plus_one": False}


def scale(positions: Any, params: dict[str, Any] = LLAMA, **changed: Any) -> Any:
    return temperature.scale(np.asarray(positions), **(params | changed))


def test_the_released_scales_differ_at_the_token_before_a_multiple() -> None:
    """Strength 0.1, steps of 8192."""
    at = [8191, 8192, 16383]
    assert scale(at).tolist() == [1.0693147180559945, 1.0693147180559945, 1.109861228866811]
    assert scale(at, MINISTRAL).tolist() == [1.0, 1.0693147180559945, 1.0693147180559945]


def test_d32_the_two_rules_differ_exactly_there() -> None:
    positions = np.arange(5 * 7 + 3)
    one, plain = (scale(positions, beta=1.0, floor_scale=7, plus_one=rule) for rule in (True, False))
    assert np.flatnonzero(one != plain).tolist() == [6, 13, 20, 27, 34]
    assert np.array_equal(one[:-1], plain[1:])


@pytest.mark.parametrize("beta", [0.1, 1.0, 37.5, 2.0**-40, 1e300])
@pytest.mark.parametrize("length", [1, 7, 8192, 2**54 + 1])
@pytest.mark.parametrize("plus_one", [True, False])
def test_values_by_the_words_of_the_clause(beta: float, length: int, plus_one: bool) -> None:
    positions = [0, 1, 6, 7, 8191, 2**24 - 1, 6134899525417045, 2**53]
    got = scale(positions, beta=beta, floor_scale=length, plus_one=plus_one).tolist()
    with mpmath.workdps(400):
        for value, position in zip(got, positions, strict=True):
            real = 1 + mpmath.mpf(beta) * mpmath.log(1 + (position + plus_one) // length)
            assert abs(value - real) <= float(ulp(float(real), "float64")) / 2


def test_steps_are_counted_in_integers() -> None:
    """A float32 position, or quotient, would put the token before a far multiple into the next step."""
    last = 2**30 - 1
    assert int(np.float32(last)) == last + 1
    before, after = scale([last, last + 1], MINISTRAL)
    assert before < after
    before, after = scale([2**53 - 1, 2**53], beta=1.0, floor_scale=1, plus_one=False)
    assert before <= after


def test_a_scale_never_shrinks_and_starts_at_one() -> None:
    found = scale(np.arange(200), beta=0.75, floor_scale=9, plus_one=False)
    assert found[:9].tolist() == [1.0] * 9
    assert all(a <= b for a, b in itertools.pairwise(found))
    assert np.unique(found).size == 199 // 9 + 1
    assert scale(np.arange(5), beta=0.0, floor_scale=1).tolist() == [1.0] * 5


def test_a_longer_step_is_the_same_curve_stretched() -> None:
    positions = np.arange(40)
    fine = scale(positions, beta=0.5, floor_scale=3, plus_one=False)
    assert np.array_equal(scale(positions * 4, beta=0.5, floor_scale=12, plus_one=False), fine)


def test_shapes() -> None:
    batch = np.array([[[0, 9000], [8191, 3]]])
    assert scale(batch).shape == batch.shape
    assert np.array_equal(scale(batch).ravel(), scale(batch.ravel()))
    assert scale(np.zeros((2, 0), dtype=int), dtype="float32").shape == (2, 0)
    assert scale([3], dtype="float16").dtype == np.float16


@pytest.mark.parametrize(
    ("positions", "changed", "clause", "name", "kind"),
    [
        ([-1], {"plus_one": False}, "temperature.C1", "positions", "OUT_OF_RANGE"),
        ([4, -2], {}, "temperature.C1", "positions", "OUT_OF_RANGE"),
        ([0.5], {}, "conventions.C4", "positions", "INVALID_DTYPE"),
        ([True], {}, "conventions.C4", "positions", "INVALID_DTYPE"),
        ([2**53 + 1], {}, "conventions.C4", "positions", "OUT_OF_RANGE"),
        (3, {}, "temperature.C1", "positions", "INVALID_SHAPE"),
        ([1], {"beta": -0.1}, "temperature.C1", "beta", "INVALID_PARAMETER"),
        ([1], {"floor_scale": 0}, "temperature.C1", "floor_scale", "INVALID_PARAMETER"),
        ([1], {"plus_one": 1}, "conventions.C6", "plus_one", "INVALID_PARAMETER"),
        ([1], {"plus_one": None}, "conventions.C6", "plus_one", "MISSING_PARAMETER"),
        ([9000], {"beta": 1e308, "floor_scale": 1}, "conventions.C2", "dtype", "OUT_OF_RANGE"),
        ([9000], {"beta": 1e5, "dtype": "float16"}, "conventions.C2", "dtype", "OUT_OF_RANGE"),
    ],
)
def test_bad_input(positions: Any, changed: dict[str, Any], clause: str, name: str, kind: str) -> None:
    with pytest.raises(posref.SpecError, match=rf"\[{clause}\] {name}") as caught:
        scale(positions, **changed)
    assert caught.value.kind == kind


def test_minus_one_is_the_first_token_where_one_is_added() -> None:
    assert scale([-1]).tolist() == [1.0]


def test_on_every_library(on: Any) -> None:
    positions = np.array([[0, 8191, 16383], [8192, 70_000, 5]])
    got = temperature.scale(on(positions), **LLAMA, dtype="float32")
    assert np.array_equal(on.back(got), scale(positions, dtype="float32"))
    nothing = temperature.scale(on(np.zeros(0, dtype=int)), **LLAMA)
    assert on.back(nothing).shape == (0,)
