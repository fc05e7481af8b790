"""The rest of golden rope against numbers worked by hand or printed in public reports."""

import math

import pytest
from golden_calls import ADJACENT, HALF, LADDER, LLAMA3, LONGROPE, X4, X8, YARN, near, part

from posref.operation import Tensor

PERMUTE = {"source": "half", "target": "adjacent"}
YARN_OBJECT = {"rope_type": "yarn"} | YARN
VJP = {"pairing_in": "half", "pairing_out": "adjacent", "rotary_start": 1}


def test_rope_table_slice_moves_rows(call):
    cos, sin = [[0.1, -0.0], [2.0, 3.0], [4.0, 5.0]], [[6.0, 7.0], [8.0, 9.0], [-0.0, 11.0]]
    found = call("rope.table_slice", {"offset": 1, "length": 2}, cos=cos, sin=sin)
    assert [str(table.data) for table in found] == ["(2.0, 3.0, 4.0, 5.0)", "(8.0, 9.0, -0.0, 11.0)"]
    first, _ = call("rope.table_slice", {"offset": 0, "length": 1}, cos=cos, sin=sin)
    assert str(first.data) == "(0.1, -0.0)"
    none = call("rope.table_slice", {"offset": 3, "length": 0}, cos=cos, sin=sin)
    assert none == [Tensor("float64", (0, 2), ())] * 2


def test_rope_rerotate_equals_a_fresh_rotation(call):
    params = {"rotary_dim": 4, "base": 10000.0} | HALF
    printed = "-1.41335252 1.87911807 -2.82885748 4.05819114"
    for delta in (-2, [-2]):
        # Keys cached at position 5, rounded to binary64 in between: an error of a few units of 2^-52.
        cached = call("rope.apply", params, x=X8, positions=[5])
        moved = call("rope.rerotate", params, k=[list(cached.data)], delta=delta)
        near(part(moved, 0, 4), printed, slack=2.0**-49)
        assert moved.data[4:] == (5.0, 6.0, 7.0, 8.0)


def test_rope_rerotate_takes_a_shift_a_token_and_no_magnitude(call):
    params = {"rotary_dim": 2, "base": 10000.0} | HALF
    moved = call("rope.rerotate", params, k=[[1.0, 0.0], [1.0, 0.0], [0.5, -0.25]], delta=[3, -3, 0])
    near(part(moved, 0, 4), "-0.9899924966 0.1411200081 -0.9899924966 -0.1411200081")
    assert moved.data[4:] == (0.5, -0.25)
    heads = [[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [2.0, 0.0]]]
    near(
        call("rope.rerotate", params, k=heads, delta=[0, 3]),
        "1 0 -0.9899924966 0.1411200081 0 1 -1.9799849932 0.2822400161",
    )
    scaled = params | {"rotary_dim": 4, "scaling": YARN_OBJECT}
    key = call("rope.rerotate", scaled, k=X4, delta=0)
    assert key.data == (1.0, 2.0, 3.0, 4.0)


def test_rope_permute_takes_half_to_adjacent_and_back(call):
    params = {"rotary_dim": 6, "rotary_start": 1} | PERMUTE
    laid = call("rope.permute", params, x=X8)
    assert laid.data == (1.0, 2.0, 5.0, 3.0, 6.0, 4.0, 7.0, 8.0)
    back = {"rotary_dim": 6, "rotary_start": 1, "source": "adjacent", "target": "half"}
    assert call("rope.permute", back, x=[list(laid.data)]).data == tuple(X8[0])
    assert call("rope.permute", params | {"target": "half"}, x=[[-0.0] * 7]).data == (0.0,) * 7
    assert str(call("rope.permute", params, x=[-0.0] * 7).data) == str((-0.0,) * 7)


def test_rope_rotates_alike_in_both_orders(call):
    params = {"rotary_dim": 8, "base": 10000.0}
    there = {"rotary_dim": 8, "source": "adjacent", "target": "half"}
    moved = call("rope.permute", there, x=X8)
    turned = call("rope.apply", params | HALF, x=[list(moved.data)], positions=[9])
    other = call("rope.apply", params | ADJACENT, x=X8, positions=[9])
    assert turned == call("rope.permute", there, x=[list(other.data)])


def test_rope_permute_weight_stays_inside_each_head(call):
    weight = [[float(n), -float(n)] for n in range(8)]
    rows = call("rope.permute_weight", {"num_heads": 2, "rotary_dim": 4} | PERMUTE, weight=weight)
    assert rows.data[::2] == (0.0, 2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0)
    assert rows.data[1::2] == tuple(-n for n in rows.data[::2])
    one = call("rope.permute_weight", {"num_heads": 1, "rotary_dim": 6} | PERMUTE, weight=weight)
    assert one.data[::2] == (0.0, 3.0, 1.0, 4.0, 2.0, 5.0, 6.0, 7.0)


def test_rope_gradient_of_the_first_coordinate(call):
    params = {"rotary_dim": 2, "base": 10000.0} | ADJACENT
    inputs = {"grad_y": [[1.0, 0.0, 0.25]], "x": [[3.0, 4.0, 5.0]]}
    grad = call("rope.apply_vjp", params, **inputs, positions=[1])
    near(part(grad, 0, 2), "0.540302306 -0.841470985")
    assert grad.data[2] == 0.25
    scaled = params | {"rotary_dim": 4, "scaling": YARN_OBJECT}
    grad = call("rope.apply_vjp", scaled, grad_y=X4, x=X4, positions=[0])
    near(grad, "1.138629436111989 2.277258872223978 3.415888308335967 4.554517744447956", slack=2.0**-50)


def test_rope_rotate_gradients_are_the_transpose(call):
    x, g = [[9.0, 1.0, 2.0, 3.0, 4.0]], [[7.0, 1.0, 10.0, 100.0, 1000.0]]
    cos, sin = [[2.0, 3.0]], [[5.0, 7.0]]
    # Pairs (1, 3) and (2, 4) of x become (1, 2) and (3, 4) of y.
    grad_x, grad_cos, grad_sin = call("rope.rotate_vjp", VJP, grad_y=g, x=x, cos=cos, sin=sin)
    assert grad_x.data == (7.0, 52.0, 7300.0, 15.0, 2300.0)
    assert grad_cos.data == (1.0 + 30.0, 200.0 + 4000.0)
    assert grad_sin.data == (10.0 - 3.0, 2000.0 - 400.0)


def test_rope_gradients_of_broadcast_tables_are_sums(call):
    x = [[[[1.0, 2.0]], [[3.0, 4.0]]], [[[5.0, 6.0]], [[7.0, 8.0]]]]
    g = [[[[1.0, 0.0]], [[0.0, 1.0]]], [[[1.0, 1.0]], [[2.0, 0.0]]]]
    params = {"pairing_in": "half", "pairing_out": "half"}
    expected = {
        ((1, 1), (1.0 + 4.0 + 11.0 + 14.0,), (-2.0 + 3.0 - 1.0 - 16.0,)),
        ((2, 1, 1, 1), (5.0, 25.0), (1.0, -17.0)),
        ((1, 2, 1, 1), (12.0, 18.0), (-3.0, -13.0)),
        ((2, 1, 1), (12.0, 18.0), (-3.0, -13.0)),
        ((2, 2, 1, 1), (1.0, 4.0, 11.0, 14.0), (-2.0, 3.0, -1.0, -16.0)),
    }
    for shape, cos, sin in expected:
        table = [[0.5]]
        for size in reversed(shape[:-2]):
            table = [table] * size
        found = call("rope.rotate_vjp", params, grad_y=g, x=x, cos=table, sin=table)
        assert found[0].shape == (2, 2, 1, 2)
        assert [entry.shape for entry in found[1:]] == [shape, shape]
        assert [entry.data for entry in found[1:]] == [cos, sin]


def test_rope_apply_with_the_proportional_scaling(call):
    scaling = {"rope_type": "proportional", "partial_rotary_factor": 0.5, "factor": 1.0}
    y = call("rope.apply", LADDER | HALF | {"scaling": scaling}, x=X8, positions=[1])
    printed = "-3.66705262 1.39100783 3.00000000 4.00000000 3.54298251 6.16969182 7.00000000 8.00000000"
    near(y, printed)


SCALINGS = {
    "linear": {"factor": 4.0},
    "ntk": {"factor": 4.0},
    "dynamic": {"factor": 2.0, "original_max_position_embeddings": 4096},
    "yarn": YARN,
    "llama3": LLAMA3,
    "longrope": LONGROPE | {"short_factor": [1.0, 1.0, 1.2, 1.5], "long_factor": [1.0, 2.0, 8.0, 32.0]},
    "proportional": {"factor": 2.0, "partial_rotary_factor": 0.75},
}
FREQUENCIES = {
    "linear": [0.25, 0.025, 0.0025, 0.00025],
    "ntk": [1.0, 0.06299605249474366, 0.003968502629920499, 0.00025],
    "dynamic": [1.0, 0.06933612743506347, 0.004807498567691361, 1 / 3000],
    "yarn": [1.0, 0.1, 0.00625, 0.00025],
    "llama3": [1.0, 0.1, 0.01, 0.00021360754402756864],
    "longrope": [1.0, 0.05, 0.00125, 3.125e-05],
    "proportional": [0.5, 0.05, 0.005, 0.0],
}
MAGNITUDES = {"yarn": 1.138629436111989, "longrope": 1.1902380714238083}
SEQ_LEN = {"dynamic": 8192, "longrope": 8192}


@pytest.mark.parametrize("kind", SCALINGS)
def test_rope_turns_by_the_scaled_frequencies_and_stretches(call, kind):
    unused = {"mscale": None, "short_factor": None, "ramp": None}
    scaling = unused | {"rope_type": kind} | SCALINGS[kind]
    params = LADDER | HALF | {"scaling": scaling, "seq_len": SEQ_LEN.get(kind)}
    factor = MAGNITUDES.get(kind, 1.0)
    x = [[1.0] * 4 + [0.0] * 4 + [9.0]]
    expected = [f(7 * w) for f in (math.cos, math.sin) for w in FREQUENCIES[kind]]
    y = call("rope.apply", params, x=x, positions=[7])
    assert y.data[:8] == pytest.approx([factor * value for value in expected], rel=1e-13, abs=1e-15)
    assert y.data[8] == 9.0
    q, k = call("rope.apply_qk", params, q=x, k=x, positions=[7])
    assert q == k == y
    score = call("rope.score", params, q=x, k=x, q_positions=[8], k_positions=[1])
    assert score.data[0] == pytest.approx(81 + factor**2 * sum(expected[:4]), rel=1e-13)
    gradient = call("rope.apply_vjp", params, grad_y=[list(y.data)], x=x, positions=[7])
    assert gradient.data == pytest.approx([factor**2 * value for value in x[0][:8]] + [9.0], abs=1e-14)
    if kind not in SEQ_LEN:
        moved = call("rope.rerotate", params, k=x, delta=[7])
        assert moved.data == pytest.approx([*expected, 9.0], rel=1e-13, abs=1e-15)


def test_rope_takes_scaling_numbers_that_are_integers(call):
    params = LADDER | HALF | {"scaling": {"rope_type": "linear", "factor": 4}}
    floating = LADDER | HALF | {"scaling": {"rope_type": "linear", "factor": 4.0}}
    assert call("rope.apply", params, x=X8, positions=[3]) == call(
        "rope.apply", floating, x=X8, positions=[3]
    )
    scaling = {"rope_type": "longrope", "short_factor": [1, 2, 4, 8], "long_factor": [1, 1, 1, 1]} | LONGROPE
    params = LADDER | HALF | {"scaling": scaling, "seq_len": 9}
    assert call("rope.apply", params, x=X8, positions=[0]).shape == (1, 8)
