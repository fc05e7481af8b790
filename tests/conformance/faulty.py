"""A faulty implementation over a few cases made in memory, and its report."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from in_memory import LADDER, invalid_test, value_test

from posref.conformance.suite import check
from posref.operation import Refusal, Tensor

NASTY = 'no <b>kernel</b> & "more" ]]> \x1b[31mred\x00\x08 \ud800 \N{SNOWMAN}'
"""What an exception says: markup, control characters, half a surrogate pair."""

POSITIONS = Tensor("int64", (2,), (3, 5))
TESTS = (
    value_test("rope.inv_freq", LADDER, {}, {"inv_freq": ([1, Fraction(1, 100)], (2,))}, name="ladder"),
    value_test("rope.inv_freq", LADDER, {}, {"inv_freq": ([1, Fraction(1, 50)], (2,))}, name="other-ladder"),
    invalid_test(
        "rope.inv_freq",
        {"rotary_dim": 3, "base": 10000.0},
        {},
        Refusal("INVALID_PARAMETER", "rotary_dim"),
        name="odd",
    ),
    value_test(
        "positions.relative",
        {},
        {"q_positions": POSITIONS, "k_positions": POSITIONS},
        {"relative_position": ([0, 2, -2, 0], (2, 2))},
        dtypes=["int64"],
        name="relative",
    ),
    value_test(
        "alibi.slopes",
        {"num_heads": 1, "bias_max": 8.0, "head_start": 0, "head_count": None},
        {},
        {"slopes": ([Fraction(1, 256)], (1,))},
        name="slopes",
    ),
)


def half_right(*, rotary_dim: int, base: float, dtype: Any) -> Any:
    """Right for the case "ladder" only."""
    if rotary_dim % 2:
        raise ValueError("odd")
    return np.array([1, 0.01], dtype)


def broken(*_: Any) -> Any:
    raise RuntimeError(NASTY)


def run(tests: Sequence[Any] = TESTS, **arguments: Any) -> Any:
    """Judge it in float32: passes "ladder" and "odd", fails "other-ladder", error in "relative"."""
    target = {"rope.inv_freq": half_right, "positions.relative": broken}
    return check(target, dtype="float32", **arguments)
