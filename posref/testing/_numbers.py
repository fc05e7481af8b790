"""Numbers that code gets wrong: powers of two and their neighbours, zeros, the last place of a dtype."""

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from posref.numerics.rounding import FORMATS, on_grid
from posref.operation import Parameter
from posref.testing.libraries import need

__all__ = ["LARGEST", "Strategy", "fractional", "of_parameter", "real", "st", "values", "whole"]

if TYPE_CHECKING:
    import hypothesis.strategies as st
    from hypothesis.strategies import SearchStrategy as Strategy
else:
    st = need("hypothesis.strategies", "posref.testing.strategies", "testing")
    Strategy = st.SearchStrategy

LARGEST: Final = 2**53
FRACTIONS: Final = (0.5, 0.25, -0.75, 1.5, 2.0**-20, 1 / 3, -1023.5, 4096.25, 2.0**31 + 0.5)
FACTORS: Final = ((1.0, 1.5, 2.0, 4.0, 40.0), 1.0, 64.0)
BASES: Final = ((10000.0, 500000.0, 2.0, 1.5, 100.0, 1e6), 1.25, 1e8)
SCALES: Final = ((1.0, 0.125, 0.5773502691896258, -2.0, 0.0), -2.0, 2.0)

REALS: Final = {
    "attention_factor": ((1.0, 0.5, 1.25, 1.1386294361119891), 0.25, 4.0),
    "base": BASES,
    "beta": ((0.1, 0.0, 1.0), 0.0, 2.0),
    "bias_max": ((8.0, 1.0, 16.0, 1.5), 0.25, 24.0),
    "center": ((0.0, 512.0, -3.5), -1000.0, 1000.0),
    "extrapolation_factor": ((1.0, 0.0, 0.5), 0.0, 1.0),
    "factor": FACTORS,
    "gamma": ((0.4, 1.0, 0.5), 0.125, 4.0),
    "max_period": BASES,
    "partial_rotary_factor": ((1.0, 0.5, 0.25, 0.3), 0.01, 1.0),
    "scale": SCALES,
    "scale_base": ((512.0, 64.0, 1000.5), 16.0, 4096.0),
}
"""Values of a real parameter: awkward ones, and the ends of a range."""

INTEGERS: Final = {
    "floor_scale": (1, 2, 7, 8192),
    "num_heads": (1, 2, 3, 4, 5, 8, 12),
    "offset": (0, 1, -1, 2, 511, 512, -2048, LARGEST, -LARGEST),
    "seq_len": (1, 2, 4096, 2**20),
    "spatial_merge_size": (1, 2),
    "clip_left": (0, 1, 3, LARGEST),
    "clip_right": (0, 1, 2, LARGEST),
    "max_distance": (128, 20, 3, LARGEST),
}
"""Values of an integer parameter that does not set a size."""


@cache
def whole(least: int = -LARGEST, most: int = LARGEST) -> Strategy[int]:
    """Return integers from `least` to `most`: small ones, neighbours of powers of two, any."""
    powers = {sign * (2**k + d) for k in range(55) for d in (-1, 0, 1) for sign in (1, -1)}
    edges = sorted({n for n in powers | {least, most} if least <= n <= most}, key=lambda n: (abs(n), n < 0))
    near = min(max(0, least), most)
    small = st.integers(max(least, near - 8), min(most, near + 8))
    return small | st.sampled_from(edges) | st.integers(least, most)


@cache
def fractional(dtype: str, most: int = LARGEST) -> Strategy[float]:
    """Return positions that a float of `dtype` holds, most of them fractional."""
    edges = st.sampled_from([n for n in FRACTIONS if abs(n) <= most])
    exact = edges | whole(-most, most).map(float)
    return whole(-64, 64).map(lambda n: n / 8) | exact.map(lambda n: float(on_grid(n, dtype)))


@cache
def values(dtype: str, most: float = 16.0) -> Strategy[float]:
    """Return numbers up to `most` in size that `dtype` holds: eighths, its last place, small ones, zeros."""
    digits = FORMATS[dtype].digits
    step = 2.0 ** (1 - digits)
    tiny = 2.0 ** (FORMATS[dtype].least // 2)
    edges = [0.0, 1.0, -0.0, -1.0, 1 + step, 1 - step / 2, -1 - step, most, -most, tiny, -tiny]
    free = st.integers(-(2**digits), 2**digits).map(lambda n: n * most * 2.0**-digits)
    return st.integers(-32, 32).map(lambda n: n / 8 * min(1.0, most / 4)) | st.sampled_from(edges) | free


@cache
def real(name: str) -> Strategy[float]:
    """Return values of the real parameter `name`."""
    awkward, least, most = REALS[name]
    return st.sampled_from(awkward) | st.floats(least, most)


def of_parameter(field: Parameter) -> Strategy[Any]:
    """Return values of a choice, a list of choices, a truth value, or an integer that sets no size."""
    if field.type == "choice":
        return st.sampled_from(field.values)
    if field.type == "choices":
        return st.lists(st.sampled_from(field.values), min_size=1, unique=True)
    if field.type == "boolean":
        return st.booleans()
    least, step = int(field.at_least or 0), field.multiple_of or (2 if field.even else 1)
    if field.name in INTEGERS:
        return st.sampled_from([n for n in INTEGERS[field.name] if n >= (field.at_least or n)])
    return st.integers(0, 4).map(lambda n: least + step * n)
