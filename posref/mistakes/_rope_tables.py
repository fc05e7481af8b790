"""Known wrong implementations of ``rope.inv_freq``, ``rope.cos_sin`` and ``rope.matrix``."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, moved, replaced
from posref.mistakes._ladders import LADDERS
from posref.mistakes._precision import Change, short, shortened
from posref.mistakes._rope_parts import OTHER
from posref.operation import Mistake
from posref.reference import rope

LADDER, TABLE, MATRIX = "rope.inv_freq", "rope.cos_sin", "rope.matrix"
MOVED: Final = (
    "positions-from-0",
    "positions-plus-1",
    "positions-absolute",
    "positions-of-row-0",
    "positions-bfloat16",
    "positions-float16",
)
FURTHER: Final = (
    "positions-minus-1",
    "positions-consecutive",
    "positions-of-last-token",
    "positions-to-4095",
)
UNWRITTEN: Final = "https://github.com/huggingface/transformers/issues/45902"


def end_point(omega: Array, arguments: Arguments) -> Array:
    """End the ladder at 1/base exactly."""
    count = arguments["rotary_dim"] // 2
    return omega if count == 1 else np.asarray(arguments["base"] ** (-np.arange(count) / (count - 1)))


def changed(arguments: Arguments, frequency: Change, angle: Change) -> tuple[Array, Array]:
    """Return the tables with frequencies and angles changed."""
    omega = frequency(np.asarray(arguments["inv_freq"], np.float64))
    theta = angle(np.asarray(arguments["positions"], np.float64)[..., None] * omega)
    factor = arguments.get("attention_factor", 1.0)
    return factor * np.cos(theta), factor * np.sin(theta)


def plane(arguments: Arguments, omega: Array, angle: Change = np.asarray) -> Array:
    """Return the matrix for any frequencies, each angle passed through `angle`."""
    width, h = arguments["rotary_dim"], arguments["rotary_dim"] // 2
    theta = angle(np.asarray(arguments["positions"], np.float64)[..., None] * omega)
    cos, sin = np.cos(theta), np.sin(theta)
    pairs = np.arange(h)
    a, b = (2 * pairs, 2 * pairs + 1) if arguments["pairing"] == "adjacent" else (pairs, pairs + h)
    matrix = np.zeros((*cos.shape[:-1], width, width))
    matrix[..., a, a] = matrix[..., b, b] = cos
    matrix[..., a, b], matrix[..., b, a] = -sin, sin
    return matrix


def planes(arguments: Arguments, frequency: Change, angle: Change) -> Array:
    """Return the matrix with frequencies and angles changed."""
    omega = rope.inv_freq(rotary_dim=arguments["rotary_dim"], base=arguments["base"])
    return plane(arguments, frequency(np.asarray(omega)), angle)


def _laddered(change: Change) -> Callable[..., Any]:
    return called(MATRIX, lambda arguments: planes(arguments, change, np.asarray))


def _ladders() -> list[Mistake]:
    found = []
    for name, (change, text) in LADDERS.items():
        description, flag = f"your output is what {text}", "frequency-exponent"
        ladder = replaced(LADDER, lambda omega, _, change=change: change(omega))  # type: ignore[misc]
        found.append(Mistake(name, LADDER, flag, description, ladder))
        found.append(Mistake(name, MATRIX, flag, description, _laddered(change)))
    return found


def _mistake(
    operation: str, name: str, flag: str, text: str, function: Any, *, report: str = "", **check: Any
) -> Mistake:
    return Mistake(name, operation, flag, f"your output is what {text}", function, report, check)


def _base(operation: str) -> Mistake:
    text = "base 10000 gives where another is declared"
    change = altered(operation, lambda arguments: {"base": 10000.0})
    return _mistake(
        operation,
        "base-10000",
        "fixed-base",
        text,
        change,
        report="https://github.com/vllm-project/vllm/issues/9503",
    )


def _factored(name: str, text: str, change: Callable[[float], float], report: str) -> Mistake:
    function = altered(
        TABLE, lambda arguments: {"attention_factor": change(arguments.get("attention_factor", 1.0))}
    )
    return _mistake(TABLE, name, "magnitude", text, function, report=report)


LADDER_MISTAKES: Final = (
    *_ladders(),
    _base(LADDER),
    _base(MATRIX),
    _mistake(
        LADDER,
        "end-point-ladder",
        "ladder-end",
        "a ladder that ends at 1/base gives: divided by R/2 - 1 where R/2 is declared",
        replaced(LADDER, end_point),
        inputs={},
        params={"rotary_dim": 4, "base": 10000.0},
        output=[1.0, 0.0001],
    ),
    _mistake(
        LADDER,
        "unwritten",
        "unwritten",
        "zeros give: the buffer was never filled",
        replaced(LADDER, lambda omega, _: np.zeros_like(omega)),
        report=UNWRITTEN,
        inputs={},
        params={"rotary_dim": 4, "base": 10000.0},
        output=[0.0, 0.0],
    ),
)

TABLE_MISTAKES: Final = (
    _mistake(
        TABLE,
        "exchanged",
        "sine-cosine-order",
        "sines and cosines interchanged give",
        replaced(TABLE, lambda tables, _: (tables[1], tables[0])),
        report="https://github.com/huggingface/diffusers/issues/1369",
        inputs={"positions": [1], "inv_freq": [1.0, 0.01]},
        params={},
        output=[0.841470985, 0.00999983333, 0.540302306, 0.99995],
    ),
    _mistake(
        TABLE,
        "sine-negated",
        "rotation-sign",
        "a negated sine gives: everything rotates the other way",
        replaced(TABLE, lambda tables, _: (tables[0], -tables[1])),
    ),
    _factored(
        "factor-forgotten",
        "tables without the factor give",
        lambda factor: 1.0,
        "https://github.com/ml-explore/mlx-lm/issues/1507",
    ),
    _factored(
        "factor-squared",
        "the factor applied twice gives",
        lambda factor: factor**2,
        "https://github.com/NVIDIA/TensorRT-LLM/issues/16379",
    ),
    _mistake(
        TABLE,
        "factor-on-cosine-only",
        "magnitude",
        "the factor on the cosines alone gives",
        replaced(
            TABLE, lambda tables, arguments: (tables[0], tables[1] / arguments.get("attention_factor", 1.0))
        ),
    ),
    _mistake(
        TABLE,
        "angle-bfloat16",
        "angle-rounding",
        "angles rounded to bfloat16 give: the product ran under autocast",
        called(TABLE, lambda given: changed(given, np.asarray, short)),
        report="https://github.com/huggingface/diffusers/issues/13922",
    ),
    _mistake(
        TABLE,
        "frequencies-unwritten",
        "unwritten",
        "frequencies of 0 give: the buffer was never filled",
        altered(TABLE, lambda given: {"inv_freq": np.zeros_like(given["inv_freq"])}),
        report=UNWRITTEN,
        inputs={"positions": [5], "inv_freq": [1.0]},
        params={},
        output=[1.0, 0.0],
    ),
    *shortened(TABLE, changed),
    *moved(
        TABLE,
        *MOVED,
        *FURTHER,
        "positions-truncated",
        checks={
            "positions-bfloat16": {
                "inputs": {"positions": [257], "inv_freq": [1.0]},
                "params": {},
                "output": [-0.0397907599, -0.999208034],
            },
            "positions-float16": {
                "inputs": {"positions": [2049], "inv_freq": [1.0]},
                "params": {},
                "output": [0.949734335, -0.313057013],
            },
        },
    ),
)

MATRIX_MISTAKES: Final = (
    _mistake(
        MATRIX,
        "other-pairing",
        "pairing",
        "the other pairing gives: adjacent pairs and halves interchanged",
        altered(MATRIX, lambda arguments: {"pairing": OTHER[arguments["pairing"]]}),
        report="https://github.com/huggingface/transformers/issues/25199",
    ),
    _mistake(
        MATRIX,
        "transposed",
        "rotation-sign",
        "the transposed matrix gives: it rotates the other way",
        replaced(MATRIX, lambda matrix, _: np.swapaxes(matrix, -1, -2)),
        inputs={"positions": [1]},
        params={"rotary_dim": 2, "base": 10000.0, "pairing": "half"},
        output=[0.540302306, 0.841470985, -0.841470985, 0.540302306],
    ),
    _mistake(
        MATRIX,
        "angle-bfloat16",
        "angle-rounding",
        "angles rounded to bfloat16 give: the product ran under autocast",
        called(MATRIX, lambda given: planes(given, np.asarray, short)),
        report="https://github.com/huggingface/diffusers/issues/13922",
    ),
    *shortened(MATRIX, planes),
    *moved(MATRIX, *MOVED, *FURTHER),
)

MISTAKES: Final = (*LADDER_MISTAKES, *TABLE_MISTAKES, *MATRIX_MISTAKES)
