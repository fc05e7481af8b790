"""Bounds of the schemes with several axes: the honest stay inside, nothing is slack, zeros are exact."""

from functools import cache

import _trials
import honest_axes as honest
import numpy as np
import pytest
from _trials import Trial

from posref import operation
from posref.bounds.model import DEFAULT_CLAIM, MODELS, bound

PIPELINES = tuple(honest.pipelines())
OPERATIONS = {"axial_rope.cos_sin", "mrope.cos_sin", "temperature.scale"}
LLAMA = {"beta": 0.1, "floor_scale": 8192, "plus_one": True}


@cache
def figures():
    return _trials.by_operation(_trials.figures(PIPELINES, honest.trials()))


def test_honest_implementations_are_accepted():
    refused, most = figures()
    assert refused == []
    assert {claim for claim, *_ in most} == set(MODELS)
    assert {name for _, _, name in most} == OPERATIONS


def test_no_honest_error_exceeds_its_bound():
    _, most = figures()
    assert max(most.values()) <= 1


def test_no_bound_is_slack():
    _, most = figures()
    assert {key: ratio for key, ratio in most.items() if ratio < 0.1} == {}


def allowed(trial, dtype):
    """Return the allowed distances of each output."""
    real = _trials.truth(trial)
    found = bound(trial.operation, DEFAULT_CLAIM[dtype], trial.inputs, trial.params, real, dtype)
    return [limits for limits, _ in found.values()]


@pytest.mark.parametrize("dtype", operation.DTYPES)
def test_a_sine_is_exact_where_its_own_axis_is_at_zero(dtype):
    inputs = {
        "positions": np.array([[0, 4], [3, 0]]),
        "inv_freq": np.array([0.3, 0.7]),
        "axis_of_channel": np.array([1, 0]),
    }
    cos, sin = allowed(Trial("mrope.cos_sin", inputs, {"attention_factor": 1.0}), dtype)
    assert (sin > 0).tolist() == [[True, False], [False, True]]
    assert (cos > 0).all()
    params = {"axis_dims": [2, 4], "base": 100.0, "frequencies": "reset"}
    _, sin = allowed(Trial("axial_rope.cos_sin", {"positions": np.array([[0, 5], [5, 0]])}, params), dtype)
    assert (sin > 0).tolist() == [[False, True, True], [True, False, False]]


def test_the_first_frequency_of_each_ladder_costs_nothing():
    place = {"positions": np.array([[1400, 1400]])}
    known, other = (
        allowed(
            Trial("axial_rope.cos_sin", place, {"axis_dims": [4, 4], "base": 1e4, "frequencies": rule}),
            "float32",
        )[1][0]
        for rule in ("reset", "shared_even_odd")
    )
    # an ulp and a half of the table against an angle of 140 that is off by some ten roundings
    assert known[[0, 2]].max() < 4 * 2.0**-24
    assert other[0] < 4 * 2.0**-24
    assert other[2] > 140 * 2.0**-24


@pytest.mark.parametrize("dtype", operation.DTYPES)
def test_the_first_step_is_exactly_one_and_so_is_strength_0(dtype):
    positions = {"positions": np.array([-1, 0, 8190, 8191, 2**53])}
    assert (allowed(Trial("temperature.scale", positions, LLAMA), dtype)[0] > 0).tolist() == [
        False, False, False, True, True,
    ]  # fmt: skip
    assert not allowed(Trial("temperature.scale", positions, LLAMA | {"beta": 0.0}), dtype)[0].any()


# mistakes are refused in every dtype that can show them


def refused(trial, wrong, dtype):
    """Return where the bound rejects `wrong`, informative elements only, of each output."""
    judged = _trials.judged(trial, DEFAULT_CLAIM[dtype], wrong, dtype).values()
    return [~fine & ~vain for _, _, fine, vain in judged]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_other_rule_for_frequencies_is_refused(dtype):
    place = {"positions": np.array([[3, 5]])}
    trial, other = (
        Trial("axial_rope.cos_sin", place, {"axis_dims": [4, 4], "base": 1e4, "frequencies": rule})
        for rule in ("reset", "shared_even_odd")
    )
    _, sin = refused(trial, list(_trials.truth(other).values()), dtype)
    # 3 * 1 is the same; 3 / 100 too; 5 against 0.5; 0.05 against 0.005
    assert sin.tolist() == [[False, False, True, True]]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_other_origin_of_steps_is_refused_at_the_token_before_a_multiple(dtype):
    positions = {"positions": np.array([8190, 8191, 8192, 16383])}
    trial, other = (
        Trial("temperature.scale", positions, LLAMA | {"plus_one": rule}) for rule in (True, False)
    )
    wrong = refused(trial, list(_trials.truth(other).values()), dtype)[0]
    assert wrong.tolist() == [False, True, False, True]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_half_precision_angle_is_refused(dtype):
    faulty = honest.Pipeline("", dtype, "reciprocal", angle=dtype, stored=dtype, work=dtype)
    inputs = {
        "positions": np.array([[249], [187]]),
        "inv_freq": np.array([1.0, 0.7, 0.3, 0.9]),
        "axis_of_channel": np.array([0, 1, 0, 1]),
    }
    trial = Trial("mrope.cos_sin", inputs, {"attention_factor": 1.0})
    cos, sin = refused(trial, faulty.mrope_cos_sin(*trial.tensors(), **trial.params), dtype)
    assert (cos | sin).tolist() == [[False, True, True, True]]
