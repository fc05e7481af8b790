"""Layouts of inputs and outputs in memory: who reads or writes beside its tensors fails, others pass."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from posref import cli
from posref.adapters import Implementation, Unsupported, read_numpy, write_numpy
from posref.conformance import check
from posref.conformance.exchange import SkippedError
from posref.conformance.layouts import LAYOUTS, laid_out
from posref.conformance.run import run
from posref.conformance.scenario import play
from posref.conformance.verdict import Result
from posref.corpus import load_vectors
from posref.corpus.load import Corpus
from posref.operation import find

VIEWS = ("strided", "sliced", "transposed", "reversed")
APPLY, BOTH = find("reference", "rope.apply"), find("reference", "rope.apply_qk")


class Found:
    """What became of the cases of one operation in float32, without a diagnosis."""

    def __init__(self, results: Iterable[Result]) -> None:
        self.results = [one for one in results if one.verdict != "skipped"]
        self.wrong = {one.case_id: one.reason for one in self.results if one.verdict in ("fail", "error")}

    def __bool__(self) -> bool:
        return bool(self.results) and not self.wrong


@cache
def vectors(operation: str) -> Corpus:
    return load_vectors(operations=operation)


def made(function: Callable[..., Any], layout: str, operation: str) -> Implementation:
    return laid_out(Implementation("made", {operation: function}), layout)


def found(function: Callable[..., Any], layout: str = "contiguous", operation: str = "rope.apply") -> Found:
    tests = [test for test in vectors(operation).tests if test.kind == "value"]
    runs = run(made(function, layout, operation), tests, "float32", ranked=False)
    return Found(one.result for one in runs)


def performed(implementation: Implementation, layout: str = "contiguous") -> Found:
    """Play the scenarios of ``rope.apply`` alone."""
    played = play(laid_out(implementation, layout), vectors("rope.apply").scenarios, "float32", ranked=False)
    return Found(one.result for one in played)


def canonical(x: Any) -> tuple[int, ...]:
    """Return the strides of a C-contiguous array of this shape."""
    sizes = [x.itemsize]
    for size in reversed(x.shape[1:]):
        sizes.append(sizes[-1] * size)
    return tuple(reversed(sizes))[: x.ndim]


def lowest(x: Any) -> Any:
    """Return the view with its negative strides turned round: it starts at its lowest address."""
    return x[tuple(slice(None, None, -1 if step < 0 else 1) for step in x.strides)]


# How a view is made


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize("layout", VIEWS)
@pytest.mark.parametrize("shape", [(2, 3, 5, 4), (3, 4), (5,)])
def test_a_view_has_the_values_and_other_strides(dtype: str, layout: str, shape: tuple[int, ...]) -> None:
    values = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    view = laid_out(Implementation("made", {}), layout).write(values, dtype)
    assert read_numpy(view)[0] == dtype
    np.testing.assert_array_equal(read_numpy(view)[1], values)
    plain = write_numpy(values, dtype)
    assert view.strides != plain.strides or (layout, len(shape)) in (("transposed", 1), ("sliced", 1))


def test_where_the_elements_lie() -> None:
    """Element by element: a matrix of two rows, and two heads of three tokens."""
    values = np.arange(6.0).reshape(2, 3)

    def memory(layout: str, values: Any = values) -> list[float]:
        low = lowest(laid_out(Implementation("made", {}), layout).write(values, "float64"))
        span = 1 + sum(step // 8 * (size - 1) for step, size in zip(low.strides, low.shape, strict=True))
        return [float(one) for one in as_strided(low, (span,), (8,))]

    nan = float("nan")
    np.testing.assert_equal(memory("strided"), [0, nan, 1, nan, 2, nan, 3, nan, 4, nan, 5])
    np.testing.assert_equal(memory("sliced"), [0, 1, 2, nan, nan, nan, 3, 4, 5])
    assert memory("transposed") == [0, 3, 1, 4, 2, 5]
    assert memory("reversed") == [2, 1, 0, 5, 4, 3]
    heads = np.arange(6.0).reshape(2, 3, 1)
    assert memory("transposed", heads) == [0, 3, 1, 4, 2, 5]


def test_positions_scalars_and_empty_tensors_stay_as_they_are() -> None:
    implementation = laid_out(Implementation("made", {}), "strided")
    for values, dtype in ((np.arange(3), "int64"), (np.array(1.5), "float32"), (np.ones((0, 4)), "float32")):
        written = implementation.write(values, dtype)
        assert written.flags.c_contiguous
        assert written.shape == values.shape


def test_an_unknown_layout_is_an_error() -> None:
    with pytest.raises(ValueError, match="no layout 'diagonal'; there are contiguous, strided, sliced"):
        check("reference", "rope.apply", layout="diagonal")
    assert tuple(LAYOUTS) == ("contiguous", *VIEWS)


# What is judged with views


@pytest.mark.parametrize("layout", VIEWS)
@pytest.mark.parametrize("operation", ["rope.*", "attention.*", "alibi.bias", "learned.*", "shaw.*"])
def test_the_reference_passes_every_layout(layout: str, operation: str) -> None:
    report = check("reference", operation, ("float32", "bfloat16"), kind="value", layout=layout)
    assert report
    assert report.implementation == f"reference ({layout} inputs)"


@pytest.mark.parametrize("layout", VIEWS)
def test_who_takes_every_input_for_contiguous_fails(layout: str) -> None:
    def wrong(x: Any, positions: Any, **params: Any) -> Any:
        return APPLY(as_strided(lowest(x), x.shape, canonical(x)).copy(), positions, **params)

    assert found(wrong)
    report = found(wrong, layout)
    assert 2 * len(report.wrong) > len(report.results)


def test_who_looks_at_the_rows_alone_fails_where_elements_lie_apart() -> None:
    """The strides of rows are honoured, that of the last axis is taken for one."""

    def wrong(x: Any, positions: Any, **params: Any) -> Any:
        strides = (*(abs(step) for step in x.strides[:-1]), x.itemsize)
        return APPLY(as_strided(lowest(x), x.shape, strides).copy(), positions, **params)

    assert found(wrong)
    assert found(wrong, "sliced")
    assert not found(wrong, "strided")
    assert not found(wrong, "reversed")


def test_who_takes_rows_for_joined_fails_where_they_are_slices() -> None:
    """The stride of the last axis is honoured, those of rows are made up from the widths."""

    def wrong(x: Any, positions: Any, **params: Any) -> Any:
        step = x.strides[-1] // x.itemsize
        return APPLY(as_strided(x, x.shape, [step * one for one in canonical(x)]).copy(), positions, **params)

    assert found(wrong)
    assert found(wrong, "strided")
    assert not found(wrong, "sliced")


def test_who_swaps_heads_and_tokens_fails_where_they_are_transposed() -> None:
    """Tokens before heads in memory, taken for heads before tokens."""

    def wrong(x: Any, positions: Any, **params: Any) -> Any:
        joined = x.ndim < 3 or x.strides[-1] != x.itemsize
        return APPLY(x if joined else as_strided(x, x.shape, canonical(x)).copy(), positions, **params)

    assert found(wrong)
    assert found(wrong, "strided")
    assert "rope-apply-w4-half-b10000-heads-f32" in found(wrong, "transposed").wrong


@pytest.mark.parametrize("layout", ["strided", "sliced"])
def test_who_writes_beside_its_input_fails(layout: str) -> None:
    def wrong(x: Any, positions: Any, **params: Any) -> Any:
        y = APPLY(x, positions, **params)
        if x.ndim > 1 and x.shape[0] > 1 and not x.flags.c_contiguous:
            step = x.strides[-1]
            beyond = as_strided(x, (2 * x.shape[-1],), (x.itemsize,))
            beyond[x.shape[-1] if step == x.itemsize else 1] = 0.0
        return y

    assert found(wrong)
    reasons = set(found(wrong, layout).wrong.values())
    assert reasons == {"the call wrote to the memory of its inputs"}


def test_scenarios_are_played_with_views_too() -> None:
    def wrong(x: Any, positions: Any, **params: Any) -> Any:
        return APPLY(as_strided(x, x.shape, canonical(x)).copy(), positions, **params)

    def session(**params: Any) -> Callable[..., Any]:
        return lambda *inputs, **own: wrong(*inputs, **{**params, **own})

    plain = Implementation("plain", {"rope.apply": wrong})
    objects = Implementation("objects", {"rope.apply": APPLY}, sessions={"rope.apply": session})
    assert performed(Implementation("right", {"rope.apply": APPLY}), "strided")
    for one in (plain, objects):
        assert performed(one)
        assert not performed(one, "strided")


class Listed:
    """A tensor of a library without views."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __getitem__(self, index: Any) -> "Listed":
        return Listed(self.values[index].copy())


def test_a_library_without_views_is_skipped_with_a_reason() -> None:
    def call(x: Any, positions: Any, **params: Any) -> Any:
        raise Unsupported("never asked")

    listed = Implementation("listed", {"rope.apply": call}, write=lambda values, _: Listed(values))
    with pytest.raises(SkippedError, match=r"Listed has no strided view"):
        laid_out(listed, "strided").write(np.ones((2, 3)), "float32")
    report = check(listed, "rope.apply", "float32", kind="value", layout="strided")
    assert report.skipped == report.selected > 0
    assert {one.reason.partition(".")[2] for one in report.results} == {"Listed has no strided view"}


def test_torch_has_all_but_the_reversed_one() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensors = Implementation(
        "torch",
        {"rope.apply": APPLY},
        dtypes=("float64", "float32"),
        write=lambda values, dtype: torch.from_numpy(write_numpy(values, dtype)),
        read=lambda tensor: read_numpy(tensor.numpy()),
    )
    for layout in VIEWS[:-1]:
        assert check(tensors, "rope.apply", "float32", kind="value", layout=layout), layout
        assert not laid_out(tensors, layout).write(np.ones((2, 3, 4)), "float32").is_contiguous()
    report = check(tensors, "rope.apply", "float32", kind="value", layout="reversed")
    assert {one.reason for one in report.results} == {"torch.Tensor has no reversed view"}


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", "reference", "--operation", "rope.rotate", "--dtype", "float32", "--layout"]
    assert cli.main([*arguments, "transposed"]) == 0
    assert "posref: reference (transposed inputs)" in capsys.readouterr().out
    assert cli.main([*arguments, "sideways"]) == 2
    assert "no layout 'sideways'" in capsys.readouterr().err


# Entry points


def test_who_launches_the_first_row_of_a_batch_alone_fails_for_single_tokens() -> None:
    def first_alone(y: Any) -> Any:
        if y.ndim > 2 and y.shape[-2] == 1:
            y[1:] = 0
        return y

    assert not found(lambda *inputs, **params: first_alone(APPLY(*inputs, **params)))
    report = found(
        lambda *inputs, **params: tuple(first_alone(one.copy()) for one in BOTH(*inputs, **params)),
        operation="rope.apply_qk",
    )
    assert "rope-apply-qk-w8-adjacent-b10000-single-bf16" in report.wrong


def test_who_finds_keys_by_the_number_of_query_heads_fails() -> None:
    """Rows of keys lie as far apart as rows of queries."""

    def wrong(q: Any, k: Any, positions: Any, **params: Any) -> Any:
        turned, keys = BOTH(q, k, positions, **params)
        if k.ndim == 4:
            apart, heads = q.shape[1], keys.shape[1]
            flat = keys.reshape(-1, *k.shape[2:])
            keys = np.stack([flat[(apart * row + np.arange(heads)) % len(flat)] for row in range(len(k))])
        return turned, keys

    assert not found(wrong, operation="rope.apply_qk")


# Outputs in each other's memory


def test_one_buffer_for_queries_and_keys_fails() -> None:
    def wrong(q: Any, k: Any, positions: Any, **params: Any) -> Any:
        turned, keys = BOTH(q, k, positions, **params)
        buffer = np.empty(max(turned.size, keys.size), turned.dtype)
        views = [buffer[: one.size].reshape(one.shape) for one in (turned, keys)]
        for view, values in zip(views, (turned, keys), strict=True):
            view[...] = values
        return tuple(views)

    report = found(wrong, operation="rope.apply_qk")
    assert {reason.partition("[")[0] for reason in report.wrong.values()} == {"q"}


def test_an_input_written_over_and_returned_fails() -> None:
    def wrong(x: Any, positions: Any, **params: Any) -> Any:
        x[...] = APPLY(x, positions, **params)
        return x

    report = found(wrong)
    assert set(report.wrong.values()) == {"the call changed its input x"}
    assert 2 * len(report.wrong) > len(report.results)


def test_an_input_returned_as_it_is_fails() -> None:
    assert not found(lambda x, positions, **_: x)


def test_one_buffer_for_all_calls_fails() -> None:
    """Each single call is right."""
    kept: dict[Any, Any] = {}

    def wrong(x: Any, positions: Any, **params: Any) -> Any:
        y = APPLY(x, positions, **params)
        buffer = kept.setdefault((y.shape, y.dtype), np.empty_like(y))
        buffer[...] = y
        return buffer

    assert found(wrong)
    reasons = performed(Implementation("made", {"rope.apply": wrong})).wrong.values()
    assert reasons
    assert all(reason.endswith("has been overwritten since") for reason in reasons)
