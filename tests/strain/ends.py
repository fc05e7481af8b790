"""Calls with numbers from the ends of their dtypes."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from posref.numerics.rounding import FORMATS
from posref.testing import Call

TURNING = ("fourier.encode", "mrope.cos_sin", "rope.cos_sin", "timestep.encode")
"""Operations that take a sine of an input; with the ends of float64 the golden ones need 2000 digits."""


def edge(dtype: str, which: int) -> float:
    """Return the least number of a dtype, the largest subnormal one, the smallest normal one, the largest.

    Of float64 the least and the largest whose products with each other it holds in full: bounds are
    computed in float64, and so is what they allow to underflow.
    """
    digits, least = FORMATS[dtype].digits, FORMATS[dtype].least
    if dtype == "float64":
        return (2.0**-480, 3.0 * 2.0**-480, 2.0**-450, 2.0**500)[which]
    small, normal = 2.0 ** (least - digits + 1), 2.0**least
    return (small, normal - small, normal, 2.0 ** (1 - least) * (2 - 2.0 ** (1 - digits)))[which]


def at_the_edges(call: Call, data: st.DataObject, most: int) -> Call:
    """Put numbers from the ends of their dtype into the main inputs and the tables of a call."""
    found: dict[str, Any] = dict(call.tensors)
    for one in call.signature.inputs:
        tensor = found.get(one.name)
        if one.role in ("main", "table") and tensor is not None and tensor[0].size and tensor[1] in FORMATS:
            values = tensor[0].copy()
            for _ in range(data.draw(st.integers(1, 3))):
                at = data.draw(st.integers(0, values.size - 1))
                sign = 1.0 if "factor" in one.name else data.draw(st.sampled_from((1.0, -1.0)))
                dtype = "float32" if tensor[1] == "float64" and call.operation in TURNING else tensor[1]
                values.flat[at] = sign * edge(dtype, data.draw(st.integers(0, most)))
            found[one.name] = values, tensor[1]
    return replace(call, tensors=found)
