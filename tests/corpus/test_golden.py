"""The golden definitions against numbers worked by hand or printed in public reports."""

from decimal import Decimal
from fractions import Fraction
from math import prod

import pytest
from golden_calls import near, tensor

from posref.corpus.certify import certify
from posref.corpus.engine_arb import ArbReal
from posref.corpus.engine_mpmath import MpmathReal
from posref.golden import alibi, attention, positions, rope, sinusoidal
from posref.operation import DTYPES, Tensor

SIN3 = "0.141120008059867"
HALF = {"pairing": "half"}
ADJACENT = {"pairing": "adjacent"}
ROPE8 = {"rotary_dim": 8, "base": 10000.0}
ROPE4 = {"rotary_dim": 4, "base": 10000.0}
SIN8 = {"dim": 8, "base": 10000.0, "denominator": "dim", "layout": "interleaved", "odd": "error"}


X8 = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]
X4 = [[1.0, 2.0, 3.0, 4.0]]

# Printed by binary64 programs, which round each of two products and a sum of size below 16: a slack of 2^-49.
ADJACENT8 = """-1.27223251272018 -1.838864985141024 1.68392864073146 4.707906576486443
               4.817777167529964 6.147277703506403 6.975968536023609 8.020963968527013"""
HALF8 = """-1.695592536899782 0.137551738283174 2.788681599829493 3.975982036013484
           -4.80884247494236 6.323059348076315 7.086836736850399 8.011963982027009"""
MIXED8 = """-1.27223251272018 1.68392864073146 4.817777167529964 6.975968536023609
            -1.838864985141024 4.707906576486443 6.147277703506403 8.020963968527013"""


@pytest.mark.parametrize(("pairing", "printed"), [(ADJACENT, ADJACENT8), (HALF, HALF8)])
def test_rope_apply_of_one_to_eight_at_three(call, pairing, printed):
    near(call("rope.apply", ROPE8 | pairing, x=X8, positions=[3]), printed, slack=2.0**-49)


def test_rope_reads_adjacent_and_writes_half(call):
    frequencies = [1.0, 0.1, 0.01, 0.001]
    cos, sin = call("rope.cos_sin", {}, positions=[3], inv_freq=frequencies)
    tables = {"cos": [list(cos.data)], "sin": [list(sin.data)]}
    pairing = {"pairing_in": "adjacent", "pairing_out": "half"}
    near(call("rope.rotate", pairing, x=X8, **tables), MIXED8, slack=2.0**-48)


@pytest.mark.parametrize(
    ("pairing", "printed"),
    [
        (ADJACENT, "-1.14263966 1.92207560 2.95985067 4.02979950"),
        (HALF, "-1.98411065 1.95990067 2.46237790 4.01979967"),
    ],
)
def test_rope_apply_of_one_to_four_at_one(call, pairing, printed):
    near(call("rope.apply", ROPE4 | pairing, x=X4, positions=[1]), printed)


def test_rope_apply_at_a_width_that_is_no_power_of_two(call):
    printed = "-2.82558163 1.76584983 2.98706644 3.00268021 5.08741333 6.00644937"
    x = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]
    near(call("rope.apply", {"rotary_dim": 6, "base": 10000.0} | HALF, x=x, positions=[1]), printed)


def test_rope_apply_leaves_the_rest_of_the_head_alone(call):
    y = call("rope.apply", ROPE4 | HALF, x=X8, positions=[3])
    near(Tensor("float64", (4,), y.data[:4]), "-1.41335252 1.87911807 -2.82885748 4.05819114")
    assert y.data[4:] == (5.0, 6.0, 7.0, 8.0)
    shifted = call(
        "rope.apply", ROPE4 | HALF | {"rotary_start": 4}, x=[[5.0, 6.0, -0.0, 8.0, *X4[0]]], positions=[3]
    )
    assert str(shifted.data[:4]) == "(5.0, 6.0, -0.0, 8.0)"
    assert shifted.data[4:] == y.data[:4]


@pytest.mark.parametrize(("pairing", "printed"), [(HALF, "6.88781488"), (ADJACENT, "11.1451690")])
def test_rope_score_of_the_two_pairings(call, pairing, printed):
    near(
        call("rope.score", ROPE4 | pairing, q=X4, k=[X4[0][::-1]], q_positions=[1], k_positions=[0]), printed
    )


def test_rope_score_of_perpendicular_pairs_is_minus_the_sine(call):
    # base 4 gives the second pair the frequency 1/2: positions 4 and 10 are 3 radians apart.
    inputs = {
        "q": [[0.0, 0.0, 1.0, 0.0]],
        "k": [[0.0, 0.0, 0.0, 1.0]],
        "q_positions": [4],
        "k_positions": [10],
    }
    near(call("rope.score", {"rotary_dim": 4, "base": 4.0} | ADJACENT, **inputs), ["-" + SIN3])


def test_rope_score_depends_on_the_difference_and_is_exact_where_it_is_zero(call):
    q, k = [[0.5, -1.25, 3.0, 0.75, 9.0]], [[1.5, 2.0, -0.5, 0.25, 0.125]]

    def score(p, r):
        params = ROPE4 | HALF | {"rotary_start": 1}
        return call("rope.score", params, q=q, k=k, q_positions=[p], k_positions=[r]).data

    assert score(10, 13) == score(100, 103) == score(2**53 - 3, 2**53)
    assert score(2, 5) == score(10, 13) != score(13, 10)
    assert score(7, 7) == (0.5 * 1.5 - 1.25 * 2.0 - 3.0 * 0.5 + 0.75 * 0.25 + 9.0 * 0.125,)


def test_rope_inv_freq(call):
    assert call("rope.inv_freq", ROPE8).data == (1.0, 0.1, 0.01, 0.001)
    assert call("rope.inv_freq", ROPE4).data == (1.0, 0.01)
    near(
        call("rope.inv_freq", {"rotary_dim": 8, "base": 500000.0}),
        "1.0 0.0376060309308639 0.00141421356237310 0.0000531829589694499",
    )


def test_rope_cos_sin_takes_fractional_positions_and_a_factor(call):
    # 0.5 * 6 is 3 radians; -1.5 * 2 is the same angle mirrored.
    cos, sin = call("rope.cos_sin", {"attention_factor": 2.0}, positions=[0.5, -0.25], inv_freq=[6.0, 0.0])
    near(cos, "-1.97998499320089 2.0 0.141474403335406 2.0")
    near(sin, "0.282240016119734 0.0 -1.99498997320811 0.0")


def test_rope_matrix_rotates_and_shifts(call):
    m = call("rope.matrix", ROPE4 | HALF, positions=[3]).data
    assert m[0] == m[10] == -0.9899924966004454
    assert (m[2], m[8]) == (-m[8], 0.1411200080598672)
    assert m[5] == m[15]
    assert m[7] == -m[13]
    assert [m[i] for i in (1, 3, 4, 6, 9, 11, 12, 14)] == [0.0] * 8
    real = MpmathReal(160)
    x = [real.exact(n) for n in (1, 2, 3, 4)]
    matrix = rope.matrix(real, [3], rotary_dim=4, base=real.exact(10000), pairing="half")[0]
    y = rope.apply(
        real,
        [x],
        [3],
        rotary_dim=4,
        rotary_start=0,
        base=real.exact(10000),
        pairing="half",
        scaling=None,
        seq_len=None,
    )[0]
    for row, value in zip(matrix, y, strict=True):
        assert abs(sum(a * b for a, b in zip(row, x, strict=True)) - value) < real.exact(1, 2**140)


def test_rope_apply_qk_rotates_both_and_their_head_axes_may_differ(call):
    q, k = [[X4[0]], [X4[0][::-1]]], [[X4[0]]]
    rotated = call("rope.apply_qk", ROPE4 | HALF, q=q, k=k, positions=[1])
    assert [entry.shape for entry in rotated] == [(2, 1, 4), (1, 1, 4)]
    assert rotated[0].data[:4] == rotated[1].data
    near(rotated[1], "-1.98411065 1.95990067 2.46237790 4.01979967")


def test_rope_apply_broadcasts_positions_over_heads(call):
    x = [[[[float(b + 1), 2.0 * h, 3.0, 4.0 + t] for t in range(2)] for h in range(3)] for b in range(2)]
    whole = call("rope.apply", ROPE4 | ADJACENT, x=x, positions=[[[5, 6]], [[9, -7]]])
    assert whole.shape == (2, 3, 2, 4)
    parts = []
    for b, tokens in enumerate(([5, 6], [9, -7])):
        for h in range(3):
            parts.extend(call("rope.apply", ROPE4 | ADJACENT, x=x[b][h], positions=tokens).data)
    assert whole.data == tuple(parts)


def test_rope_refuses_a_scaling_it_does_not_know():
    real = MpmathReal(160)
    with pytest.raises(KeyError, match="stretch"):
        rope.apply(
            real,
            [[real.exact(1)] * 2],
            [1],
            rotary_dim=2,
            rotary_start=0,
            base=real.exact(10000),
            pairing="half",
            scaling={"rope_type": "stretch"},
            seq_len=None,
        )


def test_sinusoidal_rows_of_width_eight(call):
    table = call("sinusoidal.encode", SIN8, positions=[0, 1, 2, 100, 10000])
    rows = [Tensor("float64", (8,), table.data[8 * t : 8 * t + 8]) for t in range(5)]
    assert rows[0].data == (0.0, 1.0) * 4
    near(rows[1], "0.841470985 0.540302306 0.099833417 0.995004165 0.009999833 0.99995 0.001 0.9999995")
    near(Tensor("float64", (4,), rows[2].data[:4]), "0.909297 -0.416147 0.198669 0.980067")
    # The last pair turns by 0.1 and by 10 radians.
    near(
        Tensor("float64", (4,), rows[3].data[6:] + rows[4].data[6:]),
        "0.099833417 0.995004165 -0.544021111 -0.839071529",
    )


@pytest.mark.parametrize(
    ("params", "printed"),
    [
        ({"dim": 4}, "0.841470985 0.540302306 0.00999983333 0.999950000"),
        (
            {"dim": 8, "denominator": "count_minus_1", "layout": "sin_cos"},
            "0.841470985 0.046399223 0.002154433 0.0001 0.540302306 0.998922976 0.999997679 0.999999995",
        ),
        (
            {"dim": 4, "denominator": "count_minus_1", "layout": "sin_cos"},
            "0.841470985 0.0000999999998 0.540302306 0.999999995",
        ),
        ({"dim": 4, "layout": "cos_sin"}, "0.540302306 0.999950000 0.841470985 0.00999983333"),
        ({"dim": 5, "odd": "extra_sine"}, "0.841470985 0.540302306 0.0251162229 0.999684538 0.000630957303"),
        (
            {"dim": 5, "odd": "extra_sine", "layout": "sin_cos"},
            "0.841470985 0.0251162229 0.000630957303 0.540302306 0.999684538",
        ),
        (
            {"dim": 5, "odd": "extra_sine", "layout": "cos_sin"},
            "0.540302306 0.999684538 0.841470985 0.0251162229 0.000630957303",
        ),
        ({"dim": 5, "odd": "zero_pad"}, "0.841470985 0.540302306 0.00999983333 0.999950000 0"),
        # Three sines over n - 1 = 2 steps: frequencies 1, 1/100, 1/10000.
        (
            {"dim": 5, "odd": "extra_sine", "denominator": "count_minus_1"},
            "0.841470985 0.540302306 0.00999983333 0.999950000 0.0000999999998",
        ),
    ],
)
def test_sinusoidal_conventions_at_position_one(call, params, printed):
    near(call("sinusoidal.encode", SIN8 | params, positions=[1]), printed)


def test_sinusoidal_wavelengths_of_width_128(call):
    frequencies = call("sinusoidal.inv_freq", {"dim": 128, "base": 10000.0, "denominator": "dim"}).data
    two_pi = Fraction(Decimal("6.283185307179586476925"))
    lengths = [two_pi / Fraction(frequencies[i]) for i in (0, 20, 40, 62)]
    for length, wave, periods in zip(
        lengths,
        ["6.28318531", "111.732591", "1986.91765", "47117.2428"],
        ["325.949323", "18.32947745", "1.03074226", "0.0434660409"],
        strict=True,
    ):
        for value, text in ((length, wave), (2048 / length, periods)):
            half = Fraction(Decimal(1).scaleb(Decimal(text).as_tuple().exponent)) / 2
            assert abs(value - Fraction(Decimal(text))) <= half + value / 2**50


def test_sinusoidal_count_minus_one_ends_at_one_over_the_base(call):
    assert call("sinusoidal.inv_freq", {"dim": 6, "base": 4096.0, "denominator": "count_minus_1"}).data == (
        1.0,
        1 / 64,
        1 / 4096,
    )


def test_sinusoidal_rows_have_norm_half_the_width_and_products_of_the_offset():
    real = MpmathReal(160)
    params = {"dim": 64, "base": real.exact(10000), "denominator": "dim", "layout": "sin_cos", "odd": "error"}
    rows = sinusoidal.encode(real, [0, 3, 5, 8], **params)
    tiny = real.exact(1, 2**140)
    for row in rows:
        assert abs(sum(a * a for a in row) - 32) < tiny
    products = [sum(a * b for a, b in zip(rows[i], rows[j], strict=True)) for i, j in ((0, 1), (2, 3))]
    assert abs(products[0] - products[1]) < tiny


@pytest.mark.parametrize("layout", ["interleaved", "sin_cos", "cos_sin"])
@pytest.mark.parametrize("denominator", ["dim", "count_minus_1"])
def test_the_shift_matrix_moves_a_row(layout, denominator):
    real = MpmathReal(160)
    params = {"dim": 6, "base": real.exact(10000), "denominator": denominator, "layout": layout}
    before, after = sinusoidal.encode(real, [1000, 993], odd="error", **params)
    matrix = sinusoidal.shift_matrix(real, offset=-7, **params)
    for row, value in zip(matrix, after, strict=True):
        assert abs(sum(a * b for a, b in zip(row, before, strict=True)) - value) < real.exact(1, 2**140)


def test_the_shift_matrix_of_one_pair(call):
    params = {"offset": 3, "dim": 2, "base": 10000.0, "denominator": "dim", "layout": "interleaved"}
    near(call("sinusoidal.shift_matrix", params), f"-0.989992496600445 {SIN3} -{SIN3} -0.989992496600445")


def slopes(heads, **more):
    return {"num_heads": heads, "bias_max": 8.0, **more}


def test_alibi_slopes(call):
    assert call("alibi.slopes", slopes(8)).data == tuple(2.0**-k for k in range(1, 9))
    assert call("alibi.slopes", slopes(6)).data == (0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125)
    assert call("alibi.slopes", slopes(1)).data == (2.0**-8,)
    twelve = call("alibi.slopes", slopes(12)).data
    assert twelve[:8] == tuple(2.0**-k for k in range(1, 9))
    near(Tensor("float64", (4,), twelve[8:]), "0.707107 0.353553 0.176777 0.0883883")
    assert call("alibi.slopes", slopes(12, head_start=6, head_count=4)).data == twelve[6:10]
    assert call("alibi.slopes", slopes(12, head_start=11)).data == twelve[11:]


@pytest.mark.parametrize(
    ("form", "future", "expected"),
    [
        ("neg_distance", "keep", (-1.5, -1.0, -0.5, 0.0, 0.5)),
        ("neg_abs", "keep", (-1.5, -1.0, -0.5, 0.0, -0.5)),
        ("key_index", "keep", (0.0, 0.5, 1.0, 1.5, 2.0)),
        ("neg_distance", "neg_inf", (-1.5, -1.0, -0.5, 0.0, float("-inf"))),
    ],
)
def test_alibi_bias_of_one_query_against_a_cache(call, form, future, expected):
    params = {"form": form, "future": future}
    output = call("alibi.bias", params, q_positions=[3], k_positions=[0, 1, 2, 3, 4], slopes=[0.5])
    assert output.shape == (1, 1, 5)
    assert str(output.data) == str(expected)


def test_alibi_bias_is_added_to_the_score(call):
    params = {"form": "neg_distance", "future": "neg_inf"}
    assert call("alibi.bias", params, q_positions=[6], k_positions=[0], slopes=[0.5]).data[0] + 10 == 7
    batch = call("alibi.bias", params, q_positions=[[6], [2]], k_positions=[0, 2], slopes=[0.5, 0.25, 1.0])
    assert batch.shape == (2, 3, 1, 2)
    assert batch.data == (-3.0, -2.0, -1.5, -1.0, -6.0, -4.0, -1.0, 0.0, -0.5, 0.0, -2.0, 0.0)


def test_positions_and_mask_count_by_position(call):
    q, k = [2, -(2**53)], [0, 2, 2**53, -1]
    relative = call("positions.relative", {}, q_positions=q, k_positions=k)
    assert relative == Tensor("int64", (2, 4), (-2, 0, 2**53 - 2, -3, 2**53, 2**53 + 2, 2**54, 2**53 - 1))
    mask = call("attention.causal_mask", {}, q_positions=q, k_positions=k)
    assert mask == Tensor("bool", (2, 4), (1, 1, 0, 1, 0, 0, 0, 0))
    leading = call("attention.causal_mask", {}, q_positions=[[[1]], [[5]]], k_positions=[[1, 2], [6, 5]])
    assert leading == Tensor("bool", (2, 2, 1, 2), (1, 0, 0, 0, 1, 1, 0, 1))


def test_attention_scores_multiply_the_finished_sum(call):
    q, k = [[1.0, 2.0], [0.0, -3.0]], [[4.0, 0.5], [1.0, 1.0], [0.0, 0.0]]
    assert call("attention.scores", {"scale": 0.5}, q=q, k=k).data == (2.5, 1.5, 0.0, -0.75, -1.5, 0.0)


def test_attention_of_two_keys_is_the_logistic_function(call):
    inputs = {"q": [[1.0]], "k": [[0.0], [1.0]], "v": [[0.0], [1.0]]}
    near(call("attention.output", {"scale": 1.0}, **inputs), "0.731058578630005")
    near(call("attention.output", {"scale": -1.0}, **inputs), "0.268941421369995")
    near(call("attention.output", {"scale": 1.0}, **inputs, bias=[[2.0, 1.0]]), "0.5")


def test_attention_shares_weight_among_equal_scores(call):
    # e / (2 + e) and 1 / (2 + e), e = 2.718281828459045
    inputs = {"q": [[1.0]], "k": [[0.0], [0.0], [1.0]], "v": [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]}
    near(call("attention.output", {"scale": 1.0}, **inputs), "0.576116884765829 0.211941557617085")


def test_attention_where_the_result_is_rational_is_exact(call):
    keys, values = [[0.5], [1.5], [-2.0]], [[3.25, 7.0], [0.1, 7.0], [-4.0, 7.0]]
    inputs = {"q": [[0.7]], "k": keys, "v": values}
    one = {"scale": 3.0}
    assert call("attention.output", one, **inputs, mask=[[False, True, False]]).data == (0.1, 7.0)
    far = float("-inf")
    assert call("attention.output", one, **inputs, bias=[[1.5, far, far]]).data == (3.25, 7.0)
    assert call("attention.output", one, **inputs).data[1] == 7.0
    level = call("attention.output", {"scale": 0.0}, **inputs, mask=[[True, False, True]])
    assert level.data == (-0.375, 7.0)


def test_attention_survives_large_scores(call):
    inputs = {"q": [[1.0]], "k": [[800.0], [0.0]], "v": [[0.0], [1.0]]}
    output = call("attention.output", {"scale": 1.0}, **inputs)
    assert output.data == (0.0,)  # e^-800, below half of the least number
    inputs["v"] = [[1.0], [0.0]]
    assert call("attention.output", {"scale": 1.0}, **inputs).data == (1.0,)


def test_attention_commutes_with_a_permutation_and_the_causal_mask_does_not(call):
    rows = [[0.5, 1.0], [-1.0, 0.25], [2.0, -0.5]]
    order = [2, 0, 1]
    moved = [rows[i] for i in order]
    causal = [[True, False, False], [True, True, False], [True, True, True]]

    def attend(x, **more):
        y = call("attention.output", {"scale": 1.0}, q=x, k=x, v=x, **more).data
        return [y[2 * i : 2 * i + 2] for i in range(3)]

    assert attend(moved) == [attend(rows)[i] for i in order]
    assert attend(moved, mask=causal) != [attend(rows, mask=causal)[i] for i in order]


def test_attention_broadcasts_bias_and_mask(call):
    head = [[0.5, 1.0], [-1.0, 0.25]]
    x = [[head, [[1.0, 1.0], [0.0, 2.0]]]]
    flat = [[0.5, -0.25], [1.0, 0.0]]
    whole = call(
        "attention.output", {"scale": 1.0}, q=x, k=x, v=x, bias=flat, mask=[[[True, False], [True, True]]]
    )
    assert whole.shape == (1, 2, 2, 2)
    parts = []
    for one in x[0]:
        part = call(
            "attention.output",
            {"scale": 1.0},
            q=one,
            k=one,
            v=one,
            bias=flat,
            mask=[[True, False], [True, True]],
        )
        parts.extend(part.data)
    assert whole.data == tuple(parts)


def test_attention_repeats_a_padding_mask_over_queries(call):
    rows = [[0.5, 1.0], [-1.0, 0.25], [2.0, -0.5]]
    inputs = {"q": rows, "k": rows, "v": rows}
    padded = call("attention.output", {"scale": 1.0}, **inputs, mask=[[True, False, True]])
    assert padded == call("attention.output", {"scale": 1.0}, **inputs, mask=[[True, False, True]] * 3)
    far = float("-inf")
    assert padded == call("attention.output", {"scale": 1.0}, **inputs, bias=[[0.0, far, 0.0]])


FLAT = Tensor("int64", (0,), ())


@pytest.mark.parametrize(
    ("name", "inputs", "params", "shapes"),
    [
        ("rope.apply", {"x": Tensor("float32", (2, 0, 6), ()), "positions": FLAT}, ROPE4 | HALF, [(2, 0, 6)]),
        ("rope.matrix", {"positions": Tensor("int64", (3, 0), ())}, ROPE4 | HALF, [(3, 0, 4, 4)]),
        ("rope.cos_sin", {"positions": FLAT, "inv_freq": tensor([1.0, 0.5, 0.1])}, {}, [(0, 3)] * 2),
        ("sinusoidal.encode", {"positions": FLAT}, SIN8, [(0, 8)]),
        ("positions.relative", {"q_positions": FLAT, "k_positions": tensor([1, 2])}, {}, [(0, 2)]),
        (
            "attention.scores",
            {"q": Tensor("float32", (3, 1), (1.0, 2.0, 3.0)), "k": Tensor("float32", (0, 1), ())},
            {"scale": 1.0},
            [(3, 0)],
        ),
        (
            "alibi.bias",
            {"q_positions": FLAT, "k_positions": tensor([1, 2]), "slopes": tensor([0.5, 0.25, 1.0])},
            {"form": "neg_abs", "future": "keep"},
            [(3, 0, 2)],
        ),
    ],
)
def test_no_tokens_give_an_empty_result_of_the_right_shape(name, inputs, params, shapes):
    for engine in (MpmathReal, ArbReal):
        found = certify(engine, name, inputs, params, ["float32", "float16"])
        for by_dtype, shape in zip(found.values(), shapes, strict=True):
            assert set(by_dtype) in ({"float32", "float16"}, {"int64"})
            for dtype, (output, residual) in by_dtype.items():
                assert output == Tensor(dtype, shape, ())
                assert residual == ""
                assert prod(shape) == 0


def test_a_dtype_that_overflows_is_left_out_of_that_output_only():
    x = tensor([[70000.0, 0.0], [1.0, 0.0]])
    params = {"rotary_dim": 2, "base": 10000.0} | HALF
    for engine in (MpmathReal, ArbReal):
        found = certify(
            engine,
            "rope.apply_qk",
            {"q": x, "k": tensor([[1.0, 0.0], [1.0, 0.0]]), "positions": tensor([0, 0])},
            params,
            DTYPES,
        )
        assert set(found["q"]) == {"float64", "float32", "bfloat16"}
        assert set(found["k"]) == set(DTYPES)
        assert found["q"]["bfloat16"] == (Tensor("bfloat16", (2, 2), (70144.0, 0.0, 1.0, 0.0)), "-000")


def test_golden_functions_take_and_return_nested_lists():
    real = MpmathReal(160)
    assert positions.relative(real, [[1], [2]], [5]) == [[[4]], [[3]]]
    assert attention.causal_mask(real, [1], [1, 2]) == [[1, 0]]
    assert alibi.slopes(real, num_heads=2, bias_max=real.exact(8), head_start=0, head_count=None) == [
        real.exact(1, 16),
        real.exact(1, 256),
    ]
