"""Bounds of shifts, layouts, cotangents and xPos: the honest stay inside, nothing is slack."""

from functools import cache

import _trials
import honest_rotary as honest
import numpy as np
import pytest
from _trials import Trial

from posref import operation
from posref.bounds.model import DEFAULT_CLAIM, MODELS, bound

PIPELINES = tuple(honest.pipelines())
TRIALS = tuple(honest.trials())
EXACT = {"rope.table_slice", "rope.permute", "rope.permute_weight"}
OPERATIONS = EXACT | {"rope.rerotate", "rope.rotate_vjp", "rope.apply_vjp", "xpos.scale", "xpos.apply"}
PLAIN = {
    "rotary_dim": 4, "rotary_start": 0, "base": 10000.0, "pairing": "half", "scaling": None, "seq_len": None,
}  # fmt: skip
DECAY = {"rotary_dim": 4, "gamma": 0.4, "scale_base": 512.0, "center": 0.0}


@cache
def figures():
    return _trials.figures(PIPELINES, TRIALS)


def test_honest_implementations_are_accepted():
    refused, most = figures()
    assert refused == []
    assert {claim for claim, *_ in most} == set(MODELS)
    assert {name for _, _, name, _ in most} == OPERATIONS


def test_no_honest_error_exceeds_its_bound():
    _, most = figures()
    assert max(most.values()) <= 1


def test_no_bound_is_slack():
    _, most = figures()
    assert {key: ratio for key, ratio in most.items() if key[2] not in EXACT and ratio < 0.1} == {}


def test_what_is_moved_has_no_bound():
    _, most = figures()
    assert {ratio for key, ratio in most.items() if key[2] in EXACT} == {0.0}
    for trial in TRIALS:
        if trial.operation in EXACT and trial.short:
            for dtype in operation.DTYPES:
                assert not any(one.any() for one in limits(trial, dtype).values())


def limits(trial, dtype):
    """Return the allowed distances by output."""
    found = bound(
        trial.operation, DEFAULT_CLAIM[dtype], trial.inputs, trial.params, _trials.truth(trial), dtype
    )
    return {name: allowed for name, (allowed, _) in found.items()}


@pytest.mark.parametrize("dtype", operation.DTYPES)
def test_the_rest_a_shift_of_0_and_the_center_are_exact(dtype):
    x = np.array([[0.75, -1.5, 2.0, 3.0, 5.0, -0.5]])
    shift = Trial("rope.rerotate", {"k": x, "delta": np.array(3)}, {**PLAIN, "rotary_start": 1})
    assert (limits(shift, dtype)["k"] > 0).tolist() == [[False, True, True, True, True, False]]
    center = {"positions": np.array([7, 8])}
    found = limits(Trial("xpos.scale", center, {**DECAY, "center": 7.0}), dtype)["scale"]
    assert (found > 0).tolist() == [[False, False], [True, True]]
    found = limits(Trial("xpos.apply", {"x": x, "positions": np.array([9])}, {
        **DECAY, "base": 1e4, "pairing": "adjacent", "role": "key",
    }), dtype)["y"]  # fmt: skip
    assert (found > 0).tolist() == [[True, True, True, True, False, False]]


def refused(trial, wrong, dtype):
    """Return where the bound rejects `wrong`, informative elements only, by output."""
    judged = _trials.judged(trial, DEFAULT_CLAIM[dtype], _trials.outputs(wrong), dtype)
    return [~fine & ~vain for _, _, fine, vain in judged.values()]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_gradient_turned_forward_is_refused(dtype):
    g, x = np.array([[0.75, -1.5, 2.0, 3.0]]), np.array([[1.0, 0.5, -0.25, 2.0]])
    inputs = {"grad_y": g, "x": x, "positions": np.array([1])}
    wrong = _trials.truth(Trial("rope.apply", {"x": g, "positions": np.array([1])}, PLAIN))["y"]
    (seen,) = refused(Trial("rope.apply_vjp", inputs, PLAIN), wrong, dtype)
    assert seen[0, [0, 2]].all()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_key_with_the_scale_of_queries_is_refused_far_from_the_origin(dtype):
    inputs = {"x": np.array([[0.75, -1.5, 2.0, 3.0]]), "positions": np.array([600])}
    params = DECAY | {"base": 1e4, "pairing": "half"}
    wrong = _trials.truth(Trial("xpos.apply", inputs, {**params, "role": "query"}))["y"]
    (seen,) = refused(Trial("xpos.apply", inputs, {**params, "role": "key"}), wrong, dtype)
    assert seen.all()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_mean_for_a_sum_over_heads_is_refused(dtype):
    r = np.random.default_rng(5)
    inputs = {name: _trials.exactly(r, (3, 2, 4), True) for name in ("grad_y", "x")}
    inputs |= {"cos": np.full((2, 2), 0.5), "sin": np.full((2, 2), 0.75)}
    params = {"pairing_in": "half", "pairing_out": "half", "rotary_start": 0}
    trial = Trial("rope.rotate_vjp", inputs, params)
    real = _trials.truth(trial)
    wrong = (real["grad_x"], real["grad_cos"] / 3, real["grad_sin"] / 3)
    back, cos, sin = refused(trial, wrong, dtype)
    assert not back.any()
    assert cos.all()
    assert sin.all()
