"""Known wrong implementations of ``rope.permute`` and ``rope.permute_weight``."""

from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, Implementation, altered, called, reference, replaced
from posref.mistakes._rope_parts import rest_dropped
from posref.operation import Mistake
from posref.reference import rope

COORDINATES: Final = "rope.permute"
ROWS: Final = "rope.permute_weight"


def _mistake(
    operation: str, name: str, flag: str, text: str, function: Any, report: str = "", **check: Any
) -> Mistake:
    return Mistake(name, operation, flag, f"your output is what {text}", function, report, check)


def _other_way(given: Arguments) -> Arguments:
    return {"source": given["target"], "target": given["source"]}


def _twice(name: str, tensor: str) -> Implementation:
    """Permute what is already permuted."""

    def compute(given: Arguments) -> Array:
        return np.asarray(reference(name, {**given, tensor: reference(name, given)}))

    return called(name, compute)


def members(x: Array, given: Arguments) -> Array:
    """Write the second member of each pair before the first."""
    start, width = given.get("rotary_start", 0), given["rotary_dim"]
    part = x[..., start : start + width]
    if given["target"] == "adjacent":
        part = part.reshape(*part.shape[:-1], -1, 2)[..., ::-1].reshape(part.shape)
    else:
        part = np.concatenate([part[..., width // 2 :], part[..., : width // 2]], -1)
    return np.concatenate([x[..., :start], part, x[..., start + width :]], -1)


def _whole_head(given: Arguments) -> Arguments:
    width = given["x"].shape[-1]
    return {"rotary_start": 0, "rotary_dim": width - width % 2}


SIX: Final[dict[str, Any]] = {
    "inputs": {"x": [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]]},
    "params": {"source": "adjacent", "target": "half", "rotary_dim": 6},
}
"""Right: 0, 2, 4, 1, 3, 5."""

WAYS: Final = {
    "other-way": "the permutation the other way gives: source and target interchanged",
    "not-permuted": "the input itself gives: nothing was moved",
    "permuted-twice": "the permutation applied twice gives",
    "members-exchanged": "the second member of each pair before the first gives",
}
HEAD_WIDTH = "a permutation of the whole head gives: the rotated width was ignored"

LAYOUTS: Final = (
    _mistake(
        COORDINATES,
        "other-way",
        "layout-direction",
        WAYS["other-way"],
        altered(COORDINATES, _other_way),
        **SIX,
        output=[0.0, 3.0, 1.0, 4.0, 2.0, 5.0],
    ),
    _mistake(
        COORDINATES,
        "not-permuted",
        "layout-kept",
        WAYS["not-permuted"],
        called(COORDINATES, lambda given: np.asarray(given["x"])),
        **SIX,
        output=[0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
    ),
    _mistake(
        COORDINATES,
        "permuted-twice",
        "layout-twice",
        WAYS["permuted-twice"],
        _twice(COORDINATES, "x"),
        **SIX,
        output=[0.0, 4.0, 3.0, 2.0, 1.0, 5.0],
    ),
    _mistake(
        COORDINATES,
        "members-exchanged",
        "pair-members",
        WAYS["members-exchanged"],
        replaced(COORDINATES, lambda y, given: members(np.asarray(y), given)),
        **SIX,
        output=[1.0, 3.0, 5.0, 0.0, 2.0, 4.0],
    ),
    _mistake(
        COORDINATES,
        "start-ignored",
        "slice-start",
        "a slice at the front gives: `rotary_start` was ignored",
        altered(COORDINATES, lambda given: {"rotary_start": 0}),
    ),
    _mistake(COORDINATES, "whole-head", "pass-through", HEAD_WIDTH, altered(COORDINATES, _whole_head)),
    _mistake(
        COORDINATES,
        "rest-dropped",
        "pass-through",
        "zeros give where coordinates stay",
        replaced(
            COORDINATES,
            lambda y, given: rest_dropped(np.asarray(y), given.get("rotary_start", 0), given["rotary_dim"]),
        ),
    ),
)


def _as_one_head(given: Arguments) -> Arguments:
    """Take the projection for a single head, as wide as all together."""
    rows = len(given["weight"])
    full = given["rotary_dim"] * given["num_heads"] == rows
    return {"num_heads": 1, "rotary_dim": rows if full else given["rotary_dim"]}


def regrouped(given: Arguments) -> Arguments:
    """Take twice as many heads, half as wide: the ratio of two head counts for the count."""
    heads, rows = 2 * given["num_heads"], len(given["weight"])
    if rows % heads or rows // heads % 2:
        return {}
    return {"num_heads": heads, "rotary_dim": min(given["rotary_dim"], rows // heads)}


def _whole_heads(given: Arguments) -> Arguments:
    return {"rotary_dim": len(given["weight"]) // given["num_heads"]}


def columns(given: Arguments) -> Array:
    """Permute the inputs of the projection instead of its outputs."""
    weight = np.asarray(given["weight"])
    width = min(given["rotary_dim"], weight.shape[1] - weight.shape[1] % 2)
    if width < 2:
        return weight
    options = {name: given[name] for name in ("source", "target")}
    return np.asarray(rope.permute(weight, rotary_dim=width, **options))


def _row_members(y: Array, given: Arguments) -> Array:
    heads = np.asarray(y).T.reshape(y.shape[1], given["num_heads"], -1)
    return members(heads, given).reshape(y.shape[1], -1).T


GROUPED: Final[dict[str, Any]] = {
    "inputs": {"weight": [[float(row)] for row in range(8)]},
    "params": {"num_heads": 2, "source": "half", "target": "adjacent", "rotary_dim": 4},
}
"""Right: 0, 2, 1, 3, 4, 6, 5, 7."""
REPORT = "https://github.com/ggml-org/llama.cpp/issues/3364"

WEIGHTS: Final = (
    _mistake(
        ROWS,
        "heads-regrouped",
        "weight-heads",
        "another number of heads gives: the ratio of two head counts was taken for the count",
        altered(ROWS, regrouped),
        REPORT,
        **GROUPED,
        output=[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
    ),
    _mistake(
        ROWS,
        "heads-as-one",
        "weight-heads",
        "a permutation across all heads gives",
        altered(ROWS, _as_one_head),
        **GROUPED,
        output=[0.0, 4.0, 1.0, 5.0, 2.0, 6.0, 3.0, 7.0],
    ),
    _mistake(ROWS, "other-way", "layout-direction", WAYS["other-way"], altered(ROWS, _other_way)),
    _mistake(
        ROWS,
        "not-permuted",
        "layout-kept",
        WAYS["not-permuted"],
        called(ROWS, lambda given: np.asarray(given["weight"])),
    ),
    _mistake(ROWS, "permuted-twice", "layout-twice", WAYS["permuted-twice"], _twice(ROWS, "weight")),
    _mistake(
        ROWS,
        "members-exchanged",
        "pair-members",
        WAYS["members-exchanged"],
        replaced(ROWS, _row_members),
        **GROUPED,
        output=[2.0, 0.0, 3.0, 1.0, 6.0, 4.0, 7.0, 5.0],
    ),
    _mistake(
        ROWS,
        "columns-permuted",
        "weight-axis",
        "a permutation of the columns gives: a row is an output coordinate",
        called(ROWS, columns),
    ),
    _mistake(ROWS, "whole-head", "pass-through", HEAD_WIDTH, altered(ROWS, _whole_heads)),
)
