"""Golden positions and additive encodings against numbers worked by hand or printed in public reports."""

import pytest
from golden_calls import near, part

from posref.operation import Tensor

MASK = {"pad_value": None, "padding_idx": None}


@pytest.mark.parametrize(
    ("params", "mask", "ids"),
    [
        ({"rule": "cumsum", "pad_value": 7}, [0, 0, 1, 1, 1], (7, 7, 0, 1, 2)),
        ({"rule": "cumsum", "pad_value": -1}, [1, 0, 1, 1, 0], (0, -1, 1, 2, -1)),
        ({"rule": "roberta", "padding_idx": 1}, [1, 1, 1, 0, 0], (2, 3, 4, 1, 1)),
        ({"rule": "roberta", "padding_idx": 0}, [0, 1, 0, 1, 1], (0, 1, 0, 2, 3)),
        ({"rule": "opt"}, [0, 0, 1, 0, 1], (1, 1, 2, 1, 3)),
        ({"rule": "arange"}, [0, 0, 1, 0, 1], (0, 1, 2, 3, 4)),
    ],
)
def test_positions_from_a_mask(call, params, mask, ids):
    output = call("positions.from_mask", MASK | params, attention_mask=[mask, mask[::-1]])
    assert output.shape == (2, 5)
    assert output.data[:5] == ids
    turned = call("positions.from_mask", MASK | params, attention_mask=[mask[::-1]])
    assert turned.data == output.data[5:]


def test_positions_restart_at_each_document(call):
    assert call("positions.from_lengths", {}, cu_seqlens=[0, 3, 5]).data == (0, 1, 2, 0, 1)
    assert call("positions.from_lengths", {}, cu_seqlens=[0, 0, 3, 3, 3, 4, 4]).data == (0, 1, 2, 0)
    assert call("positions.from_lengths", {}, cu_seqlens=[0]) == Tensor("int64", (0,), ())
    assert call("positions.from_lengths", {}, cu_seqlens=[0, 0]) == Tensor("int64", (0,), ())


@pytest.mark.parametrize(
    ("scheme", "hands"),
    [
        ("contiguous", [(0, 1, 2, 3), (4, 5, 6, 7)]),
        ("zigzag", [(0, 1, 6, 7), (2, 3, 4, 5)]),
        ("striped", [(0, 2, 4, 6), (1, 3, 5, 7)]),
    ],
)
def test_positions_are_dealt_to_ranks(call, scheme, hands):
    for rank, hand in enumerate(hands):
        params = {"world_size": 2, "rank": rank, "scheme": scheme}
        assert call("positions.shard", params, position_ids=list(range(8))).data == hand
        moved = call("positions.shard", params, position_ids=[10 * n for n in range(8)])
        assert moved.data == tuple(10 * n for n in hand)


def test_positions_are_dealt_to_three_ranks_and_to_one(call):
    dealt = {
        scheme: [
            call(
                "positions.shard",
                {"world_size": 3, "rank": rank, "scheme": scheme},
                position_ids=list(range(12)),
            ).data
            for rank in range(3)
        ]
        for scheme in ("contiguous", "zigzag", "striped")
    }
    assert dealt["zigzag"] == [(0, 1, 10, 11), (2, 3, 8, 9), (4, 5, 6, 7)]
    assert dealt["striped"][1] == (1, 4, 7, 10)
    assert dealt["contiguous"][2] == (8, 9, 10, 11)
    for scheme in dealt:
        params = {"world_size": 1, "rank": 0, "scheme": scheme}
        assert call("positions.shard", params, position_ids=[5, 3, 9, 4]).data == (5, 3, 9, 4)


def test_the_four_terms_add_up_to_the_score(call):
    content_q, position_q = [[1.0, -2.0]], [[0.5, 0.25]]
    content_k, position_k = [[3.0, 1.0], [0.0, 4.0]], [[-1.0, 2.0], [8.0, 0.0]]
    terms = call(
        "attention.score_terms",
        {"scale": 0.5},
        content_q=content_q,
        position_q=position_q,
        content_k=content_k,
        position_k=position_k,
    )
    assert [term.data for term in terms] == [(0.5, -4.0), (-2.5, 4.0), (0.875, 0.5), (0.0, 2.0)]
    whole = call("attention.scores", {"scale": 0.5}, q=[[1.5, -1.75]], k=[[2.0, 3.0], [8.0, 4.0]])
    assert whole.data == tuple(sum(term.data[key] for term in terms) for key in range(2))


def test_learned_rows_are_moved(call):
    table = [[1.0, 2.0], [-0.0, 0.1], [5.0, -6.0], [7.0, 8.0]]
    rows = call("learned.lookup", {"offset": 1}, table=table, positions=[[0, 2], [1, 0]])
    assert rows.shape == (2, 2, 2)
    assert str(rows.data) == "(-0.0, 0.1, 7.0, 8.0, 5.0, -6.0, -0.0, 0.1)"
    assert call("learned.lookup", {}, table=table, positions=[3]).data == (7.0, 8.0)


@pytest.mark.parametrize(
    ("length", "align_corners", "expected"),
    [
        (5, True, (0.0, 1.0, 2.0, 6.0, 10.0)),
        (3, True, (0.0, 2.0, 10.0)),
        (2, True, (0.0, 10.0)),
        (1, True, (0.0,)),
        # Coordinates (r + 1/2)/2 - 1/2 = -1/4, 1/4, 3/4, 5/4, 7/4, 9/4, clamped to 0 ... 2.
        (6, False, (0.0, 0.5, 1.5, 4.0, 8.0, 10.0)),
        (3, False, (0.0, 2.0, 10.0)),
        # (r + 1/2) 3/2 - 1/2 = 1/4, 7/4.
        (2, False, (0.5, 8.0)),
        (1, False, (2.0,)),
    ],
)
def test_learned_resize(call, length, align_corners, expected):
    params = {"length": length, "align_corners": align_corners}
    resized = call("learned.resize", params, table=[[0.0, -0.0], [2.0, 0.0], [10.0, 0.0]])
    assert resized.shape == (length, 2)
    assert resized.data[::2] == expected
    assert set(map(str, resized.data[1::2])) == {"0.0"}
    one = call("learned.resize", params, table=[[0.1, 3.0]])
    assert one.data == (0.1, 3.0) * length


@pytest.mark.parametrize(
    ("params", "printed"),
    [
        (
            {"denominator": "dim", "axis_order": "x_first", "layout": "axis_major"},
            "0.909297427 0.019998667 -0.416146837 0.999800007 0.841470985 0.009999833 0.540302306 0.99995",
        ),
        (
            {"denominator": "count_minus_1", "axis_order": "x_first", "layout": "axis_major"},
            "0.909297427 0.0002 -0.416146837 0.99999998 0.841470985 0.0001 0.540302306 0.999999995",
        ),
        (
            {"denominator": "dim", "axis_order": "y_first", "layout": "component_major"},
            "0.841470985 0.009999833 0.909297427 0.019998667 0.540302306 0.99995 -0.416146837 0.999800007",
        ),
    ],
)
def test_sincos2d_of_row_one_and_column_two(call, params, printed):
    near(call("sincos2d.encode", {"dim": 8, "base": 10000.0} | params, rows=[1], cols=[2]), printed)


def test_sincos2d_of_width_four_and_negative_places(call):
    params = {"dim": 4, "base": 10000.0, "denominator": "dim", "layout": "axis_major"}
    near(
        call("sincos2d.encode", params | {"axis_order": "x_first"}, rows=[0, -1], cols=[2, 0]),
        "0.909297427 -0.416146837 0.0 1.00000000 0.0 1.0 -0.841470985 0.540302306",
    )
    turned = call("sincos2d.encode", params | {"axis_order": "y_first"}, rows=[0], cols=[2])
    near(turned, "0.0 1.00000000 0.909297427 -0.416146837")


STEP = {"max_period": 10000.0, "freq_shift": 0.0, "flip_sin_to_cos": False, "scale": 1.0, "odd": "error"}


@pytest.mark.parametrize(
    ("params", "step", "printed"),
    [
        (
            {"dim": 8, "freq_shift": 1.0},
            10.0,
            "-0.544021111 0.447670835 0.02154268 0.001 -0.839071529 0.894198425 0.99976793 0.9999995",
        ),
        (
            {"dim": 8, "flip_sin_to_cos": True},
            10.0,
            "-0.839071529 0.540302306 0.995004165 0.99995 -0.544021111 0.841470985 0.099833417 0.009999833",
        ),
        ({"dim": 4}, 1.0, "0.841470985 0.00999983333 0.540302306 0.999950000"),
        ({"dim": 4, "flip_sin_to_cos": True}, 1.0, "0.540302306 0.999950000 0.841470985 0.00999983333"),
        ({"dim": 5, "odd": "zero_pad"}, 1.0, "0.841470985 0.00999983333 0.540302306 0.999950000 0"),
        ({"dim": 2}, -1.0, "-0.841470985 0.540302306"),
    ],
)
def test_timestep(call, params, step, printed):
    near(call("timestep.encode", STEP | params, timesteps=[step]), printed)


def test_timestep_scale_multiplies_the_angle(call):
    small = call("timestep.encode", STEP | {"dim": 8}, timesteps=[0.5])
    near(part(small, 2, 3), "0.00499997917")
    large = call("timestep.encode", STEP | {"dim": 8, "scale": 1000.0}, timesteps=[0.5])
    near(part(large, 2, 3), "-0.958924275")


def test_fourier_of_whole_quarters_of_a_turn_is_exact(call):
    params = {"two_pi": True, "include_input": False}
    x = [[n / 4] for n in range(-4, 5)]
    waves = call("fourier.encode", params, x=x, weights=[[1.0, 3.0]])
    rows = [waves.data[4 * n : 4 * n + 4] for n in range(9)]
    sines = (0.0, 1.0, 0.0, -1.0)
    for n, row in zip(range(-4, 5), rows, strict=True):
        assert row == (sines[n % 4], sines[3 * n % 4], sines[(n + 1) % 4], sines[(3 * n + 1) % 4])
    near(call("fourier.encode", params, x=[[0.125]], weights=[[1.0]]), "0.707106781186548 0.707106781186548")


def test_fourier_bands_of_three_tenths(call):
    # sin(pi f x) for f = 1, 2, 4 is sin(2 pi z) with z = f x/2.
    params = {"two_pi": True, "include_input": True}
    features = call("fourier.encode", params, x=[[0.3]], weights=[[0.5, 1.0, 2.0]])
    assert features.data[0] == 0.3
    near(part(features, 1, 4), "0.809016994 0.951056516 -0.587785252")
    near(part(features, 4, 7), "0.587785252 -0.309016994 -0.809016994")


def test_fourier_projects_and_keeps_the_input(call):
    params = {"two_pi": False, "include_input": True}
    x = [[[-0.0, 2.0]], [[1.0, 0.5]]]
    features = call("fourier.encode", params, x=x, weights=[[7.0, 2.0], [2.0, 4.0]])
    assert features.shape == (2, 1, 6)
    assert str(features.data[:2]) == "(-0.0, 2.0)"
    near(part(features, 2, 6), "-0.756802495 0.989358247 -0.653643621 -0.145500034")  # of 4 and 8
    near(part(features, 8, 12), "0.989358247 -0.756802495 -0.145500034 -0.653643621")  # of 8 and 4
