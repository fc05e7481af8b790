"""Golden rotations over several axes, decays and temperatures against worked and printed numbers."""

import math

import pytest
from golden_calls import ADJACENT, LADDER, X8, near

from posref.corpus.certify import certify
from posref.corpus.engine_arb import ArbReal
from posref.corpus.engine_mpmath import MpmathReal
from posref.operation import Tensor

ENGINES = (MpmathReal, ArbReal)
CLOSE = 2.0**-49
"""16 times 2^-53: a sine of the library (2), an angle from a power (5) and a literal (2), a product (3)."""


def axes(call, section, arrangement):
    return call("mrope.axis_of_channel", {"mrope_section": section, "arrangement": arrangement}).data


def test_mrope_axes(call):
    assert axes(call, [2, 1, 1], "chunked") == (0, 0, 1, 2)
    assert axes(call, [2, 1, 1], "interleaved") == (0, 1, 2, 0)
    assert axes(call, [2, 2, 2], "hw_then_t") == (1, 2, 1, 2, 0, 0)
    assert axes(call, [3, 0, 1], "chunked") == (0, 0, 0, 2)
    assert axes(call, [0, 2, 0], "interleaved") == (0, 1)
    assert axes(call, [11, 11, 10], "interleaved") == (0, 1, 2) * 10 + (0, 1)
    wide = axes(call, [24, 20, 20], "interleaved")
    assert wide == (0, 1, 2) * 20 + (0,) * 4
    assert (len(wide), wide.count(0)) == (64, 24)


LADDER8 = [1.0, 0.1, 0.01, 0.001]


@pytest.mark.parametrize(
    ("axis", "token", "angles"),
    [
        ([0, 0, 1, 2], [5, 7, 9], [5, 0.5, 0.07, 0.009]),
        ([0, 1, 2, 0], [5, 7, 9], [5, 0.7, 0.09, 0.005]),
        ([0, 0, 1, 2], [5, 1, 2], [5, 0.5, 0.01, 0.002]),
        ([0, 1, 2, 0], [5, 1, 2], [5, 0.1, 0.02, 0.005]),
    ],
)
def test_mrope_tables(call, axis, token, angles):
    positions = [[place, -place] for place in token]
    tables = call(
        "mrope.cos_sin",
        {"attention_factor": 2.0},
        positions=positions,
        inv_freq=LADDER8,
        axis_of_channel=axis,
    )
    for table, function, sign in zip(tables, (math.cos, math.sin), (1, -1), strict=True):
        assert table.shape == (2, 4)
        assert table.data[:4] == pytest.approx([2 * function(angle) for angle in angles], rel=CLOSE, abs=0)
        assert table.data[4:] == tuple(sign * value for value in table.data[:4])


def position_ids(types, grids, intervals, merge, advance):
    """Return the axes of every token and the delta; empty inputs have their shapes."""
    inputs = {
        "token_types": Tensor("int64", (len(types),), tuple(types)),
        "grids": Tensor("int64", (len(grids), 3), tuple(n for grid in grids for n in grid)),
        "temporal_interval": Tensor(
            "int64", (len(intervals), 2), tuple(n for pair in intervals for n in pair)
        ),
    }
    params = {"spatial_merge_size": merge, "advance": advance}
    found = [certify(engine, "mrope.position_ids", inputs, params, ()) for engine in ENGINES]
    assert found[0] == found[1]
    ids, delta = (found[0][name]["int64"][0] for name in ("position_ids", "delta"))
    assert (ids.shape, delta.shape) == ((3, len(types)), ())
    count = len(types)
    return [ids.data[count * axis : count * axis + count] for axis in range(3)], delta.data[0]


def test_mrope_position_ids_of_two_images():
    types = [0, *[1] * 4, 0, *[1] * 4, 0]
    (t, h, w), delta = position_ids(types, [(1, 2, 2)] * 2, [], 1, "max_hw")
    assert t == (0, 1, 1, 1, 1, 3, 4, 4, 4, 4, 6)
    assert h == (0, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6)
    assert w == (0, 1, 2, 1, 2, 3, 4, 5, 4, 5, 6)
    assert delta == 7 - 11


def test_mrope_position_ids_of_a_video():
    types = [0] * 15 + [2] * 4
    (t, h, w), _ = position_ids(types, [(2, 1, 2)], [(2, 1)], 1, "max_hw")
    assert (t[15:], h[15:], w[15:]) == ((15, 15, 17, 17), (15,) * 4, (15, 16, 15, 16))


@pytest.mark.parametrize(("advance", "after"), [("max_hw", 5), ("max_thw", 14)])
def test_mrope_position_ids_after_a_video(advance, after):
    types = [0] * 3 + [2] * 24 + [0] * 3
    (t, h, w), delta = position_ids(types, [(6, 4, 4)], [(2, 1)], 2, advance)
    assert t[3:27] == tuple(3 + 2 * k for k in range(6) for _ in range(4))
    assert h[3:7] == (3, 3, 4, 4)
    assert w[3:7] == (3, 4, 3, 4)
    assert t[27:] == h[27:] == w[27:] == (after, after + 1, after + 2)
    assert delta == after + 3 - 30


def test_mrope_position_ids_of_neighbouring_media_and_fractional_intervals():
    # Two videos without text between, a third of a position and five halves a frame, then an image.
    types = [2] * 4 + [2] * 3 + [1] * 2
    grids, intervals = [(4, 1, 1), (3, 1, 1), (2, 1, 1)], [(1, 3), (5, 2)]
    (t, h, w), delta = position_ids(types, grids, intervals, 1, "max_thw")
    assert t == (0, 0, 0, 1, 2, 4, 7, 8, 9)
    assert h == w == (0, 0, 0, 0, 2, 2, 2, 8, 8)
    assert delta == 10 - 9
    (t, _, _), delta = position_ids(types, grids, intervals, 1, "max_hw")
    assert t == (0, 0, 0, 1, 1, 3, 6, 2, 3)
    assert delta == 3 - 9


def test_mrope_position_ids_of_text_and_of_nothing():
    assert position_ids([0, 0, 0], [], [], 2, "max_hw") == ([(0, 1, 2)] * 3, 0)
    assert position_ids([], [], [], 2, "max_thw") == ([()] * 3, 0)


def test_axial_rope(call):
    params = {"base": 10000.0, "axis_dims": [4, 4], "frequencies": "reset"}
    cos, sin = call("axial_rope.cos_sin", params, positions=[[3, 5], [0, 0]])
    assert cos.data[:4] == pytest.approx([math.cos(a) for a in (3, 0.03, 5, 0.05)], rel=CLOSE, abs=0)
    assert sin.data == pytest.approx(
        [*(math.sin(a) for a in (3, 0.03, 5, 0.05)), 0, 0, 0, 0], rel=CLOSE, abs=0
    )
    assert cos.data[4:] == (1.0,) * 4
    shared = params | {"frequencies": "shared_even_odd"}
    cos, _ = call("axial_rope.cos_sin", shared, positions=[[-0.5, 2.0]])
    assert cos.data == pytest.approx([math.cos(a) for a in (0.5, 0.005, 0.2, 0.002)], rel=CLOSE, abs=0)
    uneven = params | {"axis_dims": [2, 6, 4]}
    _, sin = call("axial_rope.cos_sin", uneven, positions=[[1, 1, 1]])
    ladder = (1, 1, 10000 ** (-1 / 3), 10000 ** (-2 / 3), 1, 0.01)
    assert sin.data == pytest.approx([math.sin(w) for w in ladder], rel=CLOSE, abs=0)


XPOS = {"rotary_dim": 8, "gamma": 0.4, "scale_base": 512.0, "center": 0.0}


def test_xpos_scale(call):
    one = call("xpos.scale", XPOS, positions=[512, 0])
    near(
        one, "0.28571428571428575 0.46428571428571436 0.6428571428571429 0.8214285714285714 1 1 1 1", 2.0**-53
    )
    ten = call("xpos.scale", XPOS, positions=[[10]])
    assert ten.shape == (1, 1, 4)
    near(ten, "0.9758288888616967 0.9851262709173645 0.9914075817136105 0.9961653730967206", 2.0**-53)
    centred = call("xpos.scale", XPOS | {"center": 2.5, "scale_base": 256.0}, positions=[5])
    assert centred.shape == (1, 4)
    assert centred.data == call("xpos.scale", XPOS, positions=[5]).data


def test_xpos_scales_queries_and_unscales_keys(call):
    params = XPOS | {"base": 10000.0, "center": 3.0} | ADJACENT
    heads = [[X8[0] + [9.0]], [[0.5] * 9]]
    turned = call("rope.apply", LADDER | ADJACENT, x=heads, positions=[515]).data
    scale = [value for value in call("xpos.scale", XPOS, positions=[512]).data for _ in range(2)]
    query = call("xpos.apply", params | {"role": "query"}, x=heads, positions=[515]).data
    key = call("xpos.apply", params | {"role": "key"}, x=heads, positions=[515]).data
    for head in (0, 9):
        assert (query[head + 8], key[head + 8]) == (turned[head + 8],) * 2
        for a, z in enumerate(scale):
            assert query[head + a] == pytest.approx(turned[head + a] * z, rel=CLOSE, abs=0)
            assert key[head + a] == pytest.approx(turned[head + a] / z, rel=CLOSE, abs=0)


@pytest.mark.parametrize(
    ("position", "plus_one", "printed"),
    [
        (8191, True, "1.0693147180559945"),
        (8191, False, "1.0"),
        (8192, True, "1.0693147180559945"),
        (8192, False, "1.0693147180559945"),
        (16383, True, "1.109861228866811"),
        (16383, False, "1.0693147180559945"),
        (0, True, "1"),
        (-1, True, "1"),
    ],
)
def test_temperature(call, position, plus_one, printed):
    params = {"beta": 0.1, "floor_scale": 8192, "plus_one": plus_one}
    near(call("temperature.scale", params, positions=[position]), printed, slack=2.0**-52)
    flat = call("temperature.scale", params | {"beta": 0.0}, positions=[[position]])
    assert flat == Tensor("float64", (1, 1), (1.0,))
