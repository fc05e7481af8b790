"""alibi: slopes against mpmath and the published rule, bias by brute force, worked numbers."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import posref
from posref import alibi
from posref.numerics.rounding import exact, ulp


def published_exponents(heads: int, bias_max: Fraction) -> list[Fraction]:
    """Return the exponents by the recursion of the released code: every second slope of twice the power."""
    power = 1
    while power * 2 <= heads:
        power *= 2
    own = [bias_max * (k + 1) / power for k in range(power)]
    if power == heads:
        return own
    return own + published_exponents(2 * power, bias_max)[0::2][: heads - power]


@pytest.mark.parametrize("heads", [1, 2, 4, 8, 16, 32, 64])
def test_f1_slopes_of_a_power_of_two(heads: int) -> None:
    got = alibi.slopes(num_heads=heads, bias_max=8.0)
    with mpmath.workdps(40):
        real = [float(mpmath.mpf(2) ** (-mpmath.mpf(8 * (h + 1)) / heads)) for h in range(heads)]
    assert (np.abs(got - real) <= ulp(real, "float64")).all()
    if heads <= 8:
        assert got.tolist() == [2.0 ** (-8 * (h + 1) // heads) for h in range(heads)]  # exact powers of two


@pytest.mark.parametrize("bias_max", [8.0, 4.0, 0.1])
@pytest.mark.parametrize("heads", [1, 3, 6, 12, 14, 25, 71, 112])
def test_f1_slopes_of_any_count_follow_the_published_rule(heads: int, bias_max: float) -> None:
    got = alibi.slopes(num_heads=heads, bias_max=bias_max)
    exponents = published_exponents(heads, Fraction(bias_max))
    with mpmath.workdps(60):
        for slope, exponent in zip(got.tolist(), exponents, strict=True):
            real = mpmath.mpf(2) ** (-mpmath.mpf(exponent.numerator) / exponent.denominator)
            assert abs(slope - real) <= float(ulp(float(real), "float64"))


def test_f1_twelve_heads_are_not_two_to_the_minus_8h_over_12() -> None:
    got = alibi.slopes(num_heads=12, bias_max=8.0)
    assert got[:8].tolist() == [2.0**-k for k in range(1, 9)]
    assert got[0] != 2.0 ** (-8 / 12)
    assert abs(got[8] - math.sqrt(0.5)) <= 2.0**-53


def test_f1_worked_score() -> None:
    """q.k = 10, m = 0.5, i - j = 6: the score is 7."""
    form = {"form": "neg_distance", "future": "keep"}
    bias = alibi.bias(np.array([6]), np.array([0]), np.array([0.5]), **form)
    assert 10.0 + bias[0, 0, 0] == 7.0


@pytest.mark.parametrize("future", ["keep", "neg_inf"])
@pytest.mark.parametrize("form", ["neg_distance", "neg_abs", "key_index"])
def test_f1_bias_by_brute_force(form: str, future: str) -> None:
    """Slopes are dyadic and positions small, so every product is exact."""
    queries, keys, slopes = [3, -2, 0], [0, 1, 3, 7, -5], [0.5, 0.375]
    got = alibi.bias(np.array(queries), np.array(keys), np.array(slopes), form=form, future=future)
    for h, i, j in np.ndindex(2, 3, 5):
        m, q, k = slopes[h], queries[i], keys[j]
        value = {"neg_distance": -m * (q - k), "neg_abs": -m * abs(q - k), "key_index": m * k}[form]
        assert got[h, i, j] == (-math.inf if future == "neg_inf" and k > q else value)
    assert not np.signbit(got[got == 0]).any()


@pytest.mark.parametrize("form", ["neg_distance", "neg_abs", "key_index"])
def test_f1_zero_times_a_negative_slope_is_plus_zero(form: str) -> None:
    got = alibi.bias(np.array([0]), np.array([0]), np.array([-0.5]), form=form, future="keep")
    assert got[0, 0, 0] == 0
    assert not np.signbit(got[0, 0, 0])


@pytest.mark.parametrize("future", ["keep", "neg_inf"])
def test_f1_key_index_on_long_runs_of_positions(future: str) -> None:
    """The other forms depend on distances alone, which long runs share; this one does not."""
    q, k, slopes = np.arange(7, 27), np.arange(5, 35), np.array([0.5, 0.375])
    got = alibi.bias(q, k, slopes, form="key_index", future=future)
    keys = np.broadcast_to(slopes[:, None, None] * k, (2, 20, 30))
    hidden = (k > q[:, None]) & (future == "neg_inf")
    assert np.array_equal(got, np.where(hidden, -np.inf, keys))


def test_f1_key_index_differs_from_distance_by_a_constant_a_row() -> None:
    """Softmax ignores a constant a row: that is why BLOOM's form is the same attention."""
    at, slopes = np.arange(6), np.array([0.5, 0.25])
    distance = alibi.bias(at, at, slopes, form="neg_distance", future="keep")
    index = alibi.bias(at, at, slopes, form="key_index", future="keep")
    assert np.array_equal(index - distance, np.broadcast_to(slopes[:, None, None] * at[:, None], (2, 6, 6)))


@pytest.mark.parametrize("heads", [8, 12])
def test_f2_slopes_differ_and_are_geometric(heads: int) -> None:
    got = alibi.slopes(num_heads=heads, bias_max=8.0)
    assert len(set(got.tolist())) == heads
    power = 8
    assert (got[1:power] / got[: power - 1] == 0.5).all()
    tail = got[power:]
    # two slopes within an ulp each, and a quotient: 3 units
    assert (np.abs(tail[1:] / tail[:-1] - 0.5) <= 3 * 2.0**-53).all()


def test_f2_the_penalty_is_proportional_at_any_distance() -> None:
    """Slopes are powers of two, so distance 5000 costs exactly 5000 times what distance 1 costs."""
    slopes = alibi.slopes(num_heads=8, bias_max=8.0)
    form = {"form": "neg_distance", "future": "neg_inf"}
    far = alibi.bias(np.array([5000]), np.array([0]), slopes, **form)
    near = alibi.bias(np.array([1]), np.array([0]), slopes, **form)
    assert np.array_equal(far, 5000 * near)
    assert np.isfinite(far).all()


def test_f6_a_distant_key_is_penalised_not_banned() -> None:
    """A key 5000 tokens away with a content score 20 above wins where the slope is 2^-8 (penalty 19.5)."""
    at_query, at_keys = np.array([5000]), np.array([0, 5000])
    bias = alibi.bias(at_query, at_keys, np.array([2.0**-8]), form="neg_distance", future="neg_inf")
    assert bias[0, 0].tolist() == [-5000 / 256, 0.0]
    q, k, v = np.array([[1.0]]), np.array([[20.0], [0.0]]), np.array([[1.0], [0.0]])
    assert posref.attention.output(q, k, v, bias[0], scale=1.0)[0, 0] > 0.5
    # and with equal content it keeps a weight above zero
    equal = posref.attention.output(q, np.zeros((2, 1)), v, bias[0], scale=1.0)[0, 0]
    assert 0 < equal < 1e-8


def test_a6_queries_and_keys_have_their_own_positions() -> None:
    """Decoding with a cache: one query at position 9, not at 0."""
    bias = alibi.bias(np.array([9]), np.arange(10), np.array([1.0]), form="neg_distance", future="neg_inf")
    assert bias[0, 0].tolist() == [float(k - 9) for k in range(10)]


def test_shares_are_slices_of_the_whole_model() -> None:
    whole = alibi.slopes(num_heads=12, bias_max=8.0)
    for start, count in ((0, 12), (0, 4), (4, 4), (8, 4), (11, None), (7, None)):
        share = alibi.slopes(num_heads=12, bias_max=8.0, head_start=start, head_count=count)
        assert np.array_equal(share, whole[start : None if count is None else start + count])


@pytest.mark.parametrize(
    ("head_start", "head_count", "fault"),
    [(12, None, "head_start"), (0, 13, "head_count"), (8, 5, "head_count")],
)
def test_a_share_outside_the_heads(head_start: int, head_count: int | None, fault: str) -> None:
    with pytest.raises(posref.SpecError, match=rf"\[alibi.C3\] {fault}"):
        alibi.slopes(num_heads=12, bias_max=8.0, head_start=head_start, head_count=head_count)


def test_tiny_slopes_round_once_and_then_vanish() -> None:
    assert alibi.slopes(num_heads=2, bias_max=2148.0).tolist() == [5e-324, 0.0]
    assert alibi.slopes(num_heads=1, bias_max=1e308).tolist() == [0.0]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_slopes_in_a_short_dtype_are_faithful(dtype: str) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    got = exact(alibi.slopes(num_heads=14, bias_max=8.0, dtype=dtype))[1]
    with mpmath.workdps(40):
        for slope, exponent in zip(got.tolist(), published_exponents(14, Fraction(8)), strict=True):
            real = mpmath.mpf(2) ** (-mpmath.mpf(exponent.numerator) / exponent.denominator)
            assert abs(slope - real) < float(ulp(float(real), dtype))


def test_leading_axes_stand_before_the_heads() -> None:
    queries, keys = np.array([[3], [8]]), np.array([[0, 1], [2, 3]])
    got = alibi.bias(queries, keys, np.array([1.0, 0.5, 0.25]), form="neg_distance", future="keep")
    assert got.shape == (2, 3, 1, 2)
    assert got[1, 2, 0].tolist() == [-1.5, -1.25]


def test_a_bias_that_overflows_its_dtype() -> None:
    args = (np.array([70000]), np.array([0]), np.array([1.0]))
    with pytest.raises(posref.SpecError, match=r"\[conventions.C2\] dtype: .*overflows float16") as caught:
        alibi.bias(*args, form="neg_distance", future="keep", dtype="float16")
    assert caught.value.kind == "OUT_OF_RANGE"
    masked = alibi.bias(args[1], args[0], args[2], form="neg_distance", future="neg_inf", dtype="float16")
    assert masked[0, 0, 0] == -math.inf  # the value that would overflow is masked


def test_on_every_library(on: Any) -> None:
    got = alibi.bias(
        on(np.array([3, 0])), on(np.array([0, 5])), on(np.array([0.5])), form="neg_distance", future="neg_inf"
    )
    assert on.back(got).tolist() == [[[-1.5, -math.inf], [0.0, -math.inf]]]
    slopes = alibi.slopes(num_heads=4, bias_max=8.0, like=on(np.ones(1)))
    assert on.back(slopes).tolist() == [2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8]


@pytest.mark.parametrize("future", ["neg_inf", "keep"])
@pytest.mark.parametrize("form", ["neg_distance", "neg_abs"])
def test_many_consecutive_positions_by_hand(form: str, future: str) -> None:
    """Along a diagonal all is the same: a way of its own, from as many queries and keys on."""
    q, k, slopes = np.arange(40, 60), np.arange(35, 65), np.array([0.5, 0.25, 2.0])
    offset = k - q[:, None]
    multiple = offset if form == "neg_distance" else -np.abs(offset)
    expected = slopes[:, None, None] * multiple
    if future == "neg_inf":
        expected[:, offset > 0] = -np.inf
    assert np.array_equal(alibi.bias(q, k, slopes, form=form, future=future), expected)
