"""Golden definitions of operations on no tokens."""

import math

import pytest
from golden_calls import HALF

from posref.corpus.certify import certify
from posref.corpus.engine_arb import ArbReal
from posref.corpus.engine_mpmath import MpmathReal
from posref.operation import Tensor

ENGINES = (MpmathReal, ArbReal)
MASK = {"pad_value": None, "padding_idx": None}
T5 = {"num_buckets": 32, "max_distance": 128, "bidirectional": False}
STEP = {"max_period": 10000.0, "freq_shift": 0.0, "flip_sin_to_cos": False, "scale": 1.0, "odd": "error"}
VJP = {"pairing_in": "half", "pairing_out": "adjacent", "rotary_start": 1}


INTS = Tensor("int64", (0,), ())


def floats(*shape):
    return Tensor("float32", shape, (1.0,) * math.prod(shape))


@pytest.mark.parametrize(
    ("name", "inputs", "params", "shapes"),
    [
        (
            "positions.from_mask",
            {"attention_mask": Tensor("int64", (3, 0), ())},
            MASK | {"rule": "opt"},
            [(3, 0)],
        ),
        (
            "positions.shard",
            {"position_ids": INTS},
            {"world_size": 2, "rank": 1, "scheme": "striped"},
            [(0,)],
        ),
        ("positions.shard", {"position_ids": INTS}, {"world_size": 2, "rank": 1, "scheme": "zigzag"}, [(0,)]),
        (
            "learned.lookup",
            {"table": floats(1, 4), "positions": Tensor("int64", (2, 0), ())},
            {},
            [(2, 0, 4)],
        ),
        (
            "fourier.encode",
            {"x": floats(2, 0, 3), "weights": floats(3, 5)},
            {"two_pi": True, "include_input": True},
            [(2, 0, 13)],
        ),
        ("timestep.encode", {"timesteps": floats(0)}, STEP | {"dim": 6}, [(0, 6)]),
        (
            "rope.rerotate",
            {"k": floats(2, 0, 4), "delta": INTS},
            {"rotary_dim": 4, "base": 10000.0} | HALF,
            [(2, 0, 4)],
        ),
        (
            "rope.rerotate",
            {"k": floats(2, 0, 4), "delta": Tensor("int64", (), (3,))},
            {"rotary_dim": 4, "base": 10000.0} | HALF,
            [(2, 0, 4)],
        ),
        (
            "rope.rotate_vjp",
            {"grad_y": floats(2, 0, 5), "x": floats(2, 0, 5), "cos": floats(0, 2), "sin": floats(0, 2)},
            VJP,
            [(2, 0, 5), (0, 2), (0, 2)],
        ),
        (
            "mrope.cos_sin",
            {
                "positions": Tensor("int64", (1, 0), ()),
                "inv_freq": floats(2),
                "axis_of_channel": Tensor("int64", (2,), (0, 0)),
            },
            {},
            [(0, 2)] * 2,
        ),
        ("t5.bucket", {"relative_position": Tensor("int64", (3, 0, 2), ())}, T5, [(3, 0, 2)]),
        (
            "shaw.scores",
            {"q": floats(2, 0, 3), "k": floats(2, 4, 3), "table_k": floats(1, 3)}
            | {"index": Tensor("int64", (0, 4), ())},
            {"scale": 1.0},
            [(2, 0, 4)],
        ),
        (
            "transformer_xl.scores",
            {
                "q": floats(2, 3, 1),
                "k": floats(2, 0, 1),
                "r": floats(2, 2, 1),
                "distances": Tensor("int64", (2,), (5, 6)),
                "u": floats(2, 1),
                "v": floats(2, 1),
                "q_positions": Tensor("int64", (3,), (1, 2, 3)),
                "k_positions": INTS,
            },
            {"scale": 1.0},
            [(2, 3, 0)],
        ),
    ],
)
def test_no_tokens_give_an_empty_result(name, inputs, params, shapes):
    for engine in ENGINES:
        found = certify(engine, name, inputs, params, ["float32", "float16"])
        for by_dtype, shape in zip(found.values(), shapes, strict=True):
            assert set(by_dtype) in ({"float32", "float16"}, {"int64"})
            for dtype, entry in by_dtype.items():
                assert entry == (Tensor(dtype, shape, ()), "")
