"""The programs of the lecture texts."""

import numpy as np
import pytest
import rotation_oracle as oracle

import posref
from posref.adapters import Unsupported
from posref.adapters.founding import RotaryLayer


@pytest.fixture
def programs(framework):
    return framework("founding")


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-6), ("float64", 1e-14)])
def test_apply_rotates_adjacent_pairs(programs, call, dtype, tolerance):
    x = (np.arange(3 * 4 * 6).reshape(3, 4, 6) % 11 - 5) / 4
    tensors = [(x, dtype), ([7, 8, 9, 10], "int64")]
    kind, got = call(programs, "rope.apply", tensors, rotary_dim=6, base=1e4, pairing="adjacent")
    expected = [[oracle.rotate(x[h, t], 7 + t, 1e4, "adjacent", 6) for t in range(4)] for h in range(3)]
    assert kind == dtype
    np.testing.assert_allclose(got, expected, rtol=0, atol=2 * tolerance)


def test_sinusoid(programs, call):
    params = {"dim": 8, "base": 1e4, "denominator": "dim", "layout": "interleaved", "odd": "error"}
    kind, got = call(programs, "sinusoidal.encode", [([0, 1, 100], "int64")], **params, dtype="float32")
    expected = [oracle.sinusoid(p, 8, "dim", "interleaved") for p in (0, 1, 100)]
    assert kind == "float32"
    np.testing.assert_allclose(got, expected, atol=1e-5)


def test_an_odd_width_is_refused(programs, call):
    params = {"dim": 7, "base": 1e4, "denominator": "dim", "layout": "interleaved", "odd": "error"}
    with pytest.raises(ValueError, match="broadcast"):
        call(programs, "sinusoidal.encode", [([0, 1], "int64")], **params, dtype="float32")
    with pytest.raises(ValueError, match="width must be even"):
        RotaryLayer(3, 1e4, 8)


@pytest.mark.parametrize(
    ("base", "shape", "offset", "message"),
    [
        (1.0, (2, 4), 0, "base"),
        (float("nan"), (2, 4), 0, "base"),
        (1e4, (2, 6), 0, "x must be"),
        (1e4, (4,), 0, "x must be"),
        (1e4, (2, 4), -1, "rows -1 to 1"),
        (1e4, (2, 4), 7, "rows 7 to 9"),
    ],
)
def test_the_layer_checks_its_input(base, shape, offset, message):
    with pytest.raises(ValueError, match=message):
        RotaryLayer(4, base, 8)(np.ones(shape), offset)


@pytest.mark.parametrize(
    ("positions", "change"),
    [
        ([0, 2], {}),
        ([-1, 0], {}),
        ([4095, 4096], {}),
        ([0, 1], {"pairing": "half"}),
        ([0, 1], {"rotary_dim": 2}),
        ([0, 1], {"rotary_start": 2, "rotary_dim": 2}),
    ],
)
def test_what_the_layer_cannot_be_asked_is_unsupported(programs, call, positions, change):
    params = {"rotary_dim": 4, "base": 1e4, "pairing": "adjacent", **change}
    with pytest.raises(Unsupported):
        call(programs, "rope.apply", [(np.ones((2, 4)), "float64"), (positions, "int64")], **params)


@pytest.mark.filterwarnings(
    "ignore:.*encountered in:RuntimeWarning"
)  # NumPy's, on input that must be refused
def test_every_value_is_right_and_the_functions_check_nothing(programs, verdicts):
    report = posref.check(programs)
    for dtype in programs.dtypes:
        assert verdicts(report, "value", dtype, "fail", "error") == {}
    assert set(verdicts(report, "value", "float32", "pass")) == set(programs.operations) - {"rope.inv_freq"}
    assert set(verdicts(report, "value", "float64", "pass")) == {
        "rope.inv_freq",
        "rope.apply",
        "rope.apply_qk",
    }
    answered = verdicts(report, "invalid", "float32", "fail")
    assert {"sinusoidal-inv-freq-invalid-base-1", "sinusoidal-inv-freq-invalid-odd-dim"} <= answered[
        "sinusoidal.inv_freq"
    ]
    assert "rope.inv_freq" not in verdicts(report, "invalid", "float32", "fail", "error")
