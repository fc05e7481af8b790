"""Ways in which the same values may lie in memory; each gives the array and the memory that it stands in."""

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np

Laid = tuple[np.ndarray, np.ndarray]
Way = Callable[[np.ndarray], Laid]

FILLER = 0xA5
"""The byte between values that a view passes over."""


class Own(np.ndarray):
    """A subclass that adds nothing."""


def _room(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    room = np.empty(shape, dtype)
    room.reshape(-1).view(np.uint8).fill(FILLER)
    return room


def _filled(view: np.ndarray, array: np.ndarray, room: np.ndarray) -> Laid:
    view[...] = array
    return view, room


def contiguous(array: np.ndarray) -> Laid:
    room = array.copy()
    return room, room


def reversed_axes(array: np.ndarray) -> Laid:
    room = np.flip(array).copy()
    return np.flip(room), room


def columns_first(array: np.ndarray) -> Laid:
    room = array.T.copy()
    return room.T, room


def swapped_axes(array: np.ndarray) -> Laid:
    if array.ndim < 2:
        return contiguous(array)
    room = array.swapaxes(0, -2).copy()
    return room.swapaxes(0, -2), room


def sliced(array: np.ndarray) -> Laid:
    if not array.ndim:
        return contiguous(array)
    room = _room(tuple(2 * size + 1 for size in array.shape), array.dtype)
    return _filled(room[(slice(1, None, 2),) * array.ndim], array, room)


def repeated(array: np.ndarray) -> Laid:
    """Zero strides along every axis whose entries are all alike."""
    room = array
    for axis, size in enumerate(array.shape):
        first = room[(slice(None),) * axis + (slice(0, 1),)]
        alike = size and room.tobytes() == np.broadcast_to(first, room.shape).tobytes()
        room = first if alike else room
    room = room.copy()
    return np.broadcast_to(room, array.shape), room


def odd_strides(array: np.ndarray) -> Laid:
    """Strides of any size where an axis has one entry, or none."""
    room = array.copy()
    strides = [s if n > 1 else 7 * array.itemsize for s, n in zip(room.strides, room.shape, strict=True)]
    return np.lib.stride_tricks.as_strided(room, room.shape, strides), room


def unaligned(array: np.ndarray) -> Laid:
    room = np.full(array.nbytes + 1, FILLER, np.uint8)
    return _filled(np.ndarray(array.shape, array.dtype, room, offset=1), array, room)


def other_byte_order(array: np.ndarray) -> Laid:
    if array.dtype.kind not in "iuf":
        return contiguous(array)
    room = array.astype(array.dtype.newbyteorder())
    return room, room


def read_only(array: np.ndarray) -> Laid:
    room = array.copy()
    room.flags.writeable = False
    return room, room


def of_bytes(array: np.ndarray) -> Laid:
    """Memory of an object that Python takes for constant."""
    if not array.size:
        return contiguous(array)
    room = np.frombuffer(array.tobytes(), np.uint8)
    return room.view(array.dtype).reshape(array.shape), room


def subclass(array: np.ndarray) -> Laid:
    room = array.copy()
    return room.view(Own), room


WAYS: Mapping[str, Way] = {
    one.__name__: one
    for one in (
        contiguous, reversed_axes, columns_first, swapped_axes, sliced, repeated, odd_strides, unaligned,
        other_byte_order, read_only, of_bytes, subclass,
    )
}  # fmt: skip


def mapped(folder: Path) -> Way:
    """Return the way of a file that is mapped into memory."""

    def way(array: np.ndarray) -> Laid:
        if not array.size or array.dtype.kind == "V":  # nothing can be mapped; bfloat16 is foreign to NumPy
            return contiguous(array)
        with NamedTemporaryFile(dir=folder) as file:
            file.write(bytes(3) + array.tobytes())
            file.flush()
            view: Any = np.memmap(file, array.dtype, "r", 3, array.shape)
        return view, view

    return way


def widths(array: np.ndarray) -> list[np.dtype]:
    """Return the integer dtypes that hold the values of an array of integers; of any other, its own."""
    if array.dtype != np.int64:
        return [array.dtype]
    kinds = [np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)]
    least, most = (int(array.min()), int(array.max())) if array.size else (0, 0)
    return [kind for kind in kinds if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max]
