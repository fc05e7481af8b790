"""Rotations and biases through public functions on the stand-in of CuPy: bits, launches, looks and refusals.

What is expected is what NumPy gives for the same arguments.
"""

import functools
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from compiled import Compiled
from legal_calls import NAMES, valid
from needed import tool
from stand_in_cupy import Array, Device, StandIn
from test_cuda import LIMITS, NARROW, WAYS, layouts, tables
from test_looks import limit

import posref
from posref.adapters import load
from posref.numerics import cuda
from posref.numerics.namespace import space
from posref.numerics.rounding import FORMATS, decode_bits, native
from posref.operation import DTYPES, find, signature

T = 5
SHAPE = (3, 4, T)
"""Batch, heads and tokens of what is rotated."""

SLICES = [(8, 0, 4), (11, 3, 2), (12, 2, 5), (7, 1, 1)]
"""Width, start, and half of the rotated slice."""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    return Compiled(tool("g++"), tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def cupy(compiled: Compiled, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    module = StandIn(compiled)
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


def compare(cupy: StandIn, function: Callable[..., Any], *inputs: np.ndarray, **params: Any) -> None:
    """Compare results with NumPy's, bit for bit."""
    wanted = function(*inputs, **params)
    found = cupy.results(function, *inputs, **params)
    for got, want in zip(found, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        assert got.tobytes() == want.tobytes()


def drawn(dtype: str, width: int) -> np.ndarray:
    """Return numbers of many sizes, of shape (*SHAPE, width)."""
    draw = np.random.default_rng(5)
    scale = 2.0 ** draw.integers(-140, 3, (*SHAPE, width))
    return native(draw.standard_normal(scale.shape) * scale, dtype)


def angles(half: int) -> list[np.ndarray]:
    """Return angles of tables with rows for all tokens, or for some axes of them."""
    found = tables(np.random.default_rng(6).standard_normal((*SHAPE, half)) * 9)
    return [angle for angle in found if angle.shape[-2:-1] == (T,)]


def strewn(array: np.ndarray) -> np.ndarray:
    """Return the same numbers, the last axis the slowest."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, -1, 0)), 0, -1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("width", "start", "half"), SLICES)
def test_every_layout_is_rotated_in_one_launch(
    cupy: StandIn, dtype: str, width: int, start: int, half: int
) -> None:
    for x, angle, (read, write) in itertools.product(
        layouts(drawn(dtype, width)).values(), angles(half), WAYS
    ):
        ways = {"pairing_in": read, "pairing_out": write, "rotary_start": start}
        compare(cupy, posref.rope.rotate, x, np.cos(angle), np.sin(angle), **ways)
        assert cupy.kinds() == ["rotation"]
        assert cupy.looks == 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_tables_may_lie_each_in_its_own_way(cupy: StandIn, dtype: str) -> None:
    x = drawn(dtype, 8)
    for angle, kind in itertools.product(angles(3), ("float64", "float32")):
        cos, sin = np.cos(angle).astype(kind), np.sin(angle).astype(kind)
        for c, s in [(strewn(cos), sin), (cos, strewn(sin)), (np.repeat(cos, 2, axis=-1)[..., ::2], sin)]:
            compare(cupy, posref.rope.rotate, x, c, s, pairing_in="half", pairing_out="adjacent")
            assert cupy.kinds() == ["wide"] * 2 * (kind == "float32") + ["rotation"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_pairs_are_read_at_once_only_where_they_are_aligned(cupy: StandIn, dtype: str) -> None:
    seen = set()
    for (width, start, half), ahead in itertools.product(SLICES, (0, 1)):
        values = drawn(dtype, width)
        room = np.concatenate([values.reshape(-1)[:ahead], values.reshape(-1)])
        ways = {"pairing_in": "adjacent", "pairing_out": "half", "rotary_start": start}
        for x in layouts(room[ahead:].reshape(values.shape)).values():
            compare(cupy, posref.rope.rotate, x, np.ones((T, half)), np.zeros((T, half)), **ways)
            seen.add("_paired_half_" in cupy.launched[0].name)
    assert seen == {False, True}


@pytest.mark.parametrize("dtype", DTYPES)
def test_few_axes_and_axes_of_one(cupy: StandIn, dtype: str) -> None:
    x, angle = drawn(dtype, 8), angles(2)[0]
    for tokens in (x, x[0, 0], x[:, 0], x[:1], x[:, 1:2], x[2:, 3:]):
        for some in (slice(None), slice(2, 3), slice(0, 0), slice(None, None, -2)):
            part, row = tokens[..., some, 2:8], angle[0, 0, some]
            ways = {"pairing_in": "adjacent", "pairing_out": "half", "rotary_start": 1}
            compare(cupy, posref.rope.rotate, part, np.cos(row), np.sin(row), **ways)
            assert cupy.kinds() == ["rotation"] * bool(part.size)


def positions() -> list[np.ndarray]:
    """Return positions for all of SHAPE, in every way that they broadcast and lie."""
    draw = np.random.default_rng(7)
    found = [draw.integers(-(2**40), 2**40, shape) for shape in ((T,), (1, T), (4, T), (1, 1, T), (3, 1, T))]
    whole = draw.integers(0, 200, SHAPE)
    return [*found, whole, strewn(whole), whole[::-1, :, ::-1], whole.astype(np.uint8), whole / 8]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pairing", ["adjacent", "half"])
def test_every_position_turns_its_own_token(cupy: StandIn, dtype: str, pairing: str) -> None:
    x = drawn(dtype, 11)
    ways = {"rotary_dim": 6, "rotary_start": 3, "base": 1e4, "pairing": pairing}
    for where in positions():
        compare(cupy, posref.rope.apply, x, where, **ways)
        assert cupy.kinds() == ["rotation"]
        compare(cupy, posref.rope.apply_vjp, strewn(x), x, where, **ways)
        assert cupy.kinds().count("rotation") == 1
    compare(cupy, posref.rope.apply, x[..., :0, :], positions()[0][:0], **ways)
    assert cupy.kinds() == []


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_other_rotation(cupy: StandIn, dtype: str) -> None:
    x, few = drawn(dtype, 8), drawn(dtype, 8)[:, 1:2] * 2
    ways = {"rotary_dim": 4, "rotary_start": 2, "base": 1e4, "pairing": "adjacent"}
    for where in (one for one in positions() if one.shape[-2:-1] in ((), (1,))):
        compare(cupy, posref.rope.apply_qk, x, few, where, **ways)
        assert cupy.kinds() == ["rotation", "rotation"]
    for delta in (np.array(-7), *positions()[:-1]):
        compare(cupy, posref.rope.rerotate, x, delta, **ways)
        assert cupy.kinds().count("rotation") == 1
    for angle, (read, write) in itertools.product(angles(3), WAYS):
        ways = {"pairing_in": read, "pairing_out": write, "rotary_start": 1}
        compare(cupy, posref.rope.rotate_vjp, x, strewn(x), np.cos(angle), strewn(np.sin(angle)), **ways)
        assert cupy.kinds().count("rotation") == 1


def biases(dtype: str) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield queries, keys and slopes of many shapes and layouts."""
    draw = np.random.default_rng(8)
    q, k = draw.integers(-50, 50, (2, 3, 5)), draw.integers(-(2**53), 2**53, (2, 3, 9))
    k = k % 2**12 if dtype == "float16" else k
    k[..., :5] = q + draw.integers(-2, 3, q.shape)
    slopes = np.array([0.5, 1 / 3, -0.1, 2.0**-60])
    single = np.repeat(slopes.astype(np.float32), 2)[::2]
    yield q, k, slopes
    yield q[0, 0], k[0, 0], slopes[:1]
    yield q[:, :1], k[:1], slopes[::-1]
    yield q[1], k[0, 0], single
    yield q[..., ::2], k[..., ::-1], slopes[::2]
    yield strewn(q).astype(np.int8), strewn(k), slopes
    yield q[0, 0, 2:3], k[1, 2, 4:5], single[3:]
    yield q[..., :0], k, slopes
    yield q, k[..., :0], slopes


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("future", ["neg_inf", "keep"])
@pytest.mark.parametrize("form", ["neg_distance", "neg_abs", "key_index"])
def test_every_bias_is_made_in_one_launch(cupy: StandIn, dtype: str, form: str, future: str) -> None:
    for q, k, slopes in biases(dtype):
        compare(cupy, posref.alibi.bias, q, k, slopes, form=form, future=future, dtype=dtype)
        made = ["bias"] if q.size else []
        assert cupy.kinds() == ["wide"] * 2 * (slopes.dtype == np.float32) + made
        large = bool(q.size and q.itemsize == 8) + bool(k.size)  # positions that may be too large
        assert cupy.looks == large + 2  # the slopes and the result


def test_a_dtype_is_asked_for_by_name_or_as_the_library_has_it(cupy: StandIn) -> None:
    q, k, slopes = next(biases("float16"))
    for dtype in (cupy.float16, np.dtype("float32"), cupy.float64, native(0.0, "bfloat16").dtype):
        compare(cupy, posref.alibi.bias, q, k, slopes, form="neg_abs", future="keep", dtype=dtype)


@pytest.mark.parametrize("limits", LIMITS)
def test_no_grid_is_larger_than_a_device_allows(
    cupy: StandIn, limits: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(cuda, name, value)
    cupy.widest, cupy.tallest = cuda.WIDEST, cuda.TALLEST
    x, angle = drawn("float32", 9), angles(3)[0]
    for array in layouts(x).values():
        ways = {"pairing_in": "half", "pairing_out": "adjacent", "rotary_start": 1}
        compare(cupy, posref.rope.rotate, array, np.cos(angle), np.sin(angle), **ways)
    for given in biases("bfloat16"):
        compare(cupy, posref.alibi.bias, *given, form="neg_abs", future="neg_inf", dtype="bfloat16")


def refusal(function: Callable[..., Any], *inputs: Any, **params: Any) -> tuple[str, str]:
    """Return why a call is refused."""
    with pytest.raises(posref.SpecError) as caught:
        function(*inputs, **params)
    return str(caught.value), caught.value.kind


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_overflows_is_refused_as_on_the_host(cupy: StandIn, dtype: str) -> None:
    most = decode_bits(FORMATS[dtype].infinity - 1, dtype)
    ones, largest = (native(np.full((2, 3, 5), value), dtype) for value in (1.0, most))
    cos, sin = np.ones((3, 1)), np.zeros((3, 1))
    faults = [(largest, cos, np.ones((3, 1))), (ones, cos * np.inf, sin), (ones, cos, sin + np.nan)]
    for place, value in itertools.product((0, 1, 3, 4), (np.inf, np.nan)):
        faults.append((ones.copy(), cos, sin))
        faults[-1][0][1, 2, place] = value  # coordinates 0 and 4 are only moved
    ways = {"pairing_in": "half", "pairing_out": "adjacent", "rotary_start": 1}
    for inputs in faults:
        here = [Array(cupy, array) for array in inputs]
        assert refusal(posref.rope.rotate, *here, **ways) == refusal(posref.rope.rotate, *inputs, **ways)
    compare(cupy, posref.rope.rotate, largest, cos, sin, **ways)


def test_a_bias_overflows_only_where_it_is_not_masked(cupy: StandIn) -> None:
    q, k, slopes = np.array([0]), np.array([-4, 4]), np.array([20000.0])
    bias, ways = posref.alibi.bias, {"form": "neg_abs", "dtype": "float16"}
    for inputs, future in (((q, k, slopes), "keep"), ((q, k[:1], slopes), "neg_inf")):
        here = [Array(cupy, array) for array in inputs]
        assert refusal(bias, *here, future=future, **ways) == refusal(bias, *inputs, future=future, **ways)
    compare(cupy, bias, q, k[1:], slopes, future="neg_inf", **ways)


def test_what_no_kernel_takes_is_refused_before_any_is_launched(
    cupy: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways = {"pairing_in": "half", "pairing_out": "half"}
    whole, *rows = np.ones((T, 2), np.int64), np.ones((T, 1)), np.zeros((T, 1))
    here = [Array(cupy, array) for array in (whole, *rows)]
    assert refusal(posref.rope.rotate, *here, **ways) == refusal(posref.rope.rotate, whole, *rows, **ways)
    with pytest.raises(TypeError, match="x is of numpy, cos of cupy"):
        posref.rope.rotate(whole * 1.0, *here[1:], **ways)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    q, k, slopes = (Array(cupy, array) for array in next(biases("float64")))
    with pytest.raises(ImportError, match="bfloat16 arrays need ml_dtypes"):
        posref.alibi.bias(q, k, slopes, form="neg_abs", future="keep", dtype="bfloat16")
    assert cupy.kinds() == []


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_results_lie_on_the_device_of_the_arguments(cupy: StandIn, kind: str) -> None:
    q, k, slopes = next(biases("float32"))
    x, cos, sin = drawn("bfloat16", 8), *(np.ones((2, T, 3), kind)[:1] for _ in range(2))
    put: Callable[[np.ndarray], Array] = functools.partial(Array, cupy, device=Device(1))
    rotated = posref.rope.rotate(put(x), put(strewn(cos)), put(sin), pairing_in="half", pairing_out="half")
    q, slopes = q.astype(kind.replace("float", "int")), slopes.astype(kind)
    made = posref.alibi.bias(put(q), put(k), put(slopes), form="key_index", future="keep")
    assert rotated.device == made.device == Device(1)
    assert Device.current() == Device(0)


def test_a_kernel_is_made_once(cupy: StandIn) -> None:
    x, cos, sin = (Array(cupy, array) for array in (drawn("float32", 8), np.ones((T, 3)), np.zeros((T, 3))))
    for pairing in ("half", "half", "adjacent", "half"):
        posref.rope.rotate(x, cos, sin, pairing_in=pairing, pairing_out="half")
    assert len(cupy.launched) == 4
    assert cupy.made == [one.name for one in cupy.launched[1:3]]


@pytest.mark.parametrize("dtype", NARROW)
def test_numbers_are_widened_and_rounded_wherever_they_lie(cupy: StandIn, dtype: str) -> None:
    mask = np.random.default_rng(9).random((4, T, 1)) < 0.3
    put: Callable[[np.ndarray], Array] = functools.partial(Array, cupy, device=Device(1))
    here = space({"mask": put(mask)})
    for stored in layouts(drawn(dtype, 6)).values():
        wide = here.widen(put(stored))
        want = decode_bits(stored.view(FORMATS[dtype].bits), dtype)
        assert wide.host.tobytes() == want.tobytes()
        got, some = here.round(put(want / 3), dtype), here.round(put(strewn(want / 3)), dtype, put(mask))
        assert got.host.tobytes() == native(want / 3, dtype).tobytes()
        assert some.host.tobytes() == native(np.where(mask, -np.inf, want / 3), dtype).tobytes()
        assert wide.device == got.device == some.device == Device(1)
    with pytest.raises(OverflowError):
        here.round(put(np.array([1.0, 1e39])), dtype)


def test_the_reference_keeps_the_vectors_of_what_is_fused(cupy: StandIn) -> None:
    chosen = ["rope.rotate", "rope.apply", "alibi.bias"]
    report = posref.check(load("reference"), chosen, kind="value", backend="cupy")
    assert bool(report), str(report)
    assert {one.verdict for one in report.results} == {"pass", "skipped"}
    reasons = {one.reason for one in report.results if one.verdict == "skipped"}
    assert reasons <= {f"no expected value in {dtype}" for dtype in NARROW}
    claims = {(one.operation, one.dtype): one.strongest_claim for one in report.operations}
    for name, dtype in itertools.product(chosen, NARROW):
        assert claims[name, dtype] == "correctly_rounded"
    assert {tuple(one.name.split("_")[1:3]) for one in cupy.launched} >= {
        *itertools.product(("rotation", "bias"), DTYPES)
    }


@pytest.mark.full
@pytest.mark.usefixtures("cupy")
def test_the_reference_keeps_every_vector() -> None:
    report = posref.check(load("reference"), backend="cupy")
    assert bool(report), str(report)


def test_no_number_is_had_unasked(cupy: StandIn) -> None:
    array = Array(cupy, np.arange(3.0))
    beside = np.ones(3)
    for way in (np.asarray, np.array, lambda one: one + beside, lambda one: cupy.concat((one, beside))):
        with pytest.raises(TypeError):
            way(array)
    assert not hasattr(array, "tolist")
    assert not hasattr(cupy, "bfloat16")
    assert cupy.looks == 0
    assert float(array[1]) == int(array[1]) == bool(array[1]) == cupy.asnumpy(array)[1] == 1
    assert cupy.looks == 4


def test_a_launch_with_other_arguments_than_the_kernel_declares_is_refused(cupy: StandIn) -> None:
    x, cos, sin = Array(cupy, drawn("float32", 8)), *(Array(cupy, np.ones((T, 3))) for _ in range(2))
    result, bad = cupy.empty(x.shape, "float32"), cupy.zeros((), "int32")
    arrays, launch = (x, cos, sin, result, bad), cuda.rotation(x, cos, 0, "half", "half")
    cuda.run(cupy, launch, *arrays)
    width, *others = launch.numbers
    wrong = [
        (launch._replace(grid=(launch.grid[0], 2**16)), arrays),
        (launch._replace(threads=1025), arrays),
        (launch._replace(numbers=tuple(others)), arrays),
        (launch._replace(numbers=(np.int32(width), *others)), arrays),
        (launch, (x, cos, x, result, bad)),
        (launch, (x, cos, sin, result, cupy.zeros(()))),
        (launch._replace(numbers=(width + 1, *others)), arrays),  # writes beside the result
    ]
    for other, given in wrong:
        with pytest.raises((AssertionError, ValueError)):
            cuda.run(cupy, other, *given)
    assert cupy.kinds() == ["rotation"]


@pytest.mark.parametrize("name", NAMES)
def test_a_call_looks_no_more_than_it_may(cupy: StandIn, name: str) -> None:
    entry, (inputs, params) = signature(name), valid(name)
    arrays = {one: Array(cupy, np.asarray(value), Device(0)) for one, value in inputs.items()}
    like = {} if entry.inputs else {"like": Array(cupy, np.zeros(()), Device(0))}
    cupy.looks = 0
    find("reference", name)(*(arrays.get(one.name) for one in entry.inputs), **params, **like)
    assert cupy.looks <= limit(entry)


@pytest.mark.parametrize("name", ["rope.apply", "rope.apply_qk", "rope.rerotate", "rope.apply_vjp"])
def test_tables_are_made_on_the_device_of_the_arrays(cupy: StandIn, name: str) -> None:
    entry, (inputs, params), far = signature(name), valid(name), Device(1)
    arrays = {one: Array(cupy, np.asarray(value), far) for one, value in inputs.items()}
    results = find("reference", name)(*(arrays[one.name] for one in entry.inputs), **params)
    for result in results if isinstance(results, tuple) else (results,):
        assert result.device == far
