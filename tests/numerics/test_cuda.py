"""The CUDA kernels, run by a C++ compiler: bits, places and refusals; and what `nvcc` makes of them."""

import itertools
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiled import Compiled, source
from needed import tool

import posref
from posref.adapters import Implementation
from posref.numerics import cuda, cuda_source
from posref.numerics.cuda import Axis, collapse
from posref.numerics.rounding import FORMATS, decode_bits, native, round_bits
from posref.operation import DTYPES

NARROW = DTYPES[1:]
WAYS = list(itertools.product(("adjacent", "half"), ("adjacent", "half")))


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    return Compiled(tool("g++"), tmp_path_factory.mktemp("kernels"))


def patterns(dtype: str) -> np.ndarray:
    """Return all bits of 16; of more, those around every power of two and some others."""
    kind = FORMATS[dtype].bits
    if kind is np.uint16:
        return np.arange(2**16, dtype=kind)
    step = 1 << (FORMATS[dtype].digits - 1)
    powers = np.arange(0, 2 * FORMATS[dtype].infinity, step, dtype=np.uint64)
    near = np.concatenate([powers + delta for delta in (0, 1, step // 2, step - 1)])
    drawn = np.random.default_rng(2).integers(0, 2**32, 20_000, dtype=np.uint64)
    return np.concatenate((near, drawn)).astype(kind)


@pytest.mark.parametrize("dtype", NARROW)
def test_widening_is_exact(device: Compiled, dtype: str) -> None:
    bits = patterns(dtype)
    got = np.empty(bits.size)
    device.run(cuda.flat(cuda_source.wide(dtype), bits.size), bits, got)
    want = decode_bits(bits, dtype)
    assert np.array_equal(got, want, equal_nan=True)
    assert np.array_equal(np.signbit(got), np.signbit(decode_bits(bits, dtype)))


def between(dtype: str) -> np.ndarray:
    """Return finite values, midpoints of neighbours, and the doubles beside these."""
    bits = patterns(dtype)
    values = np.unique(decode_bits(bits[(bits & FORMATS[dtype].infinity) != FORMATS[dtype].infinity], dtype))
    middles = values[:-1] / 2 + values[1:] / 2
    return np.concatenate(
        (values, middles, np.nextafter(middles, np.inf), np.nextafter(middles, -np.inf), [-0.0])
    )


@pytest.mark.parametrize("dtype", NARROW)
def test_rounding_is_one_rounding(device: Compiled, dtype: str) -> None:
    values = between(dtype)
    got, bad = np.empty(values.size, FORMATS[dtype].bits), np.zeros((), np.int32)
    device.run(cuda.flat(cuda_source.narrow(dtype, False), values.size), values, got, bad)
    assert np.array_equal(got, round_bits(values, dtype))
    assert not bad


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("value", [1e308 * 10, -1e308 * 10, float("nan"), 3.5e38, 65520.0])
def test_what_overflows_is_seen(device: Compiled, dtype: str, value: float) -> None:
    values, bad = np.array([1.0, value]), np.zeros((), np.int32)
    got = np.empty(2, FORMATS[dtype].bits)
    device.run(cuda.flat(cuda_source.narrow(dtype, False), 2), values, got, bad)
    assert bool(bad) == (not np.isfinite(decode_bits(round_bits(values, dtype), dtype)[1]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_masked_is_no_overflow(device: Compiled, dtype: str) -> None:
    values, mask = np.array([np.nan, 2.0, np.inf]), np.array([True, False, True])
    got, bad = np.empty(3, FORMATS[dtype].bits), np.zeros((), np.int32)
    device.run(cuda.flat(cuda_source.narrow(dtype, True), 3), values, mask, got, bad)
    assert decode_bits(got, dtype).tolist() == [-np.inf, 2.0, -np.inf]
    assert not bad


def rotated(device: Compiled, x: Any, cos: Any, sin: Any, **ways: Any) -> Any:
    """Return a tensor rotated by a kernel."""
    tables = [np.ascontiguousarray(table, dtype=np.float64) for table in (cos, sin)]
    launch = cuda.rotation(x, tables[0], ways["rotary_start"], ways["pairing_in"], ways["pairing_out"])
    result, bad = np.empty(x.shape, x.dtype), np.zeros((), np.int32)
    device.run(launch, x, *tables, result, bad)
    if bad:
        raise OverflowError
    return result


def biased(device: Compiled, q: Any, k: Any, slopes: Any, *, form: str, future: str, dtype: str) -> Any:
    """Return the bias of ALiBi as a kernel makes it."""
    q, k, slopes = q.astype(np.int64), k.astype(np.int64), slopes.astype(np.float64)
    leading = np.broadcast_shapes(q.shape[:-1], k.shape[:-1])
    result = native(np.zeros((*leading, slopes.size, q.shape[-1], k.shape[-1])), dtype)
    bad = np.zeros((), np.int32)
    device.run(cuda.bias(q, k, slopes, dtype, form, future), q, k, slopes, result, bad)
    if bad:
        raise OverflowError
    return result


def test_the_kernels_keep_the_vectors(device: Compiled) -> None:
    operations = {
        "rope.rotate": lambda *inputs, **params: rotated(device, *inputs, **params),
        "alibi.bias": lambda *inputs, **params: biased(device, *inputs, **params),
    }
    report = posref.check(Implementation("kernels", operations), list(operations), kind="value")
    assert bool(report), str(report)
    claims = {(one.operation, one.dtype): one.strongest_claim for one in report.operations}
    for name, dtype in itertools.product(operations, NARROW):
        assert claims[name, dtype] == "correctly_rounded"
    assert len(claims) == 8


def layouts(values: np.ndarray) -> dict[str, np.ndarray]:
    """Return arrays of these values that lie differently."""
    wide = np.repeat(values, 2, axis=-1)
    longer = np.concatenate((values[..., :3], values), axis=-1)
    return {
        "contiguous": values,
        "strided": wide[..., ::2],
        "sliced": longer[..., 3:],
        "heads last": np.ascontiguousarray(values.swapaxes(-3, -2)).swapaxes(-3, -2),
        "reversed": np.ascontiguousarray(values[:, ::-1, ::-1, ::-1])[:, ::-1, ::-1, ::-1],
        "stretched": np.broadcast_to(values[:, :1], values.shape),
    }


def tables(angle: np.ndarray) -> list[np.ndarray]:
    """Return angles of shape (3, 4, 5, h), with axes of size 1 or none where rows are shared."""
    shapes = ((3, 4, 5), (5,), (1, 4, 5), (3, 1, 5), (1, 5), (4, 5), (3, 4, 1))
    parts = [angle[tuple(slice(size) for size in (1,) * (3 - len(shape)) + shape)] for shape in shapes]
    return [angle[0, 0, 0], *(part.reshape(*shape, -1) for part, shape in zip(parts, shapes, strict=True))]


def compare_rotations(device: Compiled, dtype: str, width: int, start: int, half: int) -> None:
    draw = np.random.default_rng(5)
    scale = 2.0 ** draw.integers(-140, 3, (3, 4, 5, width))
    x = native(draw.standard_normal(scale.shape) * scale, dtype)
    angle = draw.standard_normal((3, 4, 5, half)) * 9
    for (name, array), table, (read, write) in itertools.product(layouts(x).items(), tables(angle), WAYS):
        ways = {"pairing_in": read, "pairing_out": write, "rotary_start": start}
        rows = np.broadcast_to(table, (*table.shape[:-2], 5, half))  # where one row serves all tokens
        want = posref.rope.rotate(array, np.cos(rows), np.sin(rows), **ways)
        got = rotated(device, array, np.cos(table), np.sin(table), **ways)
        assert got.tobytes() == want.tobytes(), (name, table.shape, read, write)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("width", "start", "half"), [(8, 0, 4), (11, 3, 2), (12, 2, 5), (7, 1, 1)])
def test_every_layout_is_rotated_as_on_the_host(
    device: Compiled, dtype: str, width: int, start: int, half: int
) -> None:
    compare_rotations(device, dtype, width, start, half)


LIMITS = [
    {"THREADS": 1, "BUSY": 1},  # all heads in one chunk, one thread a block
    {"THREADS": 7, "BUSY": 2**20},  # every head by itself
    {"THREADS": 32, "BUSY": 200, "TALLEST": 2, "WIDEST": 3},  # fewer blocks than parts
]


@pytest.mark.parametrize("limits", LIMITS)
def test_however_the_grid_is_cut(
    device: Compiled, limits: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(cuda, name, value)
    compare_rotations(device, "float32", 9, 1, 3)
    compare_biases(device, "bfloat16")
    values, got, bad = np.arange(100.0), np.zeros(100, np.float32), np.zeros((), np.int32)
    device.run(cuda.flat(cuda_source.narrow("float32", False), 100), values, got, bad)
    assert np.array_equal(got, values)


def compare_biases(device: Compiled, dtype: str) -> None:
    draw = np.random.default_rng(6)
    q, k = draw.integers(-50, 50, (2, 3, 5)), draw.integers(-(2**53), 2**53, (2, 3, 9))
    k[..., :5] = q + draw.integers(-2, 3, q.shape)
    slopes = np.array([0.5, 1 / 3, -0.1, 2.0**-60])
    pairs = [(q, k), (q[0, 0], k[0, 0]), (q[:, :1], k[:1]), (q[1], k[0, 0]), (q[..., ::2], k[..., ::-1])]
    ways = itertools.product(("neg_distance", "neg_abs", "key_index"), ("neg_inf", "keep"))
    if dtype == "float16":
        pairs = [(queries, keys % 2**12) for queries, keys in pairs]
    for (form, future), (queries, keys) in itertools.product(ways, pairs):
        chosen = {"form": form, "future": future, "dtype": dtype}
        want = posref.alibi.bias(queries, keys, slopes, **chosen)
        got = biased(device, queries, keys, slopes, **chosen)
        assert got.tobytes() == want.tobytes(), (form, future, queries.shape, keys.shape)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_bias_is_made_as_on_the_host(device: Compiled, dtype: str) -> None:
    compare_biases(device, dtype)


@pytest.mark.parametrize("place", [0, 1, 3, 4])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_rotation_that_overflows_is_seen(device: Compiled, dtype: str, place: int) -> None:
    x = native(np.ones((2, 3, 5)), dtype)
    x[1, 2, place] = np.inf  # coordinates 0 and 4 are only moved
    ways = {"pairing_in": "half", "pairing_out": "adjacent", "rotary_start": 1}
    with pytest.raises(OverflowError):
        rotated(device, x, np.ones((3, 1)), np.zeros((3, 1)), **ways)
    largest = native(np.full((2, 3, 5), decode_bits(FORMATS[dtype].infinity - 1, dtype)), dtype)
    assert rotated(device, largest, np.ones((3, 1)), np.zeros((3, 1)), **ways).tobytes() == largest.tobytes()
    with pytest.raises(OverflowError):
        rotated(device, largest, np.ones((3, 1)), np.ones((3, 1)), **ways)


def test_a_bias_that_overflows_is_seen_unless_it_is_masked(device: Compiled) -> None:
    q, k, slopes = np.array([0]), np.array([-4, 4]), np.array([20000.0])
    ways = {"form": "neg_abs", "dtype": "float16"}
    with pytest.raises(OverflowError):
        biased(device, q, k, slopes, future="keep", **ways)
    got = biased(device, q, k[1:], slopes, future="neg_inf", **ways)
    assert got.tolist() == [[[-np.inf]]]


def test_axes_are_as_few_as_can_be() -> None:
    assert collapse((2, 3), (3, 1)) == [Axis(6, (1,))]
    assert collapse((2, 3), (3, 1), (0, 0)) == [Axis(6, (1, 0))]
    assert collapse((2, 3), (3, 1), (0, 1)) == [Axis(2, (3, 0)), Axis(3, (1, 1))]
    assert collapse((2, 1, 3), (-3, 99, -1)) == [Axis(6, (-1,))]
    assert collapse((2, 3, 4), (24, 4, 1)) == [Axis(2, (24,)), Axis(12, (1,))]
    assert collapse((1, 1), (5, 7)) == []


def test_pairs_are_read_at_once_only_where_they_are_aligned() -> None:
    even, odd = np.zeros((2, 3, 8), np.float32), np.zeros((2, 3, 9), np.float32)
    cos = np.zeros((3, 2))
    reads = {
        "aligned": even,
        "even part of odd rows": odd[..., :8],
        "odd rows": odd,
        "strided": np.zeros((2, 3, 16), np.float32)[..., ::2],
        "odd place": np.zeros(49, np.float32)[1:].reshape(2, 3, 8),
    }
    names = {
        name: cuda.rotation(array, cos, 0, "adjacent", "half").kernel.name for name, array in reads.items()
    }
    assert {name for name, kernel in names.items() if "_paired_half" in kernel} == {"aligned"}
    assert "_paired_paired_" in cuda.rotation(even, cos, 2, "adjacent", "adjacent").kernel.name
    assert "_adjacent_adjacent_" in cuda.rotation(even, cos, 1, "adjacent", "adjacent").kernel.name
    assert "_half_adjacent_" in cuda.rotation(odd, cos, 0, "half", "adjacent").kernel.name


def test_nothing_is_launched_for_no_tokens() -> None:
    def compile_it(*_: Any) -> Any:
        raise AssertionError

    class Library:
        RawKernel = staticmethod(compile_it)

    empty = np.zeros((2, 0, 4), np.float32)
    cuda.run(Library, cuda.rotation(empty, np.zeros((0, 2)), 0, "half", "half"), empty)
    keys = np.zeros(0, np.int64)
    cuda.run(Library, cuda.bias(keys, keys, np.ones(2), "float32", "neg_abs", "keep"))


def test_nvcc_flushes_nothing_and_warns_of_nothing(tmp_path: Path) -> None:
    """CuPy compiles with ``-ftz=true``: the kernels must have no instruction on floats at all."""
    (tmp_path / "kernels.cu").write_text(source(), encoding="utf-8")
    command = [
        tool("nvcc", group="nvcc"),
        "-arch=sm_80",
        "-ftz=true",
        "-Werror",
        "all-warnings",
        "-ptx",
        "kernels.cu",
    ]
    subprocess.run([*command, "-o", "kernels.ptx"], cwd=tmp_path, check=True)
    instructions = (tmp_path / "kernels.ptx").read_text(encoding="utf-8")
    assert "mul.rn.f64" in instructions
    assert ".f32" not in instructions
    assert "fma" not in instructions
