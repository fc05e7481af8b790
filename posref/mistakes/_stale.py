"""Known wrong objects of scenarios: each keeps from one call what does not hold in a later one.

Made anew for every call they are right, so no single call shows them.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from posref.mistakes._alter import Arguments, bound, reference
from posref.operation import StaleMistake, signature

Array = NDArray[Any]


class Keeper:
    """An object that keeps its parameters, as it should."""

    def __init__(self, operation: str, /, **params: Any) -> None:
        self.operation = operation
        self.params = params

    def __call__(self, *inputs: Any, **own: Any) -> Any:
        """Return the reference's result for the arguments of the call, altered by what is kept."""
        arguments = {**self.params, **bound(self.operation, inputs, own)}
        return reference(self.operation, self.altered(arguments))

    def altered(self, arguments: Arguments) -> Arguments:
        """Return the arguments that are used in place of those of the call."""
        return arguments

    @property
    def last(self) -> str:
        """The last input: positions, ids, shifts, keys."""
        return signature(self.operation).inputs[-1].name


class LongestLength(Keeper):
    """Keeps the frequencies of the longest input so far."""

    longest = 0

    def altered(self, arguments: Arguments) -> Arguments:
        length = arguments["seq_len"]
        self.longest = max(self.longest, length or 0)
        return {**arguments, "seq_len": length and self.longest}


class FirstLength(Keeper):
    """Keeps the frequencies of its first call."""

    first: int | None = None

    def altered(self, arguments: Arguments) -> Arguments:
        self.first = self.first or arguments["seq_len"]
        return {**arguments, "seq_len": self.first}


class TableByShape(Keeper):
    """Keeps a table for the shape of the positions that it was made from."""

    def __init__(self, operation: str, /, **params: Any) -> None:
        super().__init__(operation, **params)
        self.tables: dict[tuple[int, ...], Any] = {}

    def altered(self, arguments: Arguments) -> Arguments:
        positions = arguments[self.last]
        return {**arguments, self.last: self.tables.setdefault(positions.shape, positions.copy())}


class TableNotGrown(Keeper):
    """Makes a table at its first call, and takes the last row for what lies beyond."""

    end: Any = None

    def altered(self, arguments: Arguments) -> Arguments:
        positions = arguments[self.last]
        self.end = positions.max(initial=0) if self.end is None else self.end
        return {**arguments, self.last: np.minimum(positions, self.end).astype(positions.dtype)}


class SharedCursor(Keeper):
    """Keeps one count of tokens for the batch, and decodes every row there."""

    cursor: Any = None

    def altered(self, arguments: Arguments) -> Arguments:
        positions = arguments[self.last]
        if self.cursor is not None and positions.shape[-1:] == (1,):
            positions = np.full_like(positions, self.cursor)
        if positions.size:
            self.cursor = positions.max() + 1
        return {**arguments, self.last: positions}


class SharedConfiguration(Keeper):
    """Keeps the parameters for all objects of an operation: the one that was made last decides."""

    shared: ClassVar[dict[str, dict[str, Any]]] = {}

    def __init__(self, operation: str, /, **params: Any) -> None:
        super().__init__(operation, **params)
        self.shared[operation] = params

    def altered(self, arguments: Arguments) -> Arguments:
        return {**arguments, **self.shared[self.operation]}


class SharedLength(Keeper):
    """Keeps the longest length of all objects since the last one was made."""

    longest: ClassVar[int] = 0

    def __init__(self, operation: str, /, **params: Any) -> None:
        super().__init__(operation, **params)
        SharedLength.longest = 0

    def altered(self, arguments: Arguments) -> Arguments:
        length = arguments["seq_len"]
        SharedLength.longest = max(self.longest, length or 0)
        return {**arguments, "seq_len": length and self.longest}


class FirstInput(Keeper):
    """Keeps the last input of its first call."""

    first: Any = None

    def altered(self, arguments: Arguments) -> Arguments:
        self.first = arguments[self.last].copy() if self.first is None else self.first
        return {**arguments, self.last: self.first}


class SummedInput(Keeper):
    """Adds up the last inputs of all its calls."""

    total: Any = 0

    def altered(self, arguments: Arguments) -> Arguments:
        self.total = self.total + arguments[self.last]
        return {**arguments, self.last: self.total}


class IdsByShape(Keeper):
    """Keeps the ids that it gave for a number of rows and tokens."""

    def __init__(self, operation: str, /, **params: Any) -> None:
        super().__init__(operation, **params)
        self.ids: dict[tuple[int, ...], Array] = {}

    def __call__(self, *inputs: Any, **own: Any) -> Any:
        ids = super().__call__(*inputs, **own)
        return self.ids.setdefault(ids.shape, ids).copy()


class KeptOutput(Keeper):
    """Writes every output into one buffer, as long as it fits."""

    def __init__(self, operation: str, /, **params: Any) -> None:
        super().__init__(operation, **params)
        self.buffer = np.zeros(0)

    def __call__(self, *inputs: Any, **own: Any) -> Any:
        y = super().__call__(*inputs, **own)
        if self.buffer.dtype != y.dtype or self.buffer.size < y.size:
            self.buffer = np.empty(y.size, y.dtype)
        view = self.buffer[: y.size].reshape(y.shape)
        view[...] = y
        return view


def _stale(
    name: str, operation: str, flag: str, text: str, made: Callable[..., Any], report: str = ""
) -> StaleMistake:
    return StaleMistake(
        name, operation, flag, f"your output is what {text}", partial(made, operation), report
    )


_BY_SHAPE: Final = "a table kept for the shape of the positions, whatever they are, gives"
_CURSOR: Final = "decoding every row of a batch at the place after the longest one gives"
_BUFFER: Final = "one buffer for the outputs of all calls gives: a later call overwrites an earlier output"
_SHARED: Final = "the parameters of the object that was made last give, whichever object is called"

_OFFSET: Final = "https://github.com/lucidrains/rotary-embedding-torch/issues/11"

ROPE: Final = (
    _stale(
        "kept-length",
        "rope.apply",
        "kept-length",
        "the frequencies of the longest input so far give",
        LongestLength,
        "https://github.com/ggml-org/llama.cpp/issues/6849",
    ),
    _stale(
        "first-length",
        "rope.apply",
        "first-length",
        "the frequencies of the first call give in all later ones",
        FirstLength,
    ),
    _stale("table-by-shape", "rope.apply", "table-by-shape", _BY_SHAPE, TableByShape, _OFFSET),
    _stale("table-by-shape", "rope.apply_qk", "table-by-shape", _BY_SHAPE, TableByShape, _OFFSET),
    _stale(
        "table-not-grown",
        "rope.apply",
        "table-not-grown",
        "the table of the first call gives, its last row standing for all beyond",
        TableNotGrown,
    ),
    _stale("shared-cursor", "rope.apply", "shared-cursor", _CURSOR, SharedCursor),
    _stale("shared-cursor", "rope.apply_qk", "shared-cursor", _CURSOR, SharedCursor),
    _stale("shared-configuration", "rope.apply", "shared-configuration", _SHARED, SharedConfiguration),
    _stale(
        "shared-length",
        "rope.apply",
        "shared-length",
        "the longest length of any object gives, whichever object is called",
        SharedLength,
    ),
    _stale("kept-output", "rope.apply", "kept-output", _BUFFER, KeptOutput),
    _stale(
        "shift-kept", "rope.rerotate", "shift-kept", "the shift of the first call gives in all", FirstInput
    ),
    _stale(
        "shifts-added",
        "rope.rerotate",
        "shifts-added",
        "all shifts so far, added up, give in place of the last one",
        SummedInput,
    ),
)
"""Of rotary embedding."""

ATTENTION: Final = (
    _stale(
        "keys-kept",
        "attention.scores",
        "keys-kept",
        "the keys of the first call give in all later ones",
        FirstInput,
    ),
)
"""Of attention."""

POSITIONS: Final = (
    _stale(
        "ids-by-shape",
        "positions.from_mask",
        "ids-by-shape",
        "the ids of an earlier mask of the same shape give",
        IdsByShape,
    ),
    _stale(
        "ids-by-shape",
        "positions.from_lengths",
        "ids-by-shape",
        "the ids of an earlier pack with as many tokens give",
        IdsByShape,
    ),
    _stale(
        "shared-rank",
        "positions.shard",
        "shared-rank",
        "the share of the rank that was made last gives on every rank",
        SharedConfiguration,
    ),
)
"""Of position ids."""
