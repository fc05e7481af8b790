"""Known wrong implementations of ``rope.rotate``."""

from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, altered, called, reference, replaced
from posref.mistakes._rope_parts import (
    OTHER,
    distant_partner,
    first_row,
    in_place,
    padded_sine,
    rest_dropped,
    rows_left,
    table_by_head,
)
from posref.operation import Mistake

NAME = "rope.rotate"

WARP: Final = 32
"""Lanes that exchange values in one step."""


def mixed(arguments: Arguments) -> Array:
    """Spread the tables for one pairing and rotate by the other."""
    x, cos, sin = arguments["x"], arguments["cos"], arguments["sin"]
    start, h = arguments.get("rotary_start", 0), cos.shape[-1]
    part = x[..., start : start + 2 * h]
    if arguments["pairing_in"] == "half":
        cos, sin = np.concatenate([cos, cos], -1), np.concatenate([sin, sin], -1)
        other = np.stack([-part[..., 1::2], part[..., 0::2]], -1).reshape(part.shape)
    else:
        cos, sin = np.repeat(cos, 2, -1), np.repeat(sin, 2, -1)
        other = np.concatenate([-part[..., h:], part[..., :h]], -1)
    y = np.array(x, np.float64)
    y[..., start : start + 2 * h] = part * cos + other * sin
    return y


def by_head(arguments: Arguments) -> Arguments:
    """Index both tables by the head."""
    x = arguments["x"]
    return {name: table_by_head(np.asarray(arguments[name]), x) for name in ("cos", "sin")}


def of_row_0(arguments: Arguments) -> Arguments:
    """Use the first row's tables for every row."""
    cos, sin = np.asarray(arguments["cos"]), np.asarray(arguments["sin"])
    return {"cos": first_row(cos), "sin": first_row(sin)} if cos.ndim > 2 else {}


def partner(arguments: Arguments) -> Array:
    """Pair coordinates that lie half a head apart."""
    if (arguments["pairing_in"], arguments["pairing_out"]) != ("half", "half"):
        return np.asarray(reference(NAME, arguments))
    start = arguments.get("rotary_start", 0)
    return distant_partner(arguments["x"], arguments["cos"], arguments["sin"], start)


def overwritten(arguments: Arguments) -> Array:
    """Store the first result before the second is computed."""
    start, pairing = arguments.get("rotary_start", 0), arguments["pairing_in"]
    return in_place(arguments["x"], arguments["cos"], arguments["sin"], start, pairing)


def beyond_warp(arguments: Arguments) -> Array:
    """Lose the partner that lies a whole warp of lanes away or further."""
    halves = (arguments["pairing_in"], arguments["pairing_out"]) == ("half", "half")
    if not halves or arguments["cos"].shape[-1] < WARP:
        return np.asarray(reference(NAME, arguments))
    return np.asarray(reference(NAME, {**arguments, "sin": np.zeros_like(arguments["sin"])}))


def dropped(y: Array, arguments: Arguments) -> Array:
    """Lose what passes through."""
    return rest_dropped(y, arguments.get("rotary_start", 0), 2 * arguments["cos"].shape[-1])


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _other_pairing(arguments: Arguments) -> Arguments:
    return {name: OTHER[arguments[name]] for name in ("pairing_in", "pairing_out")}


QUARTER: Final = {"cos": [[0.0]], "sin": [[1.0]]}
"""A quarter turn."""

MISTAKES: Final = (
    _mistake(
        "other-pairing",
        "pairing",
        "the other pairing gives: adjacent pairs and halves interchanged",
        altered(NAME, _other_pairing),
        "https://github.com/huggingface/transformers/issues/25199",
        inputs={
            "x": [[1.0, 2.0, 3.0, 4.0]],
            "cos": [[0.540302306, 0.99995]],
            "sin": [[0.841470985, 0.00999983333]],
        },
        params={"pairing_in": "half", "pairing_out": "half"},
        output=[-1.14263966, 1.9220756, 2.95985067, 4.0297995],
    ),
    _mistake(
        "tables-for-the-other-pairing",
        "pairing-mixed",
        "tables laid out for one pairing and a rotation by the other give: norms are not kept",
        called(NAME, mixed),
    ),
    _mistake(
        "written-where-read",
        "pairing-out",
        "results written where the pair was read give: `pairing_out` was ignored",
        altered(NAME, lambda arguments: {"pairing_out": arguments["pairing_in"]}),
    ),
    _mistake(
        "sign-reversed",
        "rotation-sign",
        "a negated sine gives: everything rotates the other way",
        altered(NAME, lambda arguments: {"sin": -np.asarray(arguments["sin"])}),
        inputs={"x": [[3.0, 5.0]], **QUARTER},
        params={"pairing_in": "half", "pairing_out": "half"},
        output=[5.0, -3.0],
    ),
    _mistake(
        "tables-exchanged",
        "sine-cosine-order",
        "sines and cosines interchanged give",
        altered(NAME, lambda arguments: {"cos": arguments["sin"], "sin": arguments["cos"]}),
        inputs={"x": [[3.0, 5.0]], **QUARTER},
        params={"pairing_in": "half", "pairing_out": "half"},
        output=[3.0, 5.0],
    ),
    _mistake(
        "start-ignored",
        "slice-start",
        "a slice at the front gives: `rotary_start` was ignored",
        altered(NAME, lambda arguments: {"rotary_start": 0}),
    ),
    _mistake(
        "rest-dropped",
        "pass-through",
        "zeros give where coordinates pass through",
        replaced(NAME, dropped),
    ),
    _mistake(
        "partner-half-a-head-away",
        "partner-width",
        "a partner half a head away gives where half the slice is declared",
        called(NAME, partner),
        "https://github.com/huggingface/transformers/issues/48652",
    ),
    _mistake(
        "padded-sine",
        "padded-width",
        "sines read at the offset of a width rounded up to a power of two give",
        altered(
            NAME,
            lambda arguments: {
                "sin": padded_sine(np.asarray(arguments["cos"]), np.asarray(arguments["sin"]))
            },
        ),
        "https://github.com/vllm-project/vllm-ascend/issues/15688",
    ),
    _mistake(
        "overwritten",
        "in-place",
        "a second result computed from the first, already stored, gives",
        called(NAME, overwritten),
        inputs={"x": [[3.0, 5.0]], **QUARTER},
        params={"pairing_in": "half", "pairing_out": "half"},
        output=[-5.0, -5.0],
    ),
    _mistake(
        "partner-beyond-warp",
        "warp-width",
        "a partner of 0 gives where it lies 32 coordinates away or more",
        called(NAME, beyond_warp),
        "https://github.com/deepspeedai/DeepSpeed/issues/2782",
    ),
    _mistake(
        "table-by-head",
        "head-axis",
        "tables indexed by the head give instead of by the token",
        altered(NAME, by_head),
        "https://github.com/facebookresearch/xformers/issues/841",
    ),
    _mistake(
        "table-of-row-0",
        "batch-rows",
        "the tables of the first row give for every row of the batch",
        altered(NAME, of_row_0),
    ),
    _mistake(
        "other-rows-unwritten",
        "batch-tail",
        "rows of the batch left unwritten give when each has one token",
        replaced(NAME, lambda y, arguments: rows_left(np.asarray(y), y.shape[-2])),
        "https://github.com/ml-explore/mlx/issues/3494",
    ),
)
