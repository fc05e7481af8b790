"""How kernels are laid over arrays, and conversions between dtypes that lose no bit where CuPy computes.

CuPy is whatever the caller has imported. A call that rounds looks at one number on the device, afterwards:
whether a result overflowed.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from posref.numerics import cuda_source
from posref.numerics.cuda_source import Kernel
from posref.numerics.rounding import bfloat16

THREADS: Final = 256
"""Threads of a block."""

BUSY: Final = 2**19
"""Threads that keep a device busy."""

WIDEST: Final = 2**31 - 1
TALLEST: Final = 2**16 - 1
"""The most blocks along the first and the second axis of a grid."""


class Axis(NamedTuple):
    """An axis of arrays that are walked together: its size, and the stride of each, in elements."""

    size: int
    strides: tuple[int, ...]


class Launch(NamedTuple):
    """A kernel over a grid of blocks, and the whole numbers that it gets after its arrays."""

    kernel: Kernel
    grid: tuple[int, int]
    threads: int
    numbers: tuple[int, ...]


def collapse(shape: Sequence[int], *strides: Sequence[int]) -> list[Axis]:
    """Return the axes of arrays of one shape as few as can be, in order.

    Axes of size 1 go, and two that every array walks through as if they were one become one.

    Parameters
    ----------
    shape : sequence of int
        Sizes of the axes.
    *strides : sequences of int
        For each array the stride of each axis.

    Returns
    -------
    list of Axis
        Together they have as many elements.
    """
    axes: list[Axis] = []
    for size, *steps in zip(shape, *strides, strict=True):
        if size == 1:
            continue
        whole = tuple(size * step for step in steps)
        outer = axes.pop().size if axes and axes[-1].strides == whole else 1
        axes.append(Axis(outer * size, tuple(steps)))
    return axes


def elements(array: Any) -> tuple[int, ...]:
    """Return the strides of an array in elements, 0 along axes of size 1."""
    return tuple(
        0 if size == 1 else stride // array.itemsize
        for size, stride in zip(array.shape, array.strides, strict=True)
    )


def stretched(array: Any, shape: tuple[int, ...], kept: int) -> tuple[int, ...]:
    """Return the strides of the leading axes of an array, all but the last `kept`, broadcast to `shape`."""
    own = elements(array)[: max(0, array.ndim - kept)]
    return (0,) * (len(shape) - len(own)) + own


def rotation(x: Any, cos: Any, start: int, pairing_in: str, pairing_out: str) -> Launch:
    """Return how a tensor is rotated into a new one; of the arrays, CuPy's or NumPy's, the layout counts.

    Parameters
    ----------
    x : array, shape (..., T, D)
        What is rotated.
    cos : array of float64, shape (..., T, h), or (h,) where all tokens share a row
        One of the tables; the other lies as it does.
    start : int
        First coordinate of the rotated slice.
    pairing_in, pairing_out : {"adjacent", "half"}
        Where a pair is read and where it is written.
    """
    width, half, tokens = x.shape[-1], cos.shape[-1], x.shape[-2]
    *axes, head = [
        Axis(1, (0, 0)),
        *collapse(x.shape[:-2], elements(x)[:-2], stretched(cos, x.shape[:-2], 2)),
    ]
    outer = axes[1:]
    rows = -(-tokens * (width - half) // THREADS)
    chunks = min(head.size, max(1, BUSY // max(1, rows * THREADS * prod(axis.size for axis in outer))))
    chunk = -(-head.size // chunks)
    chunks = -(-head.size // chunk)
    parts = chunks * prod(axis.size for axis in outer)
    steps = (head.strides[0], *elements(x)[-2:], head.strides[1], *(0, *elements(cos))[-2:])
    read = "paired" if pairing_in == "adjacent" and _aligned(x, start) else pairing_in
    write = "paired" if pairing_out == "adjacent" and width % 2 == start % 2 == 0 else pairing_out
    dtype = x.dtype.name
    return Launch(
        cuda_source.rotation(dtype, read, write, len(outer)),
        (rows, min(parts, TALLEST)),
        THREADS,
        (width, start, half, tokens, head.size, parts, chunks, chunk, *steps, *_flat(outer)),
    )


def _flat(axes: Sequence[Axis]) -> Iterator[int]:
    for axis in axes:
        yield from (axis.size, *axis.strides)


def _aligned(x: Any, start: int) -> bool:
    """Return whether every pair of neighbours lies at a multiple of its size."""
    *others, last = elements(x)
    even = all(step % 2 == 0 for step in (*others, start))
    return last == 1 and even and _address(x) % (2 * x.itemsize) == 0


def _address(x: Any) -> int:
    return int(x.ctypes.data if isinstance(x, np.ndarray) else x.data.ptr)


def bias(queries: Any, keys: Any, slopes: Any, dtype: str, form: str, future: str) -> Launch:
    """Return how the bias of ALiBi is made.

    Parameters
    ----------
    queries, keys : arrays of int64, shapes (..., Q) and (..., K)
        Positions.
    slopes : array of float64, shape (H,)
        Slopes.
    dtype : str
        Of the result, of shape (..., H, Q, K).
    form, future : str
        As in `posref.alibi.bias`.
    """
    leading = np.broadcast_shapes(queries.shape[:-1], keys.shape[:-1])
    axes = collapse(leading, stretched(queries, leading, 1), stretched(keys, leading, 1))
    lines = prod(leading) * slopes.shape[0] * queries.shape[-1]
    sizes = (lines, slopes.shape[0], queries.shape[-1], keys.shape[-1])
    steps = (elements(queries)[-1], elements(keys)[-1], elements(slopes)[-1])
    grid = (min(lines, WIDEST), min(TALLEST, max(1, keys.shape[-1] // (8 * THREADS))))
    return Launch(
        cuda_source.bias(dtype, form, future, len(axes)), grid, THREADS, (*sizes, *steps, *_flat(axes))
    )


def flat(kernel: Kernel, count: int) -> Launch:
    """Return how `count` numbers that follow each other are converted."""
    return Launch(kernel, (min(-(-count // THREADS), WIDEST), 1), THREADS, (count,))


def run(xp: Any, launch: Launch, *arrays: Any) -> None:
    """Run a kernel on the current device; nothing waits for it."""
    if launch.grid[0] and launch.grid[1]:
        _compiled(xp, launch.kernel)(launch.grid, (launch.threads,), (*arrays, *launch.numbers))


@lru_cache(maxsize=256)
def _compiled(xp: Any, kernel: Kernel) -> Any:
    return xp.RawKernel(kernel.source, kernel.name)


def empty(xp: Any, shape: tuple[int, ...], dtype: str) -> Any:
    """Return a new array; CuPy has no name of its own for bfloat16."""
    return xp.empty(shape, bfloat16() if dtype == "bfloat16" else dtype)


def wide(xp: Any, device: Any, stored: Any) -> Any:
    """Return numbers of a floating dtype as float64, exact."""
    if stored.dtype.name == "float64":
        return stored
    with device:
        result = xp.empty(stored.shape, "float64")
        run(xp, flat(cuda_source.wide(stored.dtype.name), stored.size), xp.ascontiguousarray(stored), result)
    return result


def narrow(xp: Any, device: Any, values: Any, dtype: str, masked: Any = None) -> Any:
    """Return float64 rounded once to `dtype`, -infinity where `masked`; OverflowError where that is none."""
    with device:
        result, bad = empty(xp, values.shape, dtype), xp.zeros((), "int32")
        arrays = [xp.ascontiguousarray(values)]
        if masked is not None:
            arrays.append(xp.ascontiguousarray(xp.broadcast_to(masked, values.shape)))
        kernel = cuda_source.narrow(dtype, masked is not None)
        run(xp, flat(kernel, values.size), *arrays, result, bad)
    if bool(bad):
        raise OverflowError(f"a value overflows {dtype}")
    return result
