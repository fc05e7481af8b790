"""posref.testing with torch tensors: what goes in, what may come back, bfloat16 included."""

import numpy as np
import pytest

import posref
from posref import testing
from posref.adapters import read_numpy


@pytest.fixture
def torch(module):
    return module("torch")


@pytest.fixture
def kernel(torch):
    """A rotation in torch, in the dtype of x: the pairs of each half, angles and all."""

    def rotate(x, cos, sin, *, pairing_in, pairing_out, rotary_start):
        width = 2 * cos.shape[-1]
        wide = x[..., rotary_start : rotary_start + width].to(torch.float64)
        cos, sin = cos.to(torch.float64), sin.to(torch.float64)
        first, second = (
            (wide[..., ::2], wide[..., 1::2]) if pairing_in == "adjacent" else wide.split(width // 2, -1)
        )
        turned = first * cos - second * sin, first * sin + second * cos
        joined = torch.stack(turned, -1).flatten(-2) if pairing_out == "adjacent" else torch.cat(turned, -1)
        y = x.clone()
        y[..., rotary_start : rotary_start + width] = joined.to(x.dtype)
        return y

    return rotate


def no_sine(kernel):
    return lambda x, cos, sin, **params: kernel(x, cos, sin * 0, **params)


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_a_right_kernel_conforms(kernel, dtype):
    testing.assert_conforms(kernel, "rope.rotate", dtype, kind="value", library="torch", min_tests=10)


def test_a_wrong_kernel_does_not(kernel):
    with pytest.raises(AssertionError, match=r"rope\.rotate in bfloat16[\s\S]*first wrong element"):
        testing.assert_conforms(no_sine(kernel), "rope.rotate", "bfloat16", library="torch")


def test_cases_are_tensors(torch, kernel):
    found = testing.cases("rope.rotate", "bfloat16", library="torch")
    for case in found:
        assert case.inputs["x"].dtype == case.expected["y"].dtype == torch.bfloat16
        case.check(kernel)
    with pytest.raises(AssertionError, match="see: posref show rope-rotate"):
        found[-1].check(no_sine(kernel))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_drawn_calls_find_what_is_wrong(kernel, dtype):
    testing.assert_matches_reference(kernel, "rope.rotate", dtype, library="torch", max_examples=40)
    with pytest.raises(AssertionError, match="call: rope"):
        testing.assert_matches_reference(no_sine(kernel), "rope.rotate", dtype, library="torch")


def test_the_reference_takes_the_drawn_tensors(torch):
    answers = []

    def reference(*inputs, **params):
        answers.append(posref.rope.apply(*inputs, **params))
        return answers[-1]

    testing.assert_matches_reference(reference, "rope.apply", "bfloat16", library="torch", max_examples=40)
    assert {answer.dtype for answer in answers} == {torch.bfloat16}


def test_a_tensor_is_judged_as_it_is(torch):
    x = torch.tensor([[1.0, 2.0]], dtype=torch.bfloat16)
    params = {"rotary_dim": 2, "base": 10000.0, "pairing": "half"}
    right = posref.rope.apply(x, torch.tensor([3]), **params)
    needs = right.clone().requires_grad_()
    assert posref.judge(
        "rope.apply", {"x": x.requires_grad_(), "positions": torch.tensor([3])}, needs, params
    )
    mixed = {"x": read_numpy(x)[1].astype(np.float32), "positions": torch.tensor([3])}
    assert not posref.judge("rope.apply", mixed, right, params)
    assert posref.judge("rope.apply", mixed, right, params, dtype="bfloat16")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64", "int32", "bool"])
def test_a_tensor_is_read_bit_for_bit(torch, dtype):
    values = [0.0, -0.0, 1.0, 1.0078125, 3.0] if "float" in dtype else [0, 1, 1, 0]
    name, read = read_numpy(torch.tensor(values, dtype=getattr(torch, dtype)))
    assert name == dtype
    assert read.tolist() == values
    assert np.signbit(read.astype(float)).tolist() == np.signbit(values).tolist()
