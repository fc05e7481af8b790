"""What is timed: rotations, tables and biases, with what others do for the same work."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import posref
from posref.adapters import _timed
from posref.bench.timing import Call


class Work(NamedTuple):
    """One thing that is timed: the call, an array of the size of its result, and others that do the same."""

    name: str
    call: Call
    copied: Any
    others: dict[str, Callable[[], Call]]


def works(tokens: int) -> Iterator[Work]:
    """Yield what is timed: rotations, tables, biases."""
    draw = np.random.default_rng(0)
    x = draw.standard_normal((1, 32, tokens, 128)).astype(np.float32)
    table = posref.rope.cos_sin(np.arange(tokens), posref.rope.inv_freq(rotary_dim=128, base=1e4))
    for pairing in ("adjacent", "half"):
        yield _rotation(x, table, pairing)
    yield from _tables(draw)
    yield from _biases(draw)


def _rotation(x: Any, table: Any, pairing: str) -> Work:
    cos, sin = table
    others: dict[str, Callable[[], Call]] = {
        "numpy": lambda: partial(plain_rotation, x, cos, sin, pairing),
        **{name: partial(prepare, x, cos, sin, pairing) for name, prepare in _timed.ROTATIONS.items()},
    }
    call = partial(posref.rope.rotate, x, cos, sin, pairing_in=pairing, pairing_out=pairing)
    return Work(f"rope.rotate {pairing}", call, x, others)


def plain_rotation(x: Any, cos: Any, sin: Any, pairing: str) -> Any:
    """Return the rotation as one writes it in NumPy, in float64 inside."""
    wide, result = x.astype(np.float64), np.empty_like(x)
    half = x.shape[-1] // 2
    first: Any = np.s_[..., :half]
    second: Any = np.s_[..., half:]
    if pairing == "adjacent":
        first, second = (np.s_[..., 0::2], np.s_[..., 1::2])
    u, w = wide[first], wide[second]
    result[first], result[second] = u * cos - w * sin, u * sin + w * cos
    return result


def _tables(draw: np.random.Generator) -> Iterator[Work]:
    frequencies = posref.rope.inv_freq(rotary_dim=128, base=1e4)
    for name, positions, dtype in (
        ("rope.cos_sin consecutive float32", np.arange(32768), "float32"),
        ("rope.cos_sin random float64", draw.integers(0, 2**31, 32768), "float64"),
    ):
        call = partial(posref.rope.cos_sin, positions, frequencies, dtype=dtype)
        others: dict[str, Callable[[], Call]] = {
            "numpy float64": partial(partial, plain_table, positions[:, None] * frequencies),
            "torch float32": partial(_timed.torch_table, positions, frequencies),
        }
        yield Work(name, call, np.ones((2, 32768, 64), dtype), others)


def plain_table(angles: Any) -> Any:
    """Return one cosine and one sine an entry."""
    return np.cos(angles), np.sin(angles)


def _biases(draw: np.random.Generator) -> Iterator[Work]:
    slopes = posref.alibi.slopes(num_heads=32, bias_max=8.0)
    table = draw.standard_normal((32, 32)).astype(np.float32)
    ways: dict[str, Any] = {"form": "neg_distance", "future": "neg_inf", "dtype": "float32"}
    buckets: dict[str, Any] = {"num_buckets": 32, "max_distance": 128, "bidirectional": False}
    size = np.ones((32, 2048, 2048), np.float32)
    for name, at in (("consecutive", np.arange(2048)), ("arbitrary", draw.integers(0, 10**6, 2048))):
        yield Work(f"alibi.bias {name}", partial(posref.alibi.bias, at, at, slopes, **ways), size, {})
        yield Work(f"t5.bias {name}", partial(posref.t5.bias, table, at, at, **buckets), size, {})
