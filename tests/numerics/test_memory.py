"""Peaks of memory: every operation stays below its input, its output and 64 MiB, whatever their size."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import posref
from posref.operation import find, signatures

MIB: int = 2**20
SLACK: int = 64 * MIB
SIZE: int = 96 * MIB
"""Bytes of the larger of input and output: a hidden copy of it, wide or not, breaks the limit."""

DRAW = np.random.default_rng(20250101)
ROTARY: dict[str, Any] = {"rotary_dim": 64, "base": 10000.0, "pairing": "half"}
XPOS: dict[str, Any] = {**ROTARY, "gamma": 0.4, "scale_base": 512.0, "center": 0.0}
BUCKETS: dict[str, Any] = {"num_buckets": 32, "max_distance": 128, "bidirectional": False}


def floats(*shape: int) -> np.ndarray:
    """Return float32 values of a short period, quick to make."""
    return np.resize(DRAW.standard_normal(1009).astype(np.float32), shape)


def heads(width: int = 64) -> np.ndarray:
    return floats(2, 8, SIZE // (64 * width), width)


def tokens(width: int = 64) -> np.ndarray:
    """Return tokens of one head: here a table is as large as what it turns."""
    return floats(SIZE // (4 * width), width)


def at(x: np.ndarray) -> np.ndarray:
    return np.arange(x.shape[-2])


def calls() -> dict[str, Callable[[], tuple[list[Any], dict[str, Any]]]]:
    """Return the arguments of a large call of every operation whose result can be large."""
    n = 2048
    return {
        "alibi.bias": lambda: (
            [np.arange(n), np.arange(n)[::-1], np.full(6, 0.5)],
            {"form": "neg_distance", "future": "neg_inf", "dtype": "float32"},
        ),
        "attention.causal_mask": lambda: ([np.arange(2**14), np.arange(6 * 2**10)], {}),
        "attention.scores": lambda: ([floats(6, n, 8), floats(6, n, 8)], {"scale": 0.5}),
        "attention.score_terms": lambda: ([floats(2560, 8)] * 4, {"scale": 0.5}),
        "attention.output": lambda: (
            [floats(64, 64), floats(SIZE // 512, 64), floats(SIZE // 512, 64)],
            {"scale": 0.5},
        ),
        "axial_rope.cos_sin": lambda: (
            [np.zeros((SIZE // 512, 2), np.int64)],
            {"axis_dims": [64, 64], "base": 1e4, "frequencies": "reset", "dtype": "float32"},
        ),
        "deberta.bucket": lambda: (
            [np.arange(SIZE // 8, dtype=np.int32)],
            {"position_buckets": 256, "max_relative_positions": 512, "clamp_first": False},
        ),
        "deberta.scores": lambda: (
            [floats(6, n, 8), floats(6, n, 8), floats(6, 512, 8), floats(6, 512, 8),
             np.zeros((n, n), np.int16)],
            {"terms": ["c2c", "c2p", "p2c"], "scale": 0.5},
        ),
        "fourier.encode": lambda: (
            [floats(SIZE // 512, 2), floats(2, 64)],
            {"two_pi": True, "include_input": False},
        ),
        "learned.lookup": lambda: ([floats(1000, 64), np.arange(SIZE // 256, dtype=np.int32) % 1000], {}),
        "learned.resize": lambda: ([floats(64, 512)], {"length": SIZE // 2048, "align_corners": True}),
        "mrope.cos_sin": lambda: (
            [np.zeros((3, SIZE // 512), np.int64), np.ones(64), np.arange(64) % 3],
            {"dtype": "float32"},
        ),
        "positions.relative": lambda: ([np.arange(n), np.arange(SIZE // 8 // n)], {}),
        "positions.from_mask": lambda: (
            [np.ones((64, SIZE // 512), np.int8)],
            {"rule": "cumsum", "pad_value": 0, "padding_idx": None},
        ),
        "positions.from_lengths": lambda: ([np.array([0, 5, SIZE // 8])], {}),
        "positions.shard": lambda: (
            [np.arange(SIZE // 8)],
            {"world_size": 1, "rank": 0, "scheme": "zigzag"},
        ),
        "rope.cos_sin": lambda: ([np.arange(SIZE // 512), np.ones(64)], {"dtype": "float32"}),
        "rope.rotate": lambda: (
            [tokens(), floats(SIZE // 256, 32), floats(SIZE // 256, 32)],
            {"pairing_in": "half", "pairing_out": "adjacent"},
        ),
        "rope.apply": lambda: ([tokens(), at(tokens())], ROTARY),
        "rope.apply_qk": lambda: ([heads(), heads(), at(heads())], ROTARY),
        "rope.score": lambda: (
            [floats(6, n, 64), floats(6, n, 64), np.arange(n), np.arange(n)],
            ROTARY,
        ),
        "rope.matrix": lambda: (
            [np.arange(SIZE // 4 // 64**2)],
            {**ROTARY, "dtype": "float32"},
        ),
        "rope.table_slice": lambda: ([tokens(), tokens()], {"offset": 1, "length": 1000}),
        "rope.rerotate": lambda: ([tokens(), at(tokens())], ROTARY),
        "rope.permute": lambda: ([tokens()], {"source": "half", "target": "adjacent", "rotary_dim": 64}),
        "rope.permute_weight": lambda: (
            [floats(4096, SIZE // 4 // 4096)],
            {"num_heads": 64, "source": "half", "target": "adjacent", "rotary_dim": 64},
        ),
        "rope.rotate_vjp": lambda: (
            [tokens(), tokens(), floats(SIZE // 256, 32), floats(SIZE // 256, 32)],
            {"pairing_in": "half", "pairing_out": "adjacent"},
        ),
        "rope.apply_vjp": lambda: ([heads(), heads(), at(heads())], ROTARY),
        "shaw.index": lambda: (
            [np.arange(n), np.arange(SIZE // 8 // n)],
            {"clip_left": 5, "clip_right": 5},
        ),
        "shaw.scores": lambda: (
            [floats(6, n, 8), floats(6, n, 8), floats(11, 8), np.zeros((n, n), np.int8)],
            {"scale": 0.5},
        ),
        "shaw.output": lambda: (
            [floats(6, n, n), floats(6, n, 16), floats(11, 16), np.zeros((n, n), np.int8)],
            {},
        ),
        "sincos2d.encode": lambda: (
            [np.zeros(SIZE // 512, np.int64)] * 2,
            {"dim": 128, "base": 1e4, "denominator": "dim", "axis_order": "y_first", "layout": "axis_major",
             "dtype": "float32"},
        ),
        "sinusoidal.encode": lambda: (
            [np.arange(SIZE // 512)],
            {"dim": 128, "base": 1e4, "denominator": "dim", "layout": "interleaved", "odd": "error",
             "dtype": "float32"},
        ),
        "t5.bias": lambda: ([floats(32, 6), DRAW.integers(0, 9999, n), np.arange(n)], BUCKETS),
        "t5.bucket": lambda: ([np.arange(SIZE // 8, dtype=np.int32)], BUCKETS),
        "temperature.scale": lambda: (
            [np.arange(SIZE // 8, dtype=np.int32)],
            {"beta": 0.1, "floor_scale": 8192, "plus_one": True, "dtype": "float32"},
        ),
        "timestep.encode": lambda: (
            [np.arange(SIZE // 512, dtype=np.float32)],
            {"dim": 128, "max_period": 1e4, "freq_shift": 0.0, "flip_sin_to_cos": False, "scale": 1.0,
             "odd": "error"},
        ),
        "transformer_xl.scores": lambda: (
            [floats(6, n, 8), floats(6, n, 8), floats(6, 2 * n, 8), np.arange(-n, n), floats(6, 8),
             floats(6, 8), np.arange(n), np.arange(n)],
            {"scale": 0.5},
        ),
        "xpos.scale": lambda: (
            [np.arange(SIZE // 128) % 1000],
            {"rotary_dim": 64, "gamma": 0.4, "scale_base": 512.0, "center": 0.0, "dtype": "float32"},
        ),
        "xpos.apply": lambda: ([tokens(), at(tokens()) % 1000], {**XPOS, "role": "query"}),
    }  # fmt: skip


SMALL: set[str] = {
    "alibi.slopes", "mrope.axis_of_channel", "mrope.position_ids", "rope.inv_freq", "sinusoidal.inv_freq",
    "sinusoidal.shift_matrix", "swin.index", "swin.log_coords",
    *(name for name in signatures() if name.startswith("rope_scaling.")),
}  # fmt: skip
"""Operations whose results are as large as a parameter says, or hold no more than a text has tokens."""


def test_every_operation_is_here_or_small() -> None:
    assert set(calls()) | SMALL == set(signatures())


def bytes_of(values: Any) -> int:
    parts = values if isinstance(values, (tuple, list)) else (values,)
    return sum(part.nbytes for part in {id(part): part for part in parts}.values())


def peak(name: str, inputs: list[Any], params: dict[str, Any]) -> tuple[int, Any]:
    """Return how much more memory a call takes at its peak, its output included, and the output."""
    function = find("reference", name)
    tracemalloc.start()
    try:
        result = function(*inputs, **params)
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


FAST = (
    "rope.rotate",
    "rope.apply_vjp",
    "alibi.bias",
    "learned.lookup",
    "t5.bucket",
    "shaw.index",
    "rope.permute",
)


@pytest.mark.parametrize("name", FAST)
def test_peak_of_a_large_call(name: str) -> None:
    check_peak(name)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in calls() if name not in FAST])
def test_peak_of_every_other_large_call(name: str) -> None:
    check_peak(name)


def check_peak(name: str) -> None:
    inputs, params = calls()[name]()
    kept = [part.copy() for part in inputs]
    found, result = peak(name, inputs, params)
    assert found <= bytes_of(result) + SLACK
    assert bytes_of(result) + bytes_of(inputs) >= SIZE * 15 // 16
    assert all(np.array_equal(part, before) for part, before in zip(inputs, kept, strict=True))


@pytest.mark.parametrize("view", ["every other", "turned", "read-only"])
def test_a_view_is_not_copied(view: str) -> None:
    x = floats(2 * SIZE // 512, 128)
    part = {"every other": x[::2], "turned": x.reshape(-1, 128, 64).swapaxes(-1, -2), "read-only": x}[view]
    part.flags.writeable = view != "read-only"
    angle = DRAW.standard_normal((part.shape[-2], part.shape[-1] // 2))
    params = {"pairing_in": "adjacent", "pairing_out": "half"}
    found, result = peak("rope.rotate", [part, np.cos(angle), np.sin(angle)], params)
    assert found <= result.nbytes + SLACK // 4
    same = posref.rope.rotate(np.ascontiguousarray(part), np.cos(angle), np.sin(angle), **params)
    assert np.array_equal(result, same)
