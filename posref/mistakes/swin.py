"""Known wrong implementations of the operations in `spec/schemes/swin.md`."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import BFLOAT16, Array, altered, replaced, significant
from posref.operation import Mistake

INDEX, COORDS = "swin.index", "swin.log_coords"

Offsets = tuple[Array, Array]
"""dy, dx for every pair of tokens."""


def _indexed(rows: Callable[[Offsets, int, int], Array], column_major: bool = False) -> Any:
    def wrong(*, window: list[int]) -> Array:
        height, width = window
        token = np.arange(height * width)
        y, x = (token % height, token // height) if column_major else (token // width, token % width)
        return rows((y[:, None] - y[None, :], x[:, None] - x[None, :]), height, width)

    return wrong


def _right(offsets: Offsets, height: int, width: int) -> Array:
    dy, dx = offsets
    return (dy + height - 1) * (2 * width - 1) + dx + width - 1


def key_minus_query(offsets: Offsets, height: int, width: int) -> Array:
    """Subtract the query from the key."""
    return _right((-offsets[0], -offsets[1]), height, width)


def columns_first(offsets: Offsets, height: int, width: int) -> Array:
    """Let the offset of columns choose the block."""
    return _right((offsets[1], offsets[0]), width, height)


def height_as_stride(offsets: Offsets, height: int, width: int) -> Array:
    """Take 2h - 1 for the length of a row."""
    dy, dx = offsets
    return (dy + height - 1) * (2 * height - 1) + dx + width - 1


def width_as_stride(offsets: Offsets, height: int, width: int) -> Array:
    """Take the width of the window for the length of a row."""
    dy, dx = offsets
    return (dy + height - 1) * width + dx + width - 1


def not_moved(offsets: Offsets, height: int, width: int) -> Array:
    """Leave the offsets where they are: negative ones wrap."""
    dy, dx = offsets
    return dy * (2 * width - 1) + dx


def unsigned(offsets: Offsets, height: int, width: int) -> Array:
    """Use distances."""
    return _right((np.abs(offsets[0]), np.abs(offsets[1])), height, width)


def _coordinates(axis: Callable[[Array, int], Array], own: bool = False) -> Any:
    """Return an implementation: `axis(offsets, size of pretraining)`, of the window itself where `own`."""

    def wrong(*, window: list[int], pretrained_window: list[int] | None) -> Array:
        before = window if own or pretrained_window is None else pretrained_window
        axes = [
            axis(np.arange(1 - size, size).astype(float), reference) if size > 1 else np.zeros(1)
            for size, reference in zip(window, before, strict=True)
        ]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)

    return wrong


def _signed_log(c: Array) -> Array:
    return np.asarray(np.sign(c) * np.log2(1 + np.abs(c)))


def _short(offset: Array, size: int) -> Array:
    c = significant(offset * 8 / (size - 1), BFLOAT16)
    return np.sign(c) * significant(np.log2(significant(1 + np.abs(c), BFLOAT16)), BFLOAT16) / 3


def _mistake(
    operation: str, name: str, flag: str, text: str, function: Any, report: str = "", **check: Any
) -> Mistake:
    return Mistake(name, operation, flag, f"your output is what {text}", function, report, check)


ROW: Final = {"window": [1, 3], "pretrained_window": [1, 9]}
"""One row, c = -2 ... 2."""

ALONE: Final = {"window": [1, 2]}

MISTAKES: Final = (
    _mistake(
        INDEX,
        "key-minus-query",
        "offset-direction",
        "key minus query gives",
        _indexed(key_minus_query),
        inputs={},
        params=ALONE,
        output=[1, 2, 0, 1],
    ),
    _mistake(INDEX, "columns-first", "window-axes", "columns before rows give", _indexed(columns_first)),
    _mistake(
        INDEX,
        "height-as-stride",
        "window-stride",
        "a row length of 2h - 1 gives where 2w - 1 is declared",
        _indexed(height_as_stride),
    ),
    _mistake(
        INDEX,
        "width-as-stride",
        "window-stride",
        "a row length of w gives where 2w - 1 is declared",
        _indexed(width_as_stride),
    ),
    _mistake(
        INDEX,
        "column-major",
        "window-flatten",
        "tokens numbered column by column give",
        _indexed(_right, column_major=True),
        "https://github.com/huggingface/transformers/issues/41380",
    ),
    _mistake(
        INDEX,
        "origin-missing",
        "window-origin",
        "offsets that were not moved to start at 0 give",
        _indexed(not_moved),
        inputs={},
        params=ALONE,
        output=[0, -1, 1, 0],
    ),
    _mistake(
        INDEX, "unsigned", "window-unsigned", "distances give: both directions share rows", _indexed(unsigned)
    ),
    _mistake(
        COORDS,
        "columns-first",
        "window-axes",
        "the order dx, dy gives",
        replaced(COORDS, lambda coords, arguments: coords[..., ::-1]),
    ),
    _mistake(
        COORDS,
        "not-divided-by-3",
        "log-normalisation",
        "logarithms that were not divided by log2 8 give",
        _coordinates(lambda offset, size: _signed_log(8 * offset / (size - 1))),
        inputs={},
        params=ROW,
        output=[0.0, -1.584962501, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.584962501],
    ),
    _mistake(
        COORDS,
        "natural-logarithm",
        "log-base",
        "a natural logarithm divided by 3 gives",
        _coordinates(lambda offset, size: _signed_log(8 * offset / (size - 1)) * np.log(2) / 3),
    ),
    _mistake(
        COORDS,
        "plain-offsets",
        "log-scale",
        "the logarithm of plain offsets gives: they were not normalised to 8",
        _coordinates(lambda offset, size: np.sign(offset) * np.log1p(np.abs(offset))),
    ),
    _mistake(
        COORDS,
        "no-logarithm",
        "log-missing",
        "coordinates from -1 to 1 give: no logarithm was taken",
        _coordinates(lambda offset, size: offset / (size - 1)),
        inputs={},
        params=ROW,
        output=[0.0, -0.25, 0.0, -0.125, 0.0, 0.0, 0.0, 0.125, 0.0, 0.25],
    ),
    _mistake(
        COORDS,
        "pretrained-ignored",
        "pretrained-ignored",
        "offsets normalised by the window itself give",
        altered(COORDS, lambda arguments: {"pretrained_window": None}),
    ),
    _mistake(
        COORDS,
        "size-for-size-minus-1",
        "window-size",
        "offsets divided by the size of the axis give where it less 1 is declared",
        _coordinates(lambda offset, size: _signed_log(8 * offset / size) / 3),
    ),
    _mistake(
        COORDS,
        "unsigned",
        "window-unsigned",
        "coordinates without their sign give",
        replaced(COORDS, lambda coords, arguments: np.abs(coords)),
    ),
    _mistake(
        COORDS,
        "bfloat16-steps",
        "log-precision",
        "steps in bfloat16 give: the result was not rounded once",
        _coordinates(_short),
    ),
)
