"""posref.testing with JAX arrays: without 64-bit numbers, and bfloat16 as it is."""

import numpy as np
import pytest

import posref
from posref import testing
from posref.adapters import read_numpy


@pytest.fixture
def jnp(module):
    return module("jax.numpy", named="jax")


@pytest.fixture
def scores(jnp):
    """Scaled dot products in float32."""

    def scores(q, k, *, scale):
        product = jnp.einsum(
            "...qd,...kd->...qk", q.astype("float32"), k.astype("float32"), precision="highest"
        )
        return (product * scale).astype(q.dtype)

    return scores


def unscaled(scores):
    return lambda q, k, *, scale: scores(q, k, scale=1.0)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_right_kernel_conforms(scores, dtype):
    testing.assert_conforms(scores, "attention.scores", dtype, kind="value", library="jax", min_tests=5)


def test_a_wrong_kernel_does_not(scores):
    with pytest.raises(AssertionError, match=r"attention\.scores in bfloat16[\s\S]*scale"):
        testing.assert_conforms(unscaled(scores), "attention.scores", "bfloat16", kind="value", library="jax")


def test_cases_are_arrays_of_jax(jnp, scores):
    found = testing.cases("attention.scores", "bfloat16", library="jax")
    for case in found:
        assert isinstance(case.inputs["q"], jnp.ndarray)
        assert case.inputs["q"].dtype == jnp.bfloat16
        case.check(scores)
    case = next(case for case in found if case.params["scale"] != 1 and np.any(case.expected["scores"]))
    with pytest.raises(AssertionError, match="first wrong element"):
        case.check(unscaled(scores))


def test_what_needs_64_bits_is_left_out_with_the_reason(jnp):
    with pytest.raises(ValueError, match="jax has no float64 here"):
        testing.cases("attention.scores", "float64", library="jax")
    found = testing.cases("positions.relative", library="jax")
    assert set(found.left_out.values()) == {"JAX has no int64 here, and int32 does not hold the values"}
    assert {str(case.inputs["q_positions"].dtype) for case in found} == {"int32"}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_drawn_calls_find_what_is_wrong(scores, dtype):
    testing.assert_matches_reference(scores, "attention.scores", dtype, library="jax", max_examples=40)
    with pytest.raises(AssertionError, match="call: attention"):
        testing.assert_matches_reference(unscaled(scores), "attention.scores", dtype, library="jax")


def test_drawn_positions_fit_32_bits(jnp):
    def mask(q_positions, k_positions):
        assert q_positions.dtype == jnp.int32
        return k_positions[..., None, :] <= q_positions[..., :, None]

    testing.assert_matches_reference(mask, "attention.causal_mask", library="jax", max_examples=40)


def test_outputs_and_inputs_of_any_library_are_judged(jnp):
    slopes = jnp.asarray([2.0**-4, 2.0**-8], dtype="bfloat16")
    assert posref.judge("alibi.slopes", {}, slopes, {"num_heads": 2, "bias_max": 8.0})
    assert not posref.judge("alibi.slopes", {}, slopes * 2, {"num_heads": 2, "bias_max": 8.0})
    assert read_numpy(slopes)[0] == "bfloat16"
