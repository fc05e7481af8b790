"""Tables with a row a token, made a part at a time, and blocks of tokens that stay in cache.

The leading axes of a table broadcast into those of the tensors it acts on, so that many tokens (all heads,
often) share a row. Rows are expensive and tensors are large: each row is made once, and everything that
needs it is done while it is there.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from posref.numerics.given import Given
from posref.numerics.pieces import blocks, letters, spans

ENTRIES: Final = 2**17
"""Entries of a table that are there at a time."""

Place = tuple[slice, ...]
Rows = Callable[[str], Any]
"""Returns the part of an input that some rows of a table need, exact; called with its name."""


@dataclass(frozen=True)
class Table:
    """Cosines and sines of shape (..., T, width), made by `make` from the inputs named in `sources`."""

    given: Given
    sources: tuple[str, ...]
    width: int
    make: Callable[[Rows], tuple[Any, Any]]

    def whole(self) -> tuple[Any, Any]:
        """Return all of it."""
        return self.make(lambda name: getattr(self.given, name))

    def parts(self) -> Iterator[tuple[Place, tuple[Any, Any]]]:
        """Yield parts of at most about `ENTRIES` entries, with the place of their rows among the tokens."""
        shape = np.broadcast_shapes(*(self._tokens(name) for name in self.sources)) or (1,)
        for place in places(shape, self.width):
            yield place, self.make(partial(self._part, place))

    def _tokens(self, name: str) -> tuple[int, ...]:
        shape = self.given.stored[name].shape
        return tuple(shape[: len(shape) - self._columns(name)])

    def _columns(self, name: str) -> int:
        """Return how many axes of an input follow the tokens."""
        own = letters(next(one.shape for one in self.given.entry.inputs if one.name == name))
        return len(own[own.index("T") + 1 :]) if "T" in own else 0

    def _part(self, place: Place, name: str) -> Any:
        array, tokens = self.given.stored[name], self._tokens(name)
        part = array[_fitted(place, tokens)]
        return self.given.space.widen(part if tokens else part[None], self.given.dtypes[name])


def places(shape: tuple[int, ...], width: int) -> Iterator[Place]:
    """Yield places among the rows of a table of this shape, each of at most about `ENTRIES` entries.

    An axis of size 1 is never cut: what needs its one row may have more.
    """
    for place in cache_blocks(shape, width, ENTRIES):
        yield _fitted(place, shape)


def tokens_at(place: Place, array: Any) -> Any:
    """Return the tokens of `array`, of shape (..., T, D), that need the rows at `place` of a table."""
    return array[_fitted(place, array.shape[:-1])]


def _fitted(place: Place, tokens: tuple[int, ...]) -> Place:
    """Return `place` for an array with these token axes: more of them, fewer, or some of size 1."""
    wider = (slice(None),) * (len(tokens) - len(place)) + place
    own = wider[len(wider) - len(tokens) :]
    return tuple(slice(None) if size == 1 else at for size, at in zip(tokens, own, strict=True))


def cache_blocks(shape: tuple[int, ...], width: int, elements: int) -> Iterator[Place]:
    """Yield slices of tokens of `shape`, each token `width` wide, of about `elements` coordinates."""
    rows = max(1, elements // width)
    length = max(1, min(shape[-1], rows))
    for last in spans(shape[-1], length):
        for first in blocks(shape[:-1], rows // length):
            yield (*first, last)
