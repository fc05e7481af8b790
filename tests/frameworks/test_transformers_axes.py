"""The transformers adapter: several axes, tables, buckets, windows, positions from masks."""

import math

import numpy as np
import pytest

from posref.adapters import Unsupported


@pytest.fixture
def models(framework):
    return framework("transformers")


@pytest.mark.parametrize(
    ("arrangement", "section", "expected"),
    [
        ("chunked", [2, 1, 1], [0, 0, 1, 2]),
        ("interleaved", [2, 1, 1], [0, 1, 2, 0]),
        ("hw_then_t", [2, 3, 3], [1, 2, 1, 2, 1, 2, 0, 0]),
    ],
)
def test_axis_of_channel(models, call, arrangement, section, expected):
    _, axes = call(models, "mrope.axis_of_channel", [], mrope_section=section, arrangement=arrangement)
    assert axes.tolist() == expected


def test_the_tail_of_the_interleaved_channels_is_time(models, call):
    params = {"mrope_section": [24, 20, 20], "arrangement": "interleaved"}
    _, axes = call(models, "mrope.axis_of_channel", [], **params)
    assert axes.tolist() == [0, 1, 2] * 20 + [0] * 4


@pytest.mark.parametrize(
    ("axes", "angles"), [([0, 0, 1, 2], [5, 0.5, 0.07, 0.009]), ([0, 1, 2, 0], [5, 0.7, 0.09, 0.005])]
)
def test_tables_of_three_axes(models, call, axes, angles):
    tensors = [([[5], [7], [9]], "int64"), ([1, 0.1, 0.01, 0.001], "float32"), (axes, "int64")]
    (_, cos), (_, sin) = call(models, "mrope.cos_sin", tensors, attention_factor=2.0, dtype="float32")
    np.testing.assert_allclose(cos, 2 * np.cos([angles]), rtol=1e-6)
    np.testing.assert_allclose(sin, 2 * np.sin([angles]), rtol=1e-6)
    with pytest.raises(Unsupported, match="these axes"):
        call(models, "mrope.cos_sin", [*tensors[:2], ([2, 0, 1, 0], "int64")], dtype="float32")


def ids(models, call, types, grids, interval, advance="max_hw"):
    tensors = [(types, "int64"), (np.array(grids).reshape(-1, 3), "int64")]
    tensors += [(np.array(interval).reshape(-1, 2), "int64")]
    (_, found), (_, delta) = call(
        models, "mrope.position_ids", tensors, spatial_merge_size=2, advance=advance
    )
    return found.tolist(), int(delta)


def test_position_ids_of_text_an_image_and_text(models, call):
    found, delta = ids(models, call, [0, 0, 1, 1, 0, 0], [[1, 2, 4]], [])
    assert found == [[0, 1, 2, 2, 4, 5], [0, 1, 2, 2, 4, 5], [0, 1, 2, 3, 4, 5]]
    assert delta == 0
    with pytest.raises(Unsupported, match="height and width"):
        ids(models, call, [0, 0], [], [], "max_thw")


def test_finding_text_after_a_video_goes_back_in_time(models, call):
    """The next position follows height and width, the delta time too: the two do not agree."""
    types = [0] * 3 + [2] * 24 + [0] * 3
    found, delta = ids(models, call, types, [[6, 4, 4]], [[2, 1]])
    assert max(found[0]) == 13
    assert [axis[-3:] for axis in found] == [[5, 6, 7]] * 3
    assert delta == 13 + 1 - len(types)
    assert delta != 7 + 1 - len(types)


def test_finding_neighbouring_media_are_one_run(models, call):
    """Tokens are grouped by type, a grid a group: two images side by side are an error."""
    with pytest.raises(RuntimeError, match="expanded size"):
        ids(models, call, [0, 1, 1], [[1, 2, 2], [1, 2, 2]], [])


def test_finding_ernie_needs_channels_of_time(models, call):
    """Its frequencies are cut at minus the number of time channels, which for 0 is everything."""
    with pytest.raises(RuntimeError, match="expanded size"):
        call(models, "mrope.axis_of_channel", [], mrope_section=[0, 2, 2], arrangement="hw_then_t")


MAE = [0.909297427, 0.019998667, -0.416146837, 0.999800007, 0.841470985, 0.009999833, 0.540302306, 0.99995]


@pytest.mark.parametrize(("order", "expected"), [("x_first", MAE), ("y_first", MAE[4:] + MAE[:4])])
def test_rows_of_two_axes(models, call, order, expected):
    params = {"dim": 8, "base": 1e4, "denominator": "dim", "axis_order": order, "layout": "axis_major"}
    tensors = [([1, 0], "int64"), ([2, 0], "int64")]
    _, got = call(models, "sincos2d.encode", tensors, **params, dtype="float32")
    np.testing.assert_allclose(got, [expected, [0, 0, 1, 1] * 2], atol=1e-6)
    with pytest.raises(Unsupported, match="sines and cosines"):
        call(models, "sincos2d.encode", tensors, **{**params, "layout": "component_major"}, dtype="float32")


def test_learned_rows(models, call):
    table = (np.arange(12.0).reshape(6, 2), "bfloat16")
    for offset in (0, 2):
        kind, rows = call(models, "learned.lookup", [table, ([[3, 0]], "int64")], offset=offset)
        assert kind == "bfloat16"
        assert rows.tolist() == [[[6 + 2 * offset, 7 + 2 * offset], [2 * offset, 2 * offset + 1]]]
    with pytest.raises(IndexError):
        call(models, "learned.lookup", [table, ([6], "int64")], offset=0)
    with pytest.raises(Unsupported):
        call(models, "learned.lookup", [table, ([0], "int64")], offset=1)


def test_finding_a_negative_position_is_a_row_of_opt(models, call):
    """Positions are shifted by 2 and not checked before: -1 and -2 are rows 1 and 0."""
    table = (np.arange(12.0).reshape(6, 2), "float32")
    _, rows = call(models, "learned.lookup", [table, ([-1, -2], "int64")], offset=2)
    assert rows.tolist() == [[2, 3], [0, 1]]


@pytest.mark.parametrize(
    ("rule", "pad_value", "padding_idx", "expected"),
    [
        ("arange", None, None, [[0, 1, 2, 3]]),
        ("cumsum", 0, None, [[0, 0, 0, 1]]),
        ("roberta", None, 1, [[1, 2, 1, 3]]),
        ("opt", None, None, [[1, 2, 1, 3]]),
    ],
)
def test_positions_from_a_mask(models, call, rule, pad_value, padding_idx, expected):
    params = {"rule": rule, "pad_value": pad_value, "padding_idx": padding_idx}
    _, got = call(models, "positions.from_mask", [([[0, 1, 0, 1]], "int64")], **params)
    assert got.tolist() == expected
    with pytest.raises(Unsupported):
        call(models, "positions.from_mask", [([[0, 2]], "int64")], **params)
    with pytest.raises(Unsupported):
        call(models, "positions.from_mask", [([[0, 1]], "int64")], **{**params, "pad_value": 7})


def test_buckets_of_t5(models, call):
    params = {"num_buckets": 32, "max_distance": 128}
    far = [-128, -64, -32, -16, -9, -8, -7, 0, 1, 8, 16, 64, 128]
    _, both = call(models, "t5.bucket", [(far, "int64")], **params, bidirectional=True)
    assert both.tolist() == [15, 14, 12, 10, 8, 8, 7, 0, 17, 24, 26, 30, 31]
    past = [5, -15, -16, -20, -32, -64, -113, -128]
    _, one = call(models, "t5.bucket", [(past, "int64")], **params, bidirectional=False)
    assert one.tolist() == [0, 15, 16, 17, 21, 26, 31, 31]
    table = np.arange(64.0).reshape(32, 2)
    tensors = [(table, "float32"), ([4, 5], "int64"), ([0, 1, 2, 3, 4, 5], "int64")]
    _, bias = call(models, "t5.bias", tensors, **params, bidirectional=False)
    assert bias[1].tolist() == [[9, 7, 5, 3, 1, 1], [11, 9, 7, 5, 3, 1]]


def test_buckets_of_deberta(models, call):
    params = {"position_buckets": 256, "max_relative_positions": 512}
    far = [127, 128, 129, 200, 256, 511, -129]
    _, found = call(models, "deberta.bucket", [(far, "int64")], **params, clamp_first=False)
    assert found.tolist() == [127, 128, 129, 169, 192, 255, -129]
    with pytest.raises(Unsupported):
        call(models, "deberta.bucket", [(far, "int64")], **params, clamp_first=True)


def test_rows_of_wav2vec2_bert(models, call):
    tensors = [([0, 1, 2, 3, 4], "int64"), ([0, 1, 2, 3, 4], "int64")]
    _, index = call(models, "shaw.index", tensors, clip_left=2, clip_right=1)
    assert index[0].tolist() == [2, 3, 3, 3, 3]
    assert index[4].tolist() == [0, 0, 0, 1, 2]
    with pytest.raises(Unsupported):
        call(models, "shaw.index", [([5], "int64"), tensors[1]], clip_left=2, clip_right=1)


def test_windows_of_swin(models, call):
    _, index = call(models, "swin.index", [], window=[2, 2])
    assert index.tolist() == [[4, 3, 1, 0], [5, 4, 2, 1], [7, 6, 4, 3], [8, 7, 5, 4]]
    _, coords = call(models, "swin.log_coords", [], window=[8, 8], pretrained_window=None, dtype="float32")
    assert coords.shape == (15, 15, 2)
    np.testing.assert_allclose(
        coords[7, 7:, 1][[0, 1, 2, 7]], [0, 0.366511891, 0.572069011, 1.056641667], rtol=1e-6
    )
    np.testing.assert_array_equal(coords[..., 0], coords[..., 1].T)


def test_finding_a_window_of_one_row_is_not_normalised(models, call):
    """Swin v2 asks whether the height is above 1, and divides both axes; a pretrained width of 1 is 0/0."""
    params = {"window": [1, 4], "pretrained_window": None}
    _, coords = call(models, "swin.log_coords", [], **params, dtype="float32")
    np.testing.assert_allclose(coords[0, 6, 1], math.log2(1 + 8 * 3) / 3, rtol=1e-6)
    params = {"window": [4, 1], "pretrained_window": [4, 1]}
    _, coords = call(models, "swin.log_coords", [], **params, dtype="float32")
    assert np.isnan(coords[..., 1]).all()


def test_scale_of_ministral(models, call):
    params = {"beta": 0.1, "floor_scale": 8192, "plus_one": False, "dtype": "float32"}
    _, scale = call(models, "temperature.scale", [([[8191, 8192, 16383]], "int64")], **params)
    np.testing.assert_allclose(scale, [[1, 1.0693147180559945, 1.0693147180559945]], rtol=1e-6)
    with pytest.raises(Unsupported):
        call(models, "temperature.scale", [([0], "int64")], **{**params, "plus_one": True})


def test_finding_the_step_of_the_scale_is_a_rounded_quotient(models, call):
    """The position is divided in float32 before the floor is taken: just below a large step it is on it."""
    params = {"beta": 1.0, "floor_scale": 2**25, "plus_one": False, "dtype": "float32"}
    _, scale = call(models, "temperature.scale", [([2**25 - 1], "int64")], **params)
    np.testing.assert_allclose(scale, [1 + math.log(2)], rtol=1e-6)


def test_slopes_of_falcon_are_bfloat16(models, call):
    """Falcon rounds its slopes before it multiplies them by key indices."""
    slopes = 2.0 ** -np.arange(1, 9)
    extra = np.float32(2.0 ** -(np.arange(1, 9, 2) / 2))
    rounded = (extra.view(np.uint32) + 0x7FFF + (extra.view(np.uint32) >> 16 & 1)) & np.uint32(0xFFFF0000)
    heads = np.concatenate([slopes, rounded.view(np.float32)])
    tensors = [([2], "int64"), ([0, 1, 2], "int64"), (heads, "float32")]
    _, bias = call(models, "alibi.bias", tensors, form="key_index", future="keep", dtype="float32")
    np.testing.assert_array_equal(bias[:, 0], heads[:, None] * [0, 1, 2])


def test_finding_slopes_beyond_the_range_of_float32_vanish(models, call):
    """MPT takes the reciprocal of a power, which is infinite where the slope would be subnormal."""
    _, slopes = call(models, "alibi.slopes", [], num_heads=4, bias_max=140.0, dtype="float32")
    np.testing.assert_allclose(slopes[:3], 2.0 ** -np.array([35.0, 70, 105]), rtol=1e-6)
    assert slopes[3] == 0
