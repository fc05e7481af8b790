"""Adapters of libraries that are not torch: why some of their answers are wrong, from each library's source.

A finding is a fault (the code does not do what its documentation says), or a difference (of
convention, or of precision). All that is wrong stands in the matrix (test_matrix.py).
"""

import math

import numpy as np
import pytest

import posref


@pytest.fixture(scope="module")
def reports(framework):
    kept = {}

    def report(name):
        if name not in kept:
            kept[name] = posref.check(framework(name))
        return kept[name]

    return report


def test_mlx_bias_is_minus_the_distance(framework, call):
    heads = [2.0**-1, 2.0**-2, 2.0**-3, 2.0**-4, 2.0**-5, 2.0**-6, 2.0**-7, 2.0**-8]
    tensors = [([1, 2], "int64"), ([0, 1, 2], "int64"), (heads, "float32")]
    params = {"form": "neg_abs", "future": "keep", "dtype": "float32"}
    _, bias = call(framework("mlx"), "alibi.bias", tensors, **params)
    assert bias.shape == (8, 2, 3)
    assert bias[1].tolist() == [[-0.25, 0, -0.25], [-0.5, -0.25, 0]]


def unit(implementation, call, positions, *, width=8, dtype="float32", **params):
    x = np.zeros((len(positions), width))
    x[:, 0] = 1
    rest = {"rotary_dim": width, "base": 1e4, "pairing": "half", **params}
    tensors = [(x, dtype), (positions, "int64")]
    return call(implementation, "rope.apply", tensors, **rest)[1][:, 0]


def test_finding_equinox_keeps_a_table_without_its_base(framework):
    """Fault: internal_rope_embedding_cache is keyed by (embedding_size, dtype); theta is not in the key."""
    equinox = framework("equinox")
    x = equinox.write(np.eye(2, 24), "float32")
    objects = [
        equinox.sessions["rope.apply"](rotary_dim=24, base=base, pairing="half") for base in (1e4, 1e6)
    ]
    first, second = (equinox.read(one(x, equinox.write(np.array([0, 1]), "int64")))[1] for one in objects)
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("length", [1, 4096])
def test_finding_mlx_lm_never_uses_short_factor(framework, call, length):
    """Fault: SuScaledRoPE documents short_factor for short sequences, and reads long_factor alone."""
    scaling = {
        "rope_type": "longrope",
        "factor": 1.0,
        "original_max_position_embeddings": 4096,
        "short_factor": [1.0] * 4,
        "long_factor": [4.0] * 4,
    }
    got = unit(framework("mlx_lm"), call, [4], scaling=scaling, seq_len=length)
    np.testing.assert_allclose(got, math.cos(1), rtol=1e-6)


def test_finding_mlx_forms_exponents_from_the_lowest_frequency(framework, module):
    """Difference of precision: the layer computes exp((1 - i/(n-1)) ln b - ln b), which cancels.

    At pair 4 of width 1024 the frequency is off by 12 units of 2^-24, where the widest form that the
    bounds know loses 11: one element of M2M-100's rows is 0.2 % beyond its bound.
    """
    framework("mlx")
    layer = module("mlx.nn", named="mlx").SinusoidalPositionalEncoding(1024, min_freq=1e-4, scale=1.0)
    exact = 1e4 ** (-np.arange(512) / 511)
    off = np.abs(np.array(layer._sigmas).astype(float) / exact - 1) * 2**24
    assert 11 < off[4] < 13
    assert 16 < off.max() < 17.5


def test_finding_keras_hub_dynamic_slows_every_pair(framework, call):
    """Fault: rope_type "dynamic" divides all frequencies by s^(d/(d-2)), the factor of the base.

    The first pair is then slowed by 2.52 at width 8 and factor 2; a changed base leaves it alone.
    """
    got = unit(framework("keras_hub"), call, [1], scaling={"rope_type": "ntk", "factor": 2.0})
    np.testing.assert_allclose(got, math.cos(2 ** -(8 / 6)), rtol=1e-6)
    assert abs(got[0] - math.cos(1)) > 0.3


def test_finding_keras_hub_sinusoid_angles_have_the_dtype_of_the_layer(reports, verdicts):
    """Fault: SinePositionEncoding computes frequency and angle in compute_dtype; float16 ones overflow."""
    report = reports("keras_hub")
    for dtype, count in (("bfloat16", 8), ("float16", 9)):
        assert len(verdicts(report, "value", dtype, "fail")["sinusoidal.encode"]) == count
    assert "sinusoidal.encode" not in verdicts(report, "value", "float64", "fail", "error")


def test_finding_keras_hub_swin_windows_must_be_square(framework, call):
    """Fault: meshgrid has its default indexing "xy", so a window of 2 rows is laid out as 3 rows.

    The layers that ship have square windows, for which both layouts are one.
    """
    _, got = call(framework("keras_hub"), "swin.index", [], window=[2, 3])
    assert got[0, :3].tolist() != [7, 6, 5]
    _, square = call(framework("keras_hub"), "swin.index", [], window=[2, 2])
    assert square[0].tolist() == [4, 3, 1, 0]


def test_finding_keras_hub_t5_distances_have_32_bits(framework, call):
    """Documented difference: relative_position is "an int32 Tensor"; a wider one is wrapped by minimum."""
    params = {"num_buckets": 32, "max_distance": 128, "bidirectional": False}
    _, got = call(framework("keras_hub"), "t5.bucket", [([-(2**31) + 1, -(2**31) - 1], "int64")], **params)
    assert got.tolist() == [31, 0]


def test_finding_keras_hub_deberta_logarithms_pass_the_last_bucket(framework, call):
    """Difference of precision: a float32 logarithm of the largest distance is rounded up past its bucket."""
    params = {"position_buckets": 64, "max_relative_positions": 512, "clamp_first": False}
    _, got = call(framework("keras_hub"), "deberta.bucket", [([511], "int64")], **params)
    assert got.tolist() == [64]


def test_finding_tinygrad_cuts_the_batch_of_a_table(framework, call):
    """Fault: onnx.RotaryEmbedding takes cos_cache[:head_size], which is rows of the batch, not of a table."""
    shape = {"x": (3, 1, 2), "cos": (3, 1, 1), "sin": (3, 1, 1)}
    tensors = [(np.ones(size), "float32") for size in shape.values()]
    with pytest.raises(IndexError, match="broadcast"):
        call(framework("tinygrad"), "rope.rotate", tensors, pairing_in="half", pairing_out="half")


def test_finding_tinygrad_cosines_are_sines_of_a_shifted_angle(framework, call):
    """Difference of precision: pi/2 - x is rounded to float32, so a cosine near a zero loses its digits."""
    got = unit(framework("tinygrad"), call, [11], width=2)
    assert 1e-8 < abs(got[0] - math.cos(11)) < 1e-6
    assert abs(np.float32(math.cos(11)) - math.cos(11)) < 1e-9


def test_finding_what_must_be_refused_is_answered(reports, verdicts):
    for name, case in (
        ("ggml", "rope-apply-invalid-base-1"),
        ("mlx", "rope-apply-invalid-base-1"),
        ("penzai", "rope-apply-invalid-base-1"),
        ("onnxruntime", "rope-rotate-invalid-infinite"),
    ):
        answered = verdicts(reports(name), "invalid", "float32", "fail")
        assert case in {one for cases in answered.values() for one in cases}, name
