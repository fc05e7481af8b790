"""Implementations that keep something they should not, in plain NumPy on the reference's functions.

Each is a class whose objects are made with the parameters of one operation and then called. A fresh
object for every call makes it stateless and right.
"""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from posref.adapters import Implementation
from posref.operation import find

OPERATIONS = ("rope.apply", "rope.rerotate", "attention.scores", "positions.from_lengths")


class Honest:
    """An object that keeps its parameters and nothing else."""

    operation: ClassVar[str] = "rope.apply"

    def __init__(self, **params: Any) -> None:
        self.params = params

    def __call__(self, *inputs: Any, **own: Any) -> Any:
        return find("reference", self.operation)(*inputs, **{**self.params, **own})


class LongestLength(Honest):
    """Keeps the frequencies of the longest input so far."""

    longest = 0

    def __call__(self, *inputs: Any, seq_len: int | None = None) -> Any:
        seq_len = self.params["seq_len"] if seq_len is None else seq_len
        self.longest = max(self.longest, seq_len or 0)
        return super().__call__(*inputs, seq_len=seq_len and self.longest)


class FirstLength(Honest):
    """Keeps the frequencies of its first call."""

    first: int | None = None

    def __call__(self, *inputs: Any, seq_len: int | None = None) -> Any:
        seq_len = self.params["seq_len"] if seq_len is None else seq_len
        self.first = self.first or seq_len
        return super().__call__(*inputs, seq_len=self.first)


class TableByShape(Honest):
    """Keeps a table for the shape of the positions that it was made from."""

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.tables: dict[tuple[int, ...], Any] = {}

    def __call__(self, x: Any, positions: Any, **own: Any) -> Any:
        kept = self.tables.setdefault(positions.shape, positions.copy())
        return super().__call__(x, kept, **own)


class TableNotGrown(Honest):
    """Makes a table at its first call, and takes the last row for what lies beyond."""

    last: Any = None

    def __call__(self, x: Any, positions: Any, **own: Any) -> Any:
        self.last = positions.max(initial=0) if self.last is None else self.last
        return super().__call__(x, np.minimum(positions, self.last).astype(positions.dtype), **own)


class SharedConfiguration(Honest):
    """Keeps the configuration in the class: the object that was made last decides."""

    shared: ClassVar[dict[str, Any]] = {}

    def __init__(self, **params: Any) -> None:
        SharedConfiguration.shared = params

    @property
    def params(self) -> dict[str, Any]:  # type: ignore[override]
        return self.shared


class SharedLength(Honest):
    """Keeps the longest length since the last object was made in the class."""

    longest: ClassVar[int] = 0

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        SharedLength.longest = 0

    def __call__(self, *inputs: Any, seq_len: int | None = None) -> Any:
        seq_len = self.params["seq_len"] if seq_len is None else seq_len
        SharedLength.longest = max(self.longest, seq_len or 0)
        return super().__call__(*inputs, seq_len=seq_len and self.longest)


class ShiftKept(Honest):
    """Keeps the first shift."""

    operation = "rope.rerotate"
    delta: Any = None

    def __call__(self, k: Any, delta: Any, **own: Any) -> Any:
        self.delta = delta.copy() if self.delta is None else self.delta
        return super().__call__(k, self.delta, **own)


class KeptOutput(Honest):
    """Writes every output into one buffer, as long as it fits."""

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.buffer = np.zeros(0)

    def __call__(self, *inputs: Any, **own: Any) -> Any:
        y = super().__call__(*inputs, **own)
        if self.buffer.dtype != y.dtype or self.buffer.size < y.size:
            self.buffer = np.empty(y.size, y.dtype)
        view = self.buffer[: y.size].reshape(y.shape)
        view[...] = y
        return view


STALE: dict[str, type[Honest]] = {
    "kept-length": LongestLength,
    "first-length": FirstLength,
    "table-by-shape": TableByShape,
    "table-not-grown": TableNotGrown,
    "shared-configuration": SharedConfiguration,
    "shared-length": SharedLength,
    "shift-kept": ShiftKept,
    "kept-output": KeptOutput,
}
"""The class of each mistake, by the flag of the scenarios that look for it."""


def stateless(made: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operation that makes a fresh object for every call."""
    return lambda *inputs, **params: made(**params)(*inputs)


def stateful(made: type[Honest]) -> Implementation:
    """Return an implementation that keeps objects of the class; its other operations are right."""
    right = {name: find("reference", name) for name in OPERATIONS}
    operations = {**right, made.operation: stateless(made)}
    return Implementation(made.__name__, operations, sessions={made.operation: made})


def classes() -> Iterator[tuple[str, type[Honest]]]:
    """Yield the flags and classes of all mistakes."""
    yield from STALE.items()
