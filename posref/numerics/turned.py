"""Turning pairs where NumPy computes: as complex numbers, block by block, each block in cache.

A pair is a complex number, its table entry another one, and turning is their product. What is read is
widened a block at a time, and what comes out is rounded into the result, so no wide copy is ever made.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.numerics import rounding
from posref.numerics.tokens import cache_blocks

ELEMENTS: Final = 2**15
"""Coordinates of a block."""


class Turn:
    """How pairs of a tensor of `dtype` are turned: `width` pairs, read and written where `rotate` says."""

    def __init__(
        self, dtype: str, width: int, *, pairing_in: str, pairing_out: str, rotary_start: int
    ) -> None:
        self.dtype = dtype
        self.width = width
        self.adjacent_in = pairing_in == "adjacent"
        self.adjacent_out = pairing_out == "adjacent"
        self.start = rotary_start
        self.stop = rotary_start + 2 * width
        self.buffer = np.empty(0, np.complex128)

    @np.errstate(all="ignore")
    def fill(self, x: Any, cos: Any, sin: Any, result: Any, check: Callable[[Any], None]) -> None:
        """Turn `x`, as stored, into `result`; `check` gets every block of it."""
        table = np.empty(np.broadcast_shapes(cos.shape, sin.shape), np.complex128)
        table.real, table.imag = cos, sin
        table = np.broadcast_to(table, (*x.shape[:-1], self.width))
        for place in cache_blocks(x.shape[:-1], x.shape[-1], ELEMENTS):
            self._block(x[place], table[place], result[place])
            check(result[place])

    def _block(self, x: Any, table: Any, result: Any) -> None:
        """Turn one block. Zero is added so that an exact zero is +0."""
        pairs = self._pairs(rounding.wider(x[..., self.start : self.stop], self.dtype))
        self._multiply(pairs, table)
        inside = result[..., self.start : self.stop]
        if self.adjacent_out:
            self._put(pairs.view(np.float64), inside)
        else:
            self._put(pairs.real, inside[..., : self.width])
            self._put(pairs.imag, inside[..., self.width :])
        result[..., : self.start] = x[..., : self.start]
        result[..., self.stop :] = x[..., self.stop :]

    def _pairs(self, wide: Any) -> Any:
        """Return the pairs of a block as complex numbers, in the one buffer that all blocks share."""
        size = wide.size // 2
        if size > self.buffer.size:
            self.buffer = np.empty(size, np.complex128)
        pairs = self.buffer[:size].reshape((*wide.shape[:-1], self.width))
        if self.adjacent_in:
            pairs.view(np.float64)[...] = wide
        else:
            pairs.real, pairs.imag = wide[..., : self.width], wide[..., self.width :]
        return pairs

    def _multiply(self, pairs: Any, table: Any) -> None:
        """Multiply in place; not as complex numbers in float64, where a fused product would show."""
        if self.dtype != "float64":
            np.multiply(pairs, table, out=pairs)
            return
        u, w, c, s = pairs.real, pairs.imag, table.real, table.imag
        pairs.real, pairs.imag = u * c - w * s, u * s + w * c

    def _put(self, values: Any, target: Any) -> None:
        if self.dtype == "bfloat16":
            rounding.store(values + 0.0, target, self.dtype)
        else:
            np.add(values, 0.0, out=target)
