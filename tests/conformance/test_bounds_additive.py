"""Bounds of the additive encodings: the honest stay inside, nothing is slack, what is moved is exact."""

from functools import cache

import _trials
import honest_additive as honest
import numpy as np
import pytest
from _trials import Trial

from posref import operation
from posref.bounds.model import DEFAULT_CLAIM, MODELS, bound

PIPELINES = tuple(honest.pipelines())
OPERATIONS = {
    "attention.score_terms",
    "fourier.encode",
    "learned.lookup",
    "learned.resize",
    "sincos2d.encode",
    "timestep.encode",
}
EXACT = {"learned.lookup"}
PLAIN = {"max_period": 1e4, "freq_shift": 0.0, "flip_sin_to_cos": False, "scale": 1.0, "odd": "error"}


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
    assert {key: ratio for key, ratio in most.items() if key[2] not in EXACT and ratio < 0.1} == {}


def test_a_moved_row_has_no_bound():
    _, most = figures()
    assert {ratio for key, ratio in most.items() if key[2] in EXACT} == {0.0}
    params = {"offset": 0}
    table = np.array([[1.0, 2.0], [3.0, 4.0]])
    inputs, real = {"table": table, "positions": np.array([1])}, {"rows": table[1:]}
    for dtype in operation.DTYPES:
        allowed, vain = bound("learned.lookup", DEFAULT_CLAIM[dtype], inputs, params, real, dtype)["rows"]
        assert not allowed.any()
        assert not vain.any()


def allowed(trial, dtype):
    """Return the allowed distances of the first output."""
    real = _trials.truth(trial)
    return next(
        iter(bound(trial.operation, DEFAULT_CLAIM[dtype], trial.inputs, trial.params, real, dtype).values())
    )[0]


@pytest.mark.parametrize("dtype", operation.DTYPES)
def test_input_columns_and_zero_columns_are_exact(dtype):
    x, weights = np.array([[0.5, -0.25]]), np.array([[1.5, 0.75, 2.0], [0.25, 3.0, 1.0]])
    choice = {"two_pi": True, "include_input": True}
    limits = allowed(Trial("fourier.encode", {"x": x, "weights": weights}, choice), dtype)[0]
    assert (limits > 0).tolist() == [False, False] + [True] * 6
    params = PLAIN | {"dim": 5, "flip_sin_to_cos": True, "odd": "zero_pad"}
    limits = allowed(Trial("timestep.encode", {"timesteps": np.array([0.0, 3.0])}, params), dtype)
    assert (limits > 0).tolist() == [[True, True, False, False, False], [True, True, True, True, False]]


@pytest.mark.parametrize("corners", [True, False])
def test_a_table_of_its_own_length_is_exact_and_clamped_ends_weigh_a_row_with_itself(corners):
    table = np.array([[1.0], [2.5], [-3.0], [0.75]])
    same = Trial("learned.resize", {"table": table}, {"length": 4, "align_corners": corners})
    assert not allowed(same, "float32").any()
    longer = Trial("learned.resize", {"table": table}, {"length": 9, "align_corners": corners})
    # by corners 9 rows read at multiples of 3/8, by centres at 4/9 (r + 1/2) - 1/2, beyond the ends
    limits = allowed(longer, "float32")[:, 0]
    assert (limits == 0).tolist() == [corners, *[False] * 7, corners]


def test_an_edge_row_weighed_with_itself_is_accepted():
    edge = np.float32(0.7)
    table = np.array([[1.0], [2.5], [-3.0], [edge]])
    trial = Trial("learned.resize", {"table": table}, {"length": 9, "align_corners": False})
    weight = np.float32(4 / 9 * 8.5 - 0.5 - 3)  # the last row reads 3.2777...
    off = abs(float((1 - weight) * edge + weight * edge) - float(edge))
    assert 0 < off <= allowed(trial, "float32")[-1, 0]


def test_a_power_of_two_times_a_step_costs_nothing_at_the_first_frequency():
    params = PLAIN | {"dim": 4}
    step = {"timesteps": np.array([700.0])}
    exact, rounded = (
        allowed(Trial("timestep.encode", step, params | {"scale": scale}), "float32")[0, 0]
        for scale in (2.0, 2.1)
    )
    # sin(1400): an ulp and a half of the table against a rounded angle of 1470
    assert exact < 4 * 2.0**-24
    assert rounded > 1470 * 2.0**-24


# mistakes are refused in every dtype that can show them


def refused(trial, wrong, dtype):
    """Return where the bound rejects `wrong`, informative elements only."""
    ((_, _, fine, vain),) = _trials.judged(trial, DEFAULT_CLAIM[dtype], [wrong], dtype).values()
    return ~fine & ~vain


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_wrong_features_are_refused(dtype):
    x, weights = np.array([[0.3125, -0.75]]), np.array([[1.5, 0.75, 2.0], [0.25, 3.0, 1.0]])
    inputs = {"x": x, "weights": weights}
    trial = Trial("fourier.encode", inputs, {"two_pi": True, "include_input": False})
    other = Trial("fourier.encode", inputs, {"two_pi": False, "include_input": False})
    assert refused(trial, _trials.truth(other)["features"], dtype).all()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("corners", [True, False])
def test_the_other_corner_rule_is_refused(dtype, corners):
    table = {"table": np.array([[1.0], [2.5], [-3.0], [0.75]])}
    trial, other = (
        Trial("learned.resize", table, {"length": 7, "align_corners": rule})
        for rule in (corners, not corners)
    )
    # the ends and the middle row are the same under both rules
    assert refused(trial, _trials.truth(other)["table"], dtype).ravel().tolist() == [
        False, True, True, False, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_half_precision_angle_is_refused(dtype):
    faulty = honest.Pipeline("", dtype, "reciprocal", angle=dtype, stored=dtype, work=dtype)
    params = PLAIN | {"dim": 64, "scale": 3.0}
    trial = Trial("timestep.encode", {"timesteps": np.array([249.0, 187.0])}, params)
    assert refused(trial, faulty.timestep_encode(*trial.tensors(), **params), dtype).sum() > 60
