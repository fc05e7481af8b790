"""Golden relative terms against numbers worked by hand or printed in public reports."""

import pytest
from golden_calls import near

from posref.corpus.certify import certify
from posref.corpus.engine_arb import ArbReal
from posref.corpus.engine_mpmath import MpmathReal
from posref.golden import deberta, t5
from posref.operation import Tensor


def test_shaw_index(call):
    params = {"clip_left": 2, "clip_right": 2}
    index = call("shaw.index", params, q_positions=[0, 1, 2, 3, 4], k_positions=[0, 1, 2, 3, 4])
    assert index.data == (2, 3, 4, 4, 4, 1, 2, 3, 4, 4, 0, 1, 2, 3, 4, 0, 0, 1, 2, 3, 0, 0, 0, 1, 2)
    far = call("shaw.index", {"clip_left": 16, "clip_right": 16}, q_positions=[0], k_positions=[40, -40])
    assert far.data == (32, 0)
    uneven = {"clip_left": 3, "clip_right": 0}
    assert call("shaw.index", uneven, q_positions=[0], k_positions=[-4, -3, -2, 0, 1]).data == (0, 0, 1, 3, 3)
    wide = {"clip_left": 2**53, "clip_right": 2**53}
    ends = call("shaw.index", wide, q_positions=[0], k_positions=[-(2**53), 0, 2**53])
    assert ends.data == (0, 2**53, 2**54)
    none = call("shaw.index", {"clip_left": 0, "clip_right": 0}, q_positions=[0, 9], k_positions=[5, 9])
    assert none.data == (0,) * 4


def test_shaw_scores_and_output(call):
    table = [[1.0, 0.0], [0.0, 1.0], [10.0, 20.0]]
    heads = {"q": [[[1.0, 2.0]], [[0.0, 3.0]]], "k": [[[1.0, 1.0], [0.5, -1.0]]] * 2}
    scores = call("shaw.scores", {"scale": 0.5}, **heads, table_k=table, index=[[0, 2]])
    assert scores.data == (0.5 * (3 + 1), 0.5 * (-1.5 + 50), 0.5 * (3 + 0), 0.5 * (-3 + 60))
    inputs = {"weights": [[0.25, 2.0]], "v": [[1.0, 2.0, 3.0], [-1.0, 0.5, 0.0]]}
    rows = [[4.0, 0.0, 0.0], [0.0, 8.0, 1.0]]
    y = call("shaw.output", {}, **inputs, table_v=rows, index=[[1, 0]])
    assert y.data == (0.25 * 1 + 2 * 3, 0.25 * 10 + 2 * 0.5, 0.25 * 4 + 0)


def test_shaw_output_of_no_keys_is_zero():
    inputs = {
        "weights": Tensor("float32", (2, 0), ()),
        "v": Tensor("float32", (0, 3), ()),
        "table_v": Tensor("float32", (1, 3), (1.0, 2.0, 3.0)),
        "index": Tensor("int64", (2, 0), ()),
    }
    for engine in (MpmathReal, ArbReal):
        found = certify(engine, "shaw.output", inputs, {}, ["float32"])["y"]["float32"]
        assert found == (Tensor("float32", (2, 3), (0.0,) * 6), "0" * 6)


def buckets(call, relative, count, distance, bidirectional):
    params = {"num_buckets": count, "max_distance": distance, "bidirectional": bidirectional}
    return call("t5.bucket", params, relative_position=relative).data


def test_t5_buckets(call):
    both = [-128, -64, -32, -16, -9, -7, 0, 1, 8, 16, 64, 128]
    assert buckets(call, both, 32, 128, True) == (15, 14, 12, 10, 8, 7, 0, 17, 24, 26, 30, 31)
    past = [5, 0, -15, -16, -20, -32, -64, -113, -128, -(2**54)]
    assert buckets(call, past, 32, 128, False) == (0, 0, 15, 16, 17, 21, 26, 31, 31, 31)
    assert buckets(call, [-64, -128], 64, 256, True) == (24, 28)
    assert buckets(call, [-10], 20, 160, True) == (6,)
    assert buckets(call, [[-20, -16], [-12, -1]], 32, 128, False) == (17, 16, 12, 1)
    assert call("t5.bucket", T5, relative_position=-5) == Tensor("int64", (), (5,))


T5 = {"num_buckets": 32, "max_distance": 128, "bidirectional": False}


def test_t5_bucket_starts(call):
    for bidirectional, starts in (
        (True, [8, 12, 16, 23, 32, 46, 64, 91]),
        (False, [16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]),
    ):
        found = buckets(call, [-n for n in range(200)], 32, 128, bidirectional)
        first = len(starts)
        assert found[: first + 1] == tuple(range(first + 1))
        assert [found.index(bucket) for bucket in range(first, 2 * first)] == starts
        assert found[-1] == 2 * first - 1


@pytest.mark.parametrize(("count", "distance"), [(2, 2), (3, 5), (7, 9), (12, 7), (32, 128), (20, 1000)])
def test_t5_buckets_are_those_of_the_inequality(count, distance):
    exact = count // 2
    rest = count - exact
    found = t5.bucket(
        None,
        [-n for n in range(distance + 40)],
        num_buckets=count,
        max_distance=distance,
        bidirectional=False,
    )
    for n, bucket in enumerate(found):
        if n < exact:
            assert bucket == n
            continue
        k = bucket - exact
        assert n**rest * exact**k >= distance**k * exact**rest
        last = bucket == count - 1
        assert last or n**rest * exact ** (k + 1) < distance ** (k + 1) * exact**rest


def test_t5_bias_moves_entries_by_head(call):
    table = [[float(bucket), -0.0] for bucket in range(32)]
    params = {"num_buckets": 32, "max_distance": 128, "bidirectional": False}
    bias = call("t5.bias", params, table=table, q_positions=[20], k_positions=[0, 4, 8, 19, 20])
    assert bias.shape == (2, 1, 5)
    assert bias.data[:5] == (17.0, 16.0, 12.0, 1.0, 0.0)
    assert str(bias.data[5:]) == str((-0.0,) * 5)
    batch = call("t5.bias", params, table=table, q_positions=[[1], [2]], k_positions=[0, 1])
    assert batch.shape == (2, 2, 1, 2)
    assert batch.data[:2] + batch.data[4:6] == (1.0, 0.0, 2.0, 1.0)


DEBERTA = {"position_buckets": 256, "max_relative_positions": 512, "clamp_first": False}


def test_deberta_buckets(call):
    relative = [127, 128, 129, 200, 256, 511, 512, -129, -127, 0, -512, 600]
    found = call("deberta.bucket", DEBERTA, relative_position=relative)
    assert found.data == (127, 128, 129, 169, 192, 255, 256, -129, -127, 0, -256, 270)
    clamped = call("deberta.bucket", DEBERTA | {"clamp_first": True}, relative_position=[600, -512, 511])
    assert clamped.data == (255, -255, 255)
    two = {"position_buckets": 2, "max_relative_positions": 9, "clamp_first": False}
    assert call("deberta.bucket", two, relative_position=[-5, -1, 0, 1, 7]).data == (-1, -1, 0, 1, 1)


@pytest.mark.parametrize(("count", "farthest"), [(4, 4), (4, 9), (10, 40), (64, 70), (256, 512)])
def test_deberta_buckets_are_those_of_the_inequality(count, farthest):
    middle = count // 2
    found = deberta.bucket(
        None,
        list(range(-farthest - 20, farthest + 20)),
        position_buckets=count,
        max_relative_positions=farthest,
        clamp_first=False,
    )
    assert found[1:] == [-bucket for bucket in found[:0:-1]]
    for distance, bucket in enumerate(found[farthest + 20 :]):
        if distance <= middle:
            assert bucket == distance
            continue
        k = bucket - middle
        power, unit = distance ** (middle - 1), middle ** (middle - 1)
        assert power * middle**k <= (farthest - 1) ** k * unit
        assert power * middle ** (k - 1) > (farthest - 1) ** (k - 1) * unit


def test_deberta_scores(call):
    inputs = {"q": [[[1.0, 2.0]]], "k": [[[3.0, 4.0], [5.0, 6.0]]], "index": [[1, 0]]}
    tables = {"pos_q": [[[10.0, 0.0], [0.0, 10.0]]], "pos_k": [[[100.0, 0.0], [0.0, 100.0]]]}
    terms = {"c2c": (11.0, 17.0), "c2p": (200.0, 100.0), "p2c": (40.0, 50.0)}
    for chosen in (["c2c"], ["c2p"], ["p2c"], ["p2c", "c2c"], ["c2c", "c2p", "p2c"]):
        found = call("deberta.scores", {"terms": chosen, "scale": 0.5}, **inputs, **tables)
        assert found.data == tuple(0.5 * sum(terms[name][key] for name in chosen) for key in range(2))


def test_transformer_xl_scores(call):
    distances = [3, -1, 0, 2, 1]
    inputs = {
        "q": [[[1.0], [2.0]]],
        "k": [[[1.0], [0.0], [3.0], [-1.0]]],
        "r": [[[float(10 ** (3 + n))] for n in (3, -1, 0, 2, 1)]],
        "u": [[4.0]],
        "v": [[-1.5]],
        "q_positions": [2, 3],
        "k_positions": [0, 1, 2, 3],
    }
    found = call("transformer_xl.scores", {"scale": 2.0}, distances=distances, **inputs).data
    # Distances [2 1 0 -1] and [3 2 1 0], each seen as a power of ten.
    expected = []
    for query, row in ((1.0, (2, 1, 0, -1)), (2.0, (3, 2, 1, 0))):
        for key, distance in zip((1.0, 0.0, 3.0, -1.0), row, strict=True):
            expected.append(2 * ((query + 4) * key + (query - 1.5) * 10.0 ** (3 + distance)))
    assert found == tuple(expected)


def test_transformer_xl_has_its_own_vectors_a_head(call):
    inputs = {"q": [[[1.0]], [[2.0]]], "k": [[[3.0]], [[5.0]]], "r": [[[7.0]], [[11.0]]]}
    found = call(
        "transformer_xl.scores",
        {"scale": 1.0},
        **inputs,
        distances=[4],
        u=[[1.0], [2.0]],
        v=[[10.0], [20.0]],
        q_positions=[4],
        k_positions=[0],
    )
    assert found.data == (2 * 3 + 11 * 7, 4 * 5 + 22 * 11)


def test_swin_index(call):
    index = call("swin.index", {"window": [2, 2]})
    places = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert index.shape == (4, 4)
    assert index.data == tuple((y - b) * 3 + (x - a) + 4 for y, x in places for b, a in places)
    assert call("swin.index", {"window": [1, 3]}).data == (2, 1, 0, 3, 2, 1, 4, 3, 2)
    assert call("swin.index", {"window": [2, 1]}).data == (1, 0, 2, 1)


def test_swin_log_coordinates(call):
    coords = call("swin.log_coords", {"window": [8, 1], "pretrained_window": None})
    assert coords.shape == (15, 1, 2)
    assert set(coords.data[1::2]) == {0.0}
    chosen = Tensor("float64", (4,), tuple(coords.data[2 * (7 + n)] for n in (0, 1, 2, 7)))
    near(chosen, "0 0.366511891 0.572069011 1.056641667")
    dy = coords.data[::2]
    assert dy == tuple(-value for value in dy[::-1])
    # With 9 trained, offsets 1, 3 and 7 are powers of two: thirds exactly.
    exact = call("swin.log_coords", {"window": [2, 8], "pretrained_window": [9, 9]})
    assert exact.shape == (3, 15, 2)
    dx = exact.data[1:30:2]
    assert (dx[8], dx[10], dx[14], dx[0]) == (1 / 3, 2 / 3, 1.0, -1.0)
    assert exact.data[::2] == (-1 / 3,) * 15 + (0.0,) * 15 + (1 / 3,) * 15
