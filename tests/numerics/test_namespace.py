"""One array library a call: which are recognised, what is refused, what comes back."""

import importlib
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import posref
from posref.numerics.namespace import Space, dtype_name, space

Need = Callable[[str], Any]
KEYWORDS: dict[str, Any] = {"rotary_dim": 4, "base": 10000.0, "pairing": "half"}


def test_no_array_at_all_is_numpy() -> None:
    assert space({}) == Space("numpy", np)


@pytest.mark.parametrize("thing", [[1.0], (1.0,), 1.0, 3, None, "x", np.ma.array([1.0])])
def test_what_is_no_array_is_a_type_error_that_says_what_to_pass(thing: Any) -> None:
    with pytest.raises(TypeError, match=r"x must be an array, got .*pass numpy.asarray\(x\)"):
        space({"x": thing})


def test_the_kind_of_an_array_is_no_array() -> None:
    with pytest.raises(TypeError, match="x must be an array, got type"):
        space({"x": np.ndarray})


def test_a_subclass_is_an_array_like_any_other() -> None:
    class Own(np.ndarray):
        """It does nothing of its own."""

    x = np.ones((3, 4))
    assert type(space({"x": x}).enter(x.view(Own))) is np.ndarray
    assert type(posref.rope.apply(x.view(Own), np.arange(3), **KEYWORDS)) is np.ndarray


def test_two_libraries_are_refused_by_name(need: Need) -> None:
    xp = need("array_api_strict")
    with pytest.raises(TypeError, match="x is of numpy, positions of array_api_strict"):
        posref.rope.apply(np.ones((3, 4)), xp.asarray([0, 1, 2]), **KEYWORDS)


def test_two_devices_are_refused_by_name(need: Need) -> None:
    xp = need("array_api_strict")
    x = xp.ones((3, 4), device=xp.Device("device1"))
    with pytest.raises(TypeError, match=r"positions on .*CPU_DEVICE"):
        posref.rope.apply(x, xp.asarray([0, 1, 2]), **KEYWORDS)


def test_a_device_without_float64_is_refused(need: Need) -> None:
    xp = need("array_api_strict")
    x = xp.ones((3, 4), dtype=xp.float32, device=xp.Device("no_float64"))
    positions = xp.asarray([0, 1, 2], device=xp.Device("no_float64"))
    with pytest.raises(TypeError, match="does not compute in float64 here: use another device"):
        posref.rope.apply(x, positions, **KEYWORDS)


class Narrowing:
    """An array of a library that turns float64 into float32 in silence, as JAX does by default."""

    dtype = np.dtype("float32")
    device = "cpu"
    shape = (3, 4)

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        def asarray(values: Any, dtype: Any = None, device: Any = None) -> Any:
            warnings.warn("float64 is not available", stacklevel=2)
            return np.asarray(values, dtype=np.float32)

        return types.SimpleNamespace(__name__="jax.numpy", float64=np.float64, asarray=asarray)


def test_a_library_that_narrows_in_silence_is_refused_with_advice() -> None:
    with pytest.raises(TypeError, match=r"jax does not compute in float64 here: .*jax_enable_x64"):
        posref.rope.apply(Narrowing(), Narrowing(), **KEYWORDS)


def test_jax_without_x64_is_refused_and_with_it_agrees(need: Need) -> None:
    jax = need("jax")
    x, positions = np.arange(12, dtype=np.float32).reshape(3, 4), np.array([0, 1, 355])
    before = jax.config.jax_enable_x64
    try:
        jax.config.update("jax_enable_x64", False)
        with pytest.raises(TypeError, match="jax_enable_x64"):
            posref.rope.apply(jax.numpy.asarray(x), jax.numpy.asarray(positions), **KEYWORDS)
        jax.config.update("jax_enable_x64", True)
        got = posref.rope.apply(jax.numpy.asarray(x), jax.numpy.asarray(positions), **KEYWORDS)
    finally:
        jax.config.update("jax_enable_x64", before)
    assert np.array_equal(np.asarray(got), posref.rope.apply(x, positions, **KEYWORDS))


@pytest.mark.parametrize("name", ["float64", "float32", "bfloat16", "float16"])
def test_torch_goes_through_and_comes_back_in_its_dtype(need: Need, name: str) -> None:
    torch = need("torch")
    dtype = getattr(torch, name)
    x = (torch.arange(24, dtype=torch.float64).reshape(2, 3, 4) / 8).to(dtype)
    got = posref.rope.apply(x, torch.tensor([0, 1, 355]), **KEYWORDS)
    assert isinstance(got, torch.Tensor)
    assert got.dtype == dtype
    expected = posref.rope.apply(x.double().numpy(), np.array([0, 1, 355]), **KEYWORDS)
    digits = {"float64": 53, "float32": 24, "bfloat16": 8, "float16": 11}[name]
    # one rounding to nearest: at most half a unit in the last place
    assert (np.abs(got.double().numpy() - expected) <= 2.0**-digits * np.abs(expected)).all()


def test_a_torch_tensor_with_a_gradient_is_refused(need: Need) -> None:
    torch = need("torch")
    x = torch.ones(3, 4, requires_grad=True)
    with pytest.raises(TypeError, match=r"x\.detach\(\)\.cpu\(\)"):
        posref.rope.apply(x, torch.arange(3), **KEYWORDS)


def test_bfloat16_is_told_by_its_name_and_returned_as_the_caller_has_it(need: Need) -> None:
    ml_dtypes = need("ml_dtypes")
    x = np.array([[1.0, 2.0, -3.0, 0.5]]).astype(ml_dtypes.bfloat16)
    got = posref.rope.apply(x, np.array([0]), **KEYWORDS)
    assert got.dtype == x.dtype
    assert np.array_equal(got.view(np.uint16), x.view(np.uint16))


def test_asking_for_bfloat16_without_ml_dtypes_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(importlib.import_module("sys").modules, "ml_dtypes", None)
    with pytest.raises(ImportError, match=r"posref\[bfloat16\]"):
        posref.rope.inv_freq(rotary_dim=4, base=10000.0, dtype="bfloat16")


def test_another_library_s_own_cast_is_not_trusted_with_a_short_dtype(need: Need) -> None:
    """A library like JAX casts float64 to bfloat16 through float32; the value is on the grid before."""
    ml_dtypes = need("ml_dtypes")
    names = (
        "float64",
        "float32",
        "astype",
        "all",
        "isfinite",
        "frexp",
        "ldexp",
        "maximum",
        "asarray",
        "round",
    )
    library = types.SimpleNamespace(
        bfloat16=ml_dtypes.bfloat16, **{name: getattr(np, name) for name in names}
    )
    values = np.array([1 + 2.0**-8 + 2.0**-40, -0.0, 3.0])
    assert values.astype(ml_dtypes.bfloat16)[0] == 1.0  # twice rounded
    got = Space("elsewhere", library).round(values, "bfloat16")
    assert got.astype(np.float64).tolist() == [1 + 2.0**-7, 0.0, 3.0]
    assert np.signbit(got[1])


def test_a_generator_follows_like(need: Need) -> None:
    xp = need("array_api_strict")
    far = xp.Device("device1")
    got = posref.rope.inv_freq(rotary_dim=4, base=10000.0, dtype="float32", like=xp.ones(1, device=far))
    assert got.device == far
    assert got.dtype == xp.float32
    with pytest.raises(TypeError, match="has no dtype float16"):
        posref.rope.inv_freq(rotary_dim=4, base=10000.0, dtype="float16", like=xp.ones(1, device=far))


def test_dtype_by_name_class_or_instance() -> None:
    for dtype in ("float32", np.float32, np.dtype("float32"), np.dtype(">f4")):
        assert dtype_name(dtype) == "float32"
        assert posref.rope.inv_freq(rotary_dim=4, base=10000.0, dtype=dtype).dtype == np.float32
    with pytest.raises(posref.SpecError, match=r"\[conventions.C2\] dtype"):
        posref.rope.inv_freq(rotary_dim=4, base=10000.0, dtype=float)


def test_foreign_byte_order_is_read_and_native_comes_back() -> None:
    x = np.array([[1.0, 2.0, -3.0, 0.5]])
    got = posref.rope.apply(x.astype(">f8"), np.array([3], dtype=">i4"), **KEYWORDS)
    assert np.array_equal(got, posref.rope.apply(x, np.array([3]), **KEYWORDS))
    assert got.dtype == np.float64


def test_only_a_foreign_byte_order_is_copied_on_entry() -> None:
    here, foreign = Space("numpy", np), np.array([1, 258], dtype=np.dtype(np.int32).newbyteorder())
    entered = here.enter(foreign)
    assert entered.dtype.isnative
    assert entered.tolist() == [1, 258]
    assert here.enter(entered) is entered


def test_entered_values_widen_to_one_of_three_dtypes() -> None:
    here = Space("numpy", np)
    for stored, name, wide, values in (
        (np.array([0x3F80, 0xC000], np.uint16), "bfloat16", np.float64, [1.0, -2.0]),
        (np.array([0x3F80, 0xC000], np.uint16), None, np.int64, [0x3F80, 0xC000]),
        (np.array([0.5, -2.0], np.float16), None, np.float64, [0.5, -2.0]),
        (np.array([True, False]), None, np.bool_, [True, False]),
    ):
        got = here.widen(stored, name)
        assert (got.dtype, got.tolist()) == (wide, values)


def test_the_caller_s_own_bfloat16_is_not_looked_for(need: Need, monkeypatch: pytest.MonkeyPatch) -> None:
    dtype = np.dtype(need("ml_dtypes").bfloat16)
    monkeypatch.setitem(importlib.import_module("sys").modules, "ml_dtypes", None)
    assert Space("numpy", np).leave(np.array([0x3F80], np.uint16), dtype).dtype == dtype


def test_results_are_new_and_writeable(on: Any) -> None:
    x = np.arange(8.0).reshape(2, 4)
    given = on(x)
    got = posref.rope.apply(given, on(np.array([0, 0])), rotary_dim=2, base=10000.0, pairing="half")
    assert got is not given
    result = on.back(got)
    assert np.array_equal(result, x)
    if on.name in ("numpy", "read-only"):
        assert result.flags.writeable
        assert not np.shares_memory(result, given)
