"""The bounds at work: implementations with a known mistake are rejected by the default claims."""

import _honest
import _trials
import numpy as np
import pytest
from _trials import LLAMA, X

from posref.bounds.model import DEFAULT_CLAIM


def refused(trial, wrong, dtype):
    """Return where the bound rejects `wrong`, informative elements only."""
    ((_, _, fine, vain),) = _trials.judged(trial, DEFAULT_CLAIM[dtype], [wrong], dtype).values()
    return ~fine & ~vain


def turned(dtype, position, **changes):
    """Return what an eager implementation of `dtype` gives with changed arguments."""
    short = {"bfloat16": "bfloat16", "float16": "float16"}.get(dtype, "float32")
    pipeline = _honest.Pipeline("", dtype, "reciprocal", stored=short, work=short)
    return pipeline.rope_apply(X, np.array([position]), **LLAMA | changes)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize(
    ("position", "wrong", "least"),
    [
        (1, lambda d: turned(d, 1, pairing="adjacent"), 20),
        (100, lambda d: turned(d, 100, base=500000.0), 60),
        (1, lambda d: turned(d, 2), 30),
        (1000, lambda d: turned(d, 1001), 30),
        (17, lambda d: turned(d, -17), 60),
        (3, lambda d: turned(d, 3, rotary_dim=64), 60),
    ],
    ids=["pairing", "base", "off-by-one-near", "off-by-one-far", "sign", "width"],
)
def test_wrong_rotation_is_rejected(dtype, position, wrong, least):
    trial = _trials.Trial("rope.apply", {"x": X, "positions": np.array([position])}, LLAMA)
    assert refused(trial, wrong(dtype), dtype).sum() >= least


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_angle_is_rejected(dtype):
    faulty = _honest.Pipeline("", dtype, "reciprocal", angle=dtype, stored=dtype, work=dtype)
    trial = _trials.Trial("rope.apply", {"x": X, "positions": np.array([1857])}, LLAMA)
    assert refused(trial, faulty.rope_apply(*trial.tensors(), **LLAMA), dtype).sum() > 60


def test_fast_sine_is_rejected_where_the_frequency_is_one():
    # the error reported of a GPU's fast intrinsics at this position, where the angle is the position
    params = {"dim": 64, "base": 10000.0, "denominator": "dim", "layout": "sin_cos", "odd": "error"}
    trial = _trials.Trial("sinusoidal.encode", {"positions": np.array([131071])}, params)
    wrong = _trials.truth(trial)["table"] + np.where(np.arange(64) == 0, 1e-2, 0.0)
    assert refused(trial, wrong, "float32")[..., 0].all()


@pytest.mark.parametrize(("frequency", "caught"), [(1.0, True), (0.7, False)])
def test_single_precision_two_pi_is_rejected_where_the_angle_is_exact(frequency, caught):
    position = np.array([5000.0])
    turns = position * np.float32(frequency) / np.float64(np.float32(2 * np.pi))
    wrong = np.cos(2 * np.pi * (turns - np.rint(turns)))[..., None]
    table = {"positions": position, "inv_freq": np.array([float(np.float32(frequency))])}
    trial = _trials.Trial("rope.cos_sin", table, {"attention_factor": 1.0})
    sine = _trials.truth(trial)["sin"]
    assert _trials.judged(trial, "f32-angle", [wrong, sine], "float32")["cos"][2].any() == (not caught)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_wrong_slopes_are_rejected(dtype):
    heads = {"num_heads": 12, "bias_max": 8.0, "head_start": 0, "head_count": None}
    plain = 2.0 ** (-8.0 * np.arange(1, 13) / 12)
    assert refused(_trials.Trial("alibi.slopes", {}, heads), plain, dtype).sum() >= 9


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_unscaled_scores_and_uniform_weights_are_rejected(dtype):
    q, k = X[0, :, :64], X[0, :, 64:]
    scores = _trials.Trial("attention.scores", {"q": q, "k": k}, {"scale": 0.125})
    assert refused(scores, _trials.truth(scores)["scores"] * 8, dtype).all()
    keys = X[0, 0].reshape(8, 16)
    output = _trials.Trial("attention.output", {"q": X[0, :, :16], "k": keys, "v": keys}, {"scale": 0.25})
    assert refused(output, np.mean(keys, axis=0, keepdims=True), dtype).sum() >= 12


@pytest.mark.parametrize("wrong", [0.7 * 7, -0.7 * 6], ids=["sign", "distance"])
def test_wrong_bias_is_rejected(wrong):
    table = {"q_positions": np.array([9]), "k_positions": np.array([2]), "slopes": np.array([0.7])}
    trial = _trials.Trial("alibi.bias", table, {"form": "neg_distance", "future": "keep"})
    assert refused(trial, np.full((1, 1, 1), wrong), "bfloat16").all()
