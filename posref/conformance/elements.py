"""Single elements of an output: the worst, and the first that breaks the claim."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from posref.conformance.claims import INTEGERS
from posref.conformance.verdict import Worst, Written, Wrong
from posref.numerics.rounding import round_bits, ulp

Array = NDArray[Any]

_DIGITS: Final = {"float64": 16, "float32": 8, "bfloat16": 4, "float16": 4}
"""Hexadecimal digits of a bit pattern."""


@dataclass(frozen=True, eq=False)
class Compared:
    """One output beside what it must be, and how far apart the two may be."""

    output: str
    dtype: str
    data: Array
    got: Array
    bound: Array

    def worst(self, kept: Array, silent: Array) -> tuple[float, Worst]:
        """Return the element farthest off by what it is allowed, and its rank: above 0, it is wrong."""
        error, ratio = self.errors()
        rank = np.where(silent, -2.0, np.where(kept, -1.0 / (1.0 + ratio), 1.0 + ratio))
        place = np.unravel_index(int(np.argmax(rank)), rank.shape)
        worst = Worst(
            output=self.output,
            index=tuple(int(step) for step in place),
            got=float(self.got[place]),
            expected=float(self.data[place]),
            error=float(error[place]),
            bound=float(self.bound[place]),
            ulp=float(error[place]) / self._spacing(place),
        )
        return float(rank[place]), worst

    def first_wrong(self, kept: Array) -> Wrong | None:
        """Return the first element in row-major order that is not `kept`."""
        if kept.all():
            return None
        error, ratio = self.errors()
        place = np.unravel_index(int(np.argmin(kept)), kept.shape)
        return Wrong(
            output=self.output,
            index=tuple(int(step) for step in place),
            dtype=self.dtype,
            got=written(self.got[place], self.dtype),
            expected=written(self.data[place], self.dtype),
            error=float(error[place]),
            ulp=float(error[place]) / self._spacing(place),
            bounds=float(ratio[place]),
        )

    def errors(self) -> tuple[Array, Array]:
        """Return the distances, and the same as multiples of what is allowed."""
        data, got = self.data.astype(np.float64), self.got.astype(np.float64)
        with np.errstate(all="ignore"):
            error = np.where(data == got, 0.0, np.abs(got - data))
            ratio = np.where(error == 0, 0.0, error / self.bound)
        return error, np.where(np.isnan(ratio), np.inf, ratio)

    def _spacing(self, place: tuple[Any, ...]) -> float:
        return 1.0 if self.dtype in INTEGERS else float(ulp(self.data[place], self.dtype))


def written(value: Any, dtype: str) -> Written:
    """Return a value of `dtype`, given exactly, in the notations of a report.

    Examples
    --------
    >>> print(written(0.10009765625, "bfloat16"))
    0.1 (0x1.9a00000000000p-4, bits 3dcd)
    >>> print(written(7, "int64"))
    7
    """
    if dtype in INTEGERS:
        return Written(str(int(value)))
    number = float(value)
    bits = int(round_bits(number, dtype))
    return Written(_shortest(number, dtype, bits), number.hex(), f"{bits:0{_DIGITS[dtype]}x}")


def _shortest(number: float, dtype: str, bits: int) -> str:
    """Return the decimal with the fewest digits that rounds to these bits."""
    if not np.isfinite(number):
        return repr(number)
    decimals = (float(f"{number:.{digits}e}") for digits in range(17))
    return repr(next(one for one in decimals if int(round_bits(one, dtype)) == bits))
