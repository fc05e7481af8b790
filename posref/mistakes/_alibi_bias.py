"""Known wrong implementations of ``alibi.bias``."""

from typing import Any, Final

import numpy as np

from posref.mistakes._alter import (
    BFLOAT16,
    FLOAT16,
    Arguments,
    Array,
    altered,
    called,
    moved,
    replaced,
    significant,
)
from posref.operation import Mistake
from posref.reference import alibi

NAME = "alibi.bias"
FORM: Final = {"neg_distance": "neg_abs", "neg_abs": "neg_distance", "key_index": "neg_distance"}


def reversed_sign(bias: Array, arguments: Arguments) -> Array:
    """Reward distance."""
    return np.where(np.isneginf(bias), bias, -bias)


def own_position_masked(bias: Array, arguments: Arguments) -> Array:
    """Ban the query's own key together with the future."""
    q, k = arguments["q_positions"][..., None, :, None], arguments["k_positions"][..., None, None, :]
    return np.where((k >= q) & (arguments["future"] == "neg_inf"), -np.inf, bias)


def zero_for_one_query(bias: Array, arguments: Arguments) -> Array:
    """Build the bias over the queries' own length: a single one has distance 0."""
    return np.where(bias.shape[-2] == 1, np.where(np.isneginf(bias), bias, 0.0), bias)


def aligned_at_end(arguments: Arguments) -> Array:
    """Align the last query with the last key, by indices."""
    queries, keys = arguments["q_positions"].shape[-1], arguments["k_positions"].shape[-1]
    moved_to = {"q_positions": np.arange(keys - queries, keys), "k_positions": np.arange(keys)}
    right = alibi.bias(**arguments)
    return np.broadcast_to(alibi.bias(**{**arguments, **moved_to}), right.shape)


def rounded_first(arguments: Arguments, bits: int) -> Array:
    """Subtract positions already rounded to a half format."""
    q, k = significant(arguments["q_positions"], bits), significant(arguments["k_positions"], bits)
    kept = {"q_positions": q.astype(np.int64), "k_positions": k.astype(np.int64), "future": "keep"}
    right, wrong = alibi.bias(**arguments), alibi.bias(**{**arguments, **kept})
    return np.array(np.where(np.isneginf(right), right, wrong))


def all_short(arguments: Arguments) -> Array:
    """Round slopes, positions and their products to bfloat16."""
    slopes = {"slopes": significant(arguments["slopes"], BFLOAT16)}
    wrong = rounded_first({**arguments, **slopes}, BFLOAT16)
    return np.where(np.isneginf(wrong), wrong, significant(np.where(np.isneginf(wrong), 0, wrong), BFLOAT16))


def _first_slope(arguments: Arguments) -> Arguments:
    slopes = arguments["slopes"]
    return {"slopes": np.broadcast_to(slopes[:1], slopes.shape)}


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


DECODE: Final = {"q_positions": [3], "k_positions": [0, 1, 2, 3]}

MISTAKES: Final = (
    _mistake(
        "sign-reversed",
        "bias-sign",
        "a positive bias gives: distance is rewarded",
        replaced(NAME, reversed_sign),
        inputs={**DECODE, "slopes": [0.5]},
        params={"form": "neg_distance", "future": "keep"},
        output=[1.5, 1.0, 0.5, 0.0],
    ),
    _mistake(
        "other-form",
        "bias-form",
        "another multiple of the slope gives: signed and absolute distance, or index, interchanged",
        altered(NAME, lambda arguments: {"form": FORM[arguments["form"]]}),
        "https://github.com/vllm-project/vllm/issues/945",
        inputs={**DECODE, "slopes": [0.5]},
        params={"form": "key_index", "future": "keep"},
        output=[-1.5, -1.0, -0.5, 0.0],
    ),
    _mistake(
        "future-kept",
        "future-kept",
        "no causal rule gives: future keys are not banned",
        altered(NAME, lambda arguments: {"future": "keep"}),
    ),
    _mistake(
        "future-banned",
        "future-masked",
        "a causal rule gives where future keys are to be kept",
        altered(NAME, lambda arguments: {"future": "neg_inf"}),
    ),
    _mistake(
        "own-key-banned",
        "mask-strict",
        "a ban from the query's own position on gives",
        replaced(NAME, own_position_masked),
    ),
    _mistake(
        "zero-for-one-query",
        "decode-bias",
        "a bias over the queries' own length gives: a single query gets no bias",
        replaced(NAME, zero_for_one_query),
        "https://github.com/keras-team/keras-hub/issues/2861",
        inputs={**DECODE, "slopes": [0.5]},
        params={"form": "neg_distance", "future": "neg_inf"},
        output=[0.0, 0.0, 0.0, 0.0],
    ),
    _mistake(
        "aligned-at-end",
        "end-alignment",
        "indices aligned at the last key give where positions are declared",
        called(NAME, aligned_at_end),
        "https://github.com/Dao-AILab/flash-attention/issues/907",
    ),
    _mistake(
        "slope-of-head-0",
        "slope-heads",
        "the first head's slope gives in every head",
        altered(NAME, _first_slope),
    ),
    _mistake(
        "rounded-bfloat16",
        "position-rounding",
        "positions rounded to bfloat16 before the subtraction give",
        called(NAME, lambda arguments: rounded_first(arguments, BFLOAT16)),
        "https://github.com/NVIDIA/TensorRT-Model-Connect/issues/667",
    ),
    _mistake(
        "rounded-float16",
        "position-rounding",
        "positions rounded to float16 before the subtraction give",
        called(NAME, lambda arguments: rounded_first(arguments, FLOAT16)),
    ),
    _mistake(
        "all-bfloat16",
        "position-rounding",
        "slopes, positions and products rounded to bfloat16 give",
        called(NAME, all_short),
        "https://github.com/NVIDIA/TensorRT-Model-Connect/issues/667",
        inputs={"q_positions": [0], "k_positions": [257], "slopes": [0.840896415]},
        params={"form": "key_index", "future": "keep"},
        output=[215.0],
    ),
    *moved(
        NAME,
        "positions-consecutive",
        "positions-from-0",
        "positions-absolute",
        "positions-of-row-0",
        checks={
            "positions-from-0": {
                "inputs": {**DECODE, "slopes": [1.0]},
                "params": {"form": "neg_abs", "future": "keep"},
                "output": [0.0, -1.0, -2.0, -3.0],
            }
        },
    ),
)
