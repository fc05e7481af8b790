"""Turning pairs where NumPy computes: as complex numbers, block by block, each block in cache.

A pair is a complex number, its table entry another one, and turning is their product. What is read is
widened a block at a time, and what comes out is rounded into the result, so no wide copy is ever made.
"""

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
        self.buffer = np.empty((0, width), np.complex128)

    @np.errstate(all="ignore")
    def fill(self, x: Any, cos: Any, sin: Any, result: Any) -> bool:
        """Turn `x`, as stored, into `result`; return whether all of it is finite, else stop early."""
        table = np.empty(np.broadcast_shapes(cos.shape, sin.shape), np.complex128)
        table.real, table.imag = cos, sin
        table = np.broadcast_to(table, (*x.shape[:-1], self.width))
        for place in cache_blocks(x.shape[:-1], x.shape[-1], ELEMENTS):
            block = result[place]
            self._block(x[place], table[place], block)
            if not rounding.finite(block, self.dtype):
                return False
        return True

    def _block(self, x: Any, table: Any, result: Any) -> None:
        """Turn one block. Zero is added so that an exact zero is +0, but only where one came out as -0."""
        pairs = self._pairs(rounding.wider(x[..., self.start : self.stop], self.dtype))
        self._multiply(pairs, table)
        inside = result[..., self.start : self.stop]
        self._put(pairs, inside)
        if rounding.has_minus_zero(inside):
            pairs.view(np.float64)[...] += 0.0
            self._put(pairs, inside)
        if inside.shape != result.shape:
            result[..., : self.start] = x[..., : self.start]
            result[..., self.stop :] = x[..., self.stop :]

    def _pairs(self, wide: Any) -> Any:
        """Return the pairs of a block as complex numbers, in the one buffer that all blocks share."""
        shape = (*wide.shape[:-1], self.width)
        if shape != self.buffer.shape:
            self.buffer = np.empty(shape, np.complex128)
        pairs = self.buffer
        if self.adjacent_in:
            np.copyto(pairs.view(np.float64), wide)
        else:
            np.copyto(pairs.real, wide[..., : self.width])
            np.copyto(pairs.imag, wide[..., self.width :])
        return pairs

    def _multiply(self, pairs: Any, table: Any) -> None:
        """Multiply in place; not as complex numbers in float64, where a fused product would show."""
        if self.dtype != "float64":
            np.multiply(pairs, table, out=pairs)
            return
        u, w, c, s = pairs.real, pairs.imag, table.real, table.imag
        pairs.real, pairs.imag = u * c - w * s, u * s + w * c

    def _put(self, pairs: Any, inside: Any) -> None:
        """Write pairs where they belong, rounded."""
        if self.adjacent_out:
            rounding.store(pairs.view(np.float64), inside, self.dtype)
        else:
            rounding.store(pairs.real, inside[..., : self.width], self.dtype)
            rounding.store(pairs.imag, inside[..., self.width :], self.dtype)
