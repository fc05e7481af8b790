"""The bounds: honest implementations stay inside, known mistakes do not, and nothing is slack."""

import ast
import importlib
import math
from fractions import Fraction
from functools import cache
from pathlib import Path

import _honest
import _trials
import numpy as np
import pytest
from _trials import LLAMA, X

from posref import operation
from posref.bounds import _size, alibi, attention, model
from posref.bounds._ladder import condition, ladder
from posref.bounds.model import DEFAULT_CLAIM, MODELS, applies, bound
from posref.numerics.rounding import decode_bits, round_bits, ulp

PIPELINES = tuple(_honest.pipelines())
U = 2.0**-53
SUMS = {"rope.score", "attention.scores", "attention.output"}


@cache
def figures():
    return _trials.by_operation(_trials.figures(PIPELINES, _trials.trials()))


def test_honest_implementations_are_accepted():
    refused, most = figures()
    assert refused == []
    assert {claim for claim, *_ in most} == set(MODELS)
    assert {name for _, _, name in most} == implemented(_honest)


def implemented(module):
    """Return the operations that the classes of honest implementations in a module compute."""
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type)]
    honest = [kind("", "float64", "float64") for kind in kinds if issubclass(kind, _honest.Pipeline)]
    names = operation.signatures()
    return {name for name in names if any(hasattr(one, name.replace(".", "_")) for one in honest)}


def test_every_operation_with_floats_has_honest_implementations():
    folder = Path(__file__).parent
    found = set(implemented(_honest))
    for file in sorted(folder.glob("honest_*.py")):
        found |= implemented(importlib.import_module(file.stem))
        assert (folder / f"test_bounds_{file.stem.removeprefix('honest_')}.py").exists()
    assert found == {name for name, entry in operation.signatures().items() if not entry.integer}


def test_no_honest_error_exceeds_its_bound():
    _, most = figures()
    assert max(most.values()) <= 1


def test_no_bound_is_slack():
    _, most = figures()
    # one rounding of an exact product: the float64 result is the true one, there is no error to compare
    measured = {key: most[key] for key in most if key[2] not in SUMS and key[1:] != ("float64", "alibi.bias")}
    assert {key: ratio for key, ratio in measured.items() if ratio < 0.1} == {}


def step(width):
    return Fraction(2, width)


# exact elements, and elements that tell nothing


def limits(name, inputs, params, real, dtype):
    return bound(name, DEFAULT_CLAIM[dtype], inputs, params, real, dtype)


def test_moved_values_and_zeros_are_exact():
    params = LLAMA | {"rotary_dim": 8, "rotary_start": 3}
    inputs = {"x": X, "positions": np.array([5])}
    allowed, vain = limits("rope.apply", inputs, params, {"y": X}, "float32")["y"]
    rotated = np.zeros(128, dtype=bool)
    rotated[3:11] = True
    assert (allowed[0, 0] > 0).tolist() == rotated.tolist()
    assert not vain.any()
    allowed, vain = limits("rope.apply", inputs | {"x": 0 * X}, params, {"y": 0 * X}, "float16")["y"]
    assert not allowed.any()
    assert not vain.any()


def test_sine_of_position_zero_and_padding_column_are_exact():
    params = {"dim": 5, "base": 1e4, "denominator": "dim", "layout": "sin_cos", "odd": "zero_pad"}
    real = {"table": np.array([[0.0, 0.0, 1.0, 1.0, 0.0]])}
    for dtype in operation.DTYPES:
        allowed = limits("sinusoidal.encode", {"positions": np.array([0])}, params, real, dtype)["table"][0]
        assert (allowed > 0).tolist() == [[False, False, True, True, False]]


def test_minus_infinity_and_exact_products_are_exact():
    table = {
        "q_positions": np.array([0]),
        "k_positions": np.array([0, 3, -3]),
        "slopes": np.array([0.5, 0.7]),
    }
    real = {"bias": np.array([[[0.0, -np.inf, -1.5]], [[0.0, -np.inf, -2.1]]])}
    form = {"form": "neg_distance", "future": "neg_inf"}
    allowed, vain = limits("alibi.bias", table, form, real, "float32")["bias"]
    assert (allowed > 0).tolist() == [[[False, False, False]], [[False, False, True]]]
    assert not vain.any()


@pytest.mark.parametrize("claim", MODELS)
def test_first_frequency_is_exact(claim):
    real = {"inv_freq": ladder(1e4, step(8), 4)}
    params = {"rotary_dim": 8, "base": 1e4}
    allowed, _ = bound("rope.inv_freq", claim, {}, params, real, MODELS[claim].dtypes[0])["inv_freq"]
    assert allowed[0] == 0
    assert (allowed[1:] > 0).all()


def test_slopes_are_exact_only_where_the_first_one_is_a_power_of_two():
    heads = {"num_heads": 16, "bias_max": 8.0, "head_start": 0, "head_count": None}
    assert (alibi.slopes(MODELS["f32-angle"], **heads).angle > 0).all()
    # the released BLOOM code: a float32 power of a float32 first slope; its second slope is not 1/2
    bloom = np.power(np.float32(2.0**-0.5), np.arange(1, 17, dtype=np.float32)).astype(float)
    assert bloom[1] == 0.5 - 2.0**-25
    trial = _trials.Trial("alibi.slopes", {}, heads)
    assert _trials.judged(trial, "f32-angle", [bloom], "float32")["slopes"][2].all()
    assert not alibi.slopes(MODELS["f32-angle"], **heads | {"num_heads": 8}).angle.any()


def test_far_positions_tell_nothing_except_at_the_exact_frequency():
    x = np.ones((1, 8))
    params = LLAMA | {"rotary_dim": 8, "base": 100.0}
    for position, expected in ((2**24, [False, True]), (2**31 - 1, [True, True])):
        inputs = {"x": x, "positions": np.array([position])}
        _, vain = limits("rope.apply", inputs, params, {"y": x}, "float32")["y"]
        assert vain[0, :2].tolist() == expected
        _, vain = limits("rope.apply", inputs, params, {"y": x}, "float64")["y"]
        assert not vain.any()


def test_masked_keys_do_not_widen_the_bound():
    q, k, v = np.ones((1, 4)), np.ones((2, 4)), np.array([[1.0], [1.0]])
    far = k.copy()
    far[1] = 1e6
    mask = np.array([[True, False]])
    near_, far_ = (
        attention.output(MODELS["f32-angle-bf16"], q, one, v, None, mask, scale=0.5) for one in (k, far)
    )
    assert near_.arithmetic < far_.arithmetic + 1e-12
    assert far_.arithmetic <= near_.arithmetic


# the model


def test_claims():
    assert list(MODELS)[:2] == ["f64-angle", "f32-angle"]
    assert DEFAULT_CLAIM["bfloat16"] == "f32-angle-bf16"
    for dtype in operation.DTYPES:
        assert applies(DEFAULT_CLAIM[dtype], dtype)
    assert not applies("f32-angle", "float64")
    with pytest.raises(ValueError, match="f32-angle is not for float64"):
        bound(
            "rope.inv_freq",
            "f32-angle",
            {},
            {"rotary_dim": 2, "base": 10.0},
            {"inv_freq": np.ones(1)},
            "float64",
        )
    with pytest.raises(KeyError):
        applies("close-enough", "float32")


@pytest.mark.parametrize("base", [1.5, 100.0, 1e4, 10000.1, 1e7])
@pytest.mark.parametrize("width", [4, 96, 256])
def test_narrow_claims_are_within_the_default(base, width):
    wide = condition(MODELS["f32-angle"], base, step(width), width // 2)
    for claim in ("f32-angle-libm", "f32-angle-f64freq", "f32-angle-expln"):
        assert (condition(MODELS[claim], base, step(width), width // 2) <= wide).all()


def test_default_covers_the_power_form_near_one():
    # below exponent * ln(base) = 1/(2 k_p + 1) the maximum without the exponent's own rounding fails
    found = condition(MODELS["f32-angle"], 1.5, step(96), 2)[1]
    k_p, stretch = MODELS["f32-angle"].k_p, math.log(1.5) / 48
    assert found == pytest.approx(2 * k_p + 1 + stretch)
    assert found > max(2 * k_p + 1, (2 * k_p + 2) * stretch + 2 * k_p)


def test_iterated_ladder_of_a_small_base_needs_its_own_claim():
    slow = _honest.Pipeline("", "float32", "iterated")
    trial = _trials.Trial("rope.inv_freq", {}, {"rotary_dim": 256, "base": 2.5})
    got = [slow.rope_inv_freq(**trial.params)]
    assert not _trials.judged(trial, "f32-angle", got, "float32")["inv_freq"][2].all()
    assert _trials.judged(trial, "f32-angle-iterated", got, "float32")["inv_freq"][2].all()


# arithmetic of the wing


def test_sizes():
    r = np.random.default_rng(5)
    values = r.integers(-4000, 4000, 500) * 2.0 ** r.integers(-12, 4, 500)
    for dtype in operation.DTYPES:
        assert (model.spacing(values, dtype) == ulp(values, dtype)).all()
        assert (model.spacing(values * 2.0**-130, dtype) == ulp(values * 2.0**-130, dtype)).all()
        fits = decode_bits(round_bits(values, dtype), dtype) == values
        assert (_size.inexact(values, dtype) == 0).tolist() == fits.tolist()
        assert fits.any()
        assert _size.unit(dtype) == ulp(1.0, dtype) / 2
        assert _size.tiny(dtype) == ulp(1.0, dtype) ** -1 * ulp(0.0, dtype)
    assert _size.power_of_two(np.array([0.0, 1.0, -0.25, 3.0, 0.7])).tolist() == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert _size.hypot(np.array(3e200), np.array(-4e200)) == pytest.approx(5e200)
    a, b = r.standard_normal((2, 3, 7)), r.standard_normal((4, 7))
    assert np.allclose(_size.dot(a, b), a @ b.T, rtol=1e-13)
    x = np.linspace(-700, 690, 999)
    # the argument, reduced, is off by a unit roundoff or two of itself; a unit of each result
    assert (np.abs(_size.exp(x) / np.exp(x) - 1) <= (2 * np.abs(x) + 4) * U).all()
    small = np.array([-0.5, 0.0, 1e-9, 0.49])
    assert np.allclose(_size.expm1_small(small), np.expm1(small), rtol=4 * U, atol=0)
    assert np.allclose(ladder(1e4, step(64), 32), 1e4 ** (-np.arange(32) / 32), rtol=4 * U, atol=0)


SAME_EVERYWHERE = {
    "abs", "arange", "array", "asarray", "broadcast_shapes", "broadcast_to", "errstate", "expand_dims",
    "float64", "frexp", "full", "inf", "int64", "isfinite", "ldexp", "max", "maximum", "min", "minimum",
    "ndarray", "ones", "ones_like", "rint", "sqrt", "swapaxes", "take", "where", "zeros", "zeros_like",
}  # fmt: skip


def test_bounds_call_nothing_that_differs_between_machines():
    for file in Path(model.__file__).parent.glob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        used = {
            n.attr
            for n in ast.walk(tree)
            if isinstance(n, ast.Attribute) and getattr(n.value, "id", "") == "np"
        }
        assert used <= SAME_EVERYWHERE, file.name
        assert not any(isinstance(node, ast.MatMult) for node in ast.walk(tree)), file.name
