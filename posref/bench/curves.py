"""Curves: nanoseconds an element over the number of elements, and over the size of the positions."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

import posref
from posref.bench.timing import Call, medians

LEAST: Final = 10**4
"""Elements where a curve begins."""

WIDTH: Final = 128
HEADS: Final = 8

LONG: Final = 0.4
"""Seconds that the rounds of a point may take, beside one round, which is always run."""

EXPONENTS: Final = (10, 13, 16, 19, 22, 25, 28, 31)
"""Positions of a point are random between this power of two and half of it."""

ROWS: Final = 2**14
"""Rows of the tables at these positions."""


class Point(NamedTuple):
    """One point: what was run, along which axis, where, and the medians of times and of their ratio.

    `elements` is what the result has, `position` the largest position that may occur, 0 on the curves over
    elements; `ns` and `copy_ns` are nanoseconds an element of the work and of a copy of its result.
    """

    work: str
    elements: int
    position: int
    ns: float
    copy_ns: float
    copies: float


def steps(most: int) -> list[int]:
    """Return two sizes a decade from 10**4 up to `most`, with `most` as the last."""
    count = math.floor(2 * math.log10(most / LEAST) + 1e-9) if most >= LEAST else -1
    found = [round(LEAST * 10 ** (half / 2)) for half in range(count + 1)]
    return found if found and found[-1] == most else [*found, most]


def over_elements(most: int, rounds: int) -> Iterator[Point]:
    """Yield the curves over elements, up to `most` of them."""
    for name, prepare in WORKS.items():
        for size in steps(most):
            call, result = prepare(size)
            yield _point(name, 0, call, result, rounds)


def over_positions(rounds: int) -> Iterator[Point]:
    """Yield the curves over the size of positions."""
    draw = np.random.default_rng(0)
    frequencies = posref.rope.inv_freq(rotary_dim=WIDTH, base=1e4)
    for dtype in ("float64", "float32"):
        for exponent in EXPONENTS:
            positions = draw.integers(2 ** (exponent - 1), 2**exponent, ROWS)
            call = partial(posref.rope.cos_sin, positions, frequencies, dtype=dtype)
            result = np.ones((2, ROWS, WIDTH // 2), dtype)
            yield _point(f"rope.cos_sin random {dtype}", 2**exponent, call, result, rounds)


def _point(name: str, position: int, call: Call, result: Any, rounds: int) -> Point:
    own, its, copies = medians(call, result.copy, 1)
    again = min(rounds - 1, int(LONG / (own + its)))
    if again > 0:
        own, its, copies = medians(call, result.copy, again + 1)
    scale = 1e9 / result.size
    return Point(name, result.size, position, own * scale, its * scale, copies)


def _rotation(size: int) -> tuple[Call, Any]:
    tokens = max(1, size // (HEADS * WIDTH))
    period = np.random.default_rng(0).standard_normal(1009).astype(np.float32)
    x = np.empty((1, HEADS, tokens, WIDTH), np.float32)
    flat = x.reshape(-1)
    whole = flat[: flat.size // period.size * period.size].reshape(-1, period.size)
    whole[...] = period
    flat[whole.size :] = period[: flat.size - whole.size]
    cos, sin = posref.rope.cos_sin(np.arange(tokens), posref.rope.inv_freq(rotary_dim=WIDTH, base=1e4))
    ways = {"pairing_in": "adjacent", "pairing_out": "adjacent"}
    return partial(posref.rope.rotate, x, cos, sin, **ways), x


def _table(size: int) -> tuple[Call, Any]:
    tokens = max(1, size // WIDTH)
    frequencies = posref.rope.inv_freq(rotary_dim=WIDTH, base=1e4)
    call = partial(posref.rope.cos_sin, np.arange(tokens), frequencies, dtype="float32")
    return call, np.ones((2, tokens, WIDTH // 2), np.float32)


def _bias(size: int) -> tuple[Call, Any]:
    at = np.arange(max(1, math.isqrt(size // HEADS)))
    slopes = posref.alibi.slopes(num_heads=HEADS, bias_max=8.0)
    ways: dict[str, Any] = {"form": "neg_distance", "future": "neg_inf", "dtype": "float32"}
    return partial(posref.alibi.bias, at, at, slopes, **ways), np.ones((HEADS, at.size, at.size), np.float32)


WORKS: Final[dict[str, Callable[[int], tuple[Call, Any]]]] = {
    "rope.rotate adjacent": _rotation,
    "rope.cos_sin consecutive float32": _table,
    "alibi.bias consecutive": _bias,
}
"""How each work of about some number of elements is prepared: the call, and an array like its result."""
