"""Known wrong implementations of ``mrope.position_ids``."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np

from posref.mistakes._alter import Arguments, Array, called
from posref.operation import Mistake

NAME: Final = "mrope.position_ids"
VIDEO: Final = 2


@dataclass(frozen=True)
class Medium:
    """An image or a video: where it starts, its grid in tokens, its interval.

    `index` counts media from 0, `first` is the start of the run of media it belongs to, `intervals`
    those of all videos, and `merge` and `advance` the parameters of the call.
    """

    kind: int
    index: int
    start: int
    first: int
    frames: int
    rows: int
    columns: int
    interval: Fraction
    intervals: tuple[Fraction, ...]
    merge: int
    advance: str


Place = Callable[[Medium], Array]
After = Callable[[Medium, Array], int]


def cells(medium: Medium) -> tuple[Array, Array, Array]:
    """Return frame, row and column of each token, frame by frame and row by row."""
    grid = np.indices((medium.frames, medium.rows, medium.columns)).reshape(3, -1)
    return grid[0], grid[1], grid[2]


def times(medium: Medium, interval: Fraction) -> Array:
    """Return floor(k * interval) of each token's frame k."""
    return np.asarray([int(int(k) * interval) for k in cells(medium)[0]])


def right(medium: Medium) -> Array:
    """Return the right positions, shape (3, tokens)."""
    _, y, x = cells(medium)
    return medium.start + np.stack([times(medium, medium.interval), y, x])


def following(medium: Medium, block: Array) -> int:
    """Return the right position after a medium."""
    return 1 + int(block[1 if medium.advance == "max_hw" else 0 :].max())


def _media(arguments: Arguments) -> Iterator[Medium]:
    """Yield the media in order, not yet placed."""
    merge = arguments["spatial_merge_size"]
    types = [int(kind) for kind in arguments["token_types"]]
    intervals = tuple(Fraction(int(n), int(d)) for n, d in np.asarray(arguments["temporal_interval"]))
    at = videos = 0
    for index, (frames, rows, columns) in enumerate(np.asarray(arguments["grids"]).tolist()):
        while types[at] == 0:
            at += 1
        interval = Fraction(1)
        kind = types[at]
        if kind == VIDEO:
            interval = intervals[videos]
            videos += 1
        size = (frames, rows // merge, columns // merge)
        yield Medium(kind, index, 0, 0, *size, interval, intervals, merge, arguments["advance"])
        at += size[0] * size[1] * size[2]


def walked(arguments: Arguments, place: Place = right, after: After = following) -> tuple[Array, Array]:
    """Return positions and delta with the media placed by `place` and followed by `after`."""
    types, media = np.asarray(arguments["token_types"]), _media(arguments)
    parts, at, start, run = [np.zeros((3, 0), np.int64)], 0, 0, None
    while at < types.size:
        if types[at] == 0:
            parts.append(np.full((3, 1), start))
            at, start, run = at + 1, start + 1, None
            continue
        run = start if run is None else run
        medium = replace(next(media), start=start, first=run)
        block = place(medium)
        parts.append(block)
        at, start = at + block.shape[1], after(medium, block)
    return np.concatenate(parts, axis=1).astype(np.int64), np.asarray(start - types.size, np.int64)


def other_advance(medium: Medium, block: Array) -> int:
    """Look at the other axes."""
    other = "max_thw" if medium.advance == "max_hw" else "max_hw"
    return following(replace(medium, advance=other), block)


def start_scaled(medium: Medium) -> Array:
    """Multiply the start of a video by its interval too."""
    block = right(medium)
    if medium.kind == VIDEO:
        block[0] = [int((medium.start + int(k)) * medium.interval) for k in cells(medium)[0]]
    return block


def timed(interval: Callable[[Medium], Fraction]) -> Place:
    """Return a placing with another interval."""
    return lambda medium: right(replace(medium, interval=interval(medium)))


def nearest(medium: Medium) -> Array:
    """Round k * interval to the nearest integer."""
    block = right(medium)
    block[0] = [medium.start + int(int(k) * medium.interval + Fraction(1, 2)) for k in cells(medium)[0]]
    return block


def first_of(medium: Medium) -> Fraction:
    """Take the interval of the first video for every video."""
    return medium.intervals[0] if medium.kind == VIDEO else medium.interval


def of_a_video(medium: Medium) -> Fraction:
    """Take the interval of the first video for images."""
    return medium.intervals[0] if medium.kind != VIDEO and medium.intervals else medium.interval


def still(medium: Medium) -> Array:
    """Leave all frames of an image at its start."""
    block = right(medium)
    if medium.kind != VIDEO:
        block[0] = medium.start
    return block


def rows_lost(medium: Medium) -> Array:
    """Leave all rows at the start."""
    block = right(medium)
    block[1] = medium.start
    return block


def exchanged(medium: Medium) -> Array:
    """Exchange rows and columns."""
    return right(medium)[[0, 2, 1]]


def column_major(medium: Medium) -> Array:
    """Run down the columns of a frame."""
    count = medium.frames, medium.rows, medium.columns
    return right(medium).reshape(3, *count).swapaxes(2, 3).reshape(3, -1)


def in_patches(medium: Medium) -> Array:
    """Count rows and columns in patches before merging."""
    block = right(medium)
    block[1:] = medium.start + (block[1:] - medium.start) * medium.merge
    return block


def second_as_text(medium: Medium) -> Array:
    """Let every medium but the first go on as text does."""
    block = right(medium)
    return (
        block if medium.index == 0 else np.broadcast_to(medium.start + np.arange(block.shape[1]), block.shape)
    )


def together(medium: Medium) -> Array:
    """Start neighbouring media at one position."""
    return right(replace(medium, start=medium.first))


def _walk(place: Place = right, after: After = following) -> Callable[..., Any]:
    return called(NAME, lambda arguments: walked(arguments, place, after))


def undelayed(arguments: Arguments) -> tuple[Array, Array]:
    """Return a delta of 0: decoding goes on at the length of the prompt."""
    ids, delta = walked(arguments)
    return ids, np.zeros_like(delta)


def _mistake(name: str, flag: str, text: str, function: Any, report: str = "", **check: Any) -> Mistake:
    return Mistake(name, NAME, flag, f"your output is what {text}", function, report, check)


def _prompt(types: list[int], grids: list[list[int]], intervals: list[list[int]]) -> dict[str, Any]:
    inputs = {
        "token_types": types,
        "grids": np.reshape(grids, (-1, 3)).astype(int).tolist(),
        "temporal_interval": intervals or np.zeros((0, 2), int),
    }
    return {"inputs": inputs, "params": {"spatial_merge_size": 2, "advance": "max_hw"}}


SHORT: Final = _prompt([0, 2, 2, 2, 2, 0], [[2, 2, 4]], [[2, 1]])
"""A text token, a video of two frames of one by two tokens, 2 apart, a text token."""
TWO: Final = _prompt([0, *[1] * 4, 0, *[1] * 4, 0], [[1, 4, 4], [1, 4, 4]], [])
"""Two images of two by two tokens, a text token before, between and after."""

MISTAKES: Final = (
    _mistake(
        "other-advance",
        "media-advance",
        "the other rule for what follows a medium gives: max_hw and max_thw interchanged",
        _walk(after=other_advance),
        "https://github.com/huggingface/transformers/issues/45381",
        **SHORT,
        output=[0, 1, 1, 3, 3, 4, 0, 1, 1, 1, 1, 4, 0, 1, 2, 1, 2, 4, -1],
    ),
    _mistake(
        "second-as-text",
        "media-second",
        "text positions for every medium but the first give",
        _walk(second_as_text),
        "https://github.com/Blaizzy/mlx-vlm/issues/1282",
        **TWO,
        output=[
            *(0, 1, 1, 1, 1, 3, 4, 5, 6, 7, 8),
            *(0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8),
            *(0, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8),
            -2,
        ],
    ),
    _mistake(
        "start-scaled",
        "media-start",
        "a start that was multiplied by the interval gives",
        _walk(start_scaled),
        "https://github.com/huggingface/lerobot/issues/3648",
        **SHORT,
        output=[0, 2, 2, 4, 4, 3, 0, 1, 1, 1, 1, 3, 0, 1, 2, 1, 2, 3, -2],
    ),
    _mistake(
        "interval-ignored",
        "interval-ignored",
        "frames one position apart give: the interval was ignored",
        _walk(timed(lambda medium: Fraction(1))),
        **SHORT,
        output=[0, 1, 1, 2, 2, 3, 0, 1, 1, 1, 1, 3, 0, 1, 2, 1, 2, 3, -2],
    ),
    _mistake(
        "interval-truncated",
        "interval-rounding",
        "an interval cut to an integer before it was multiplied gives",
        _walk(timed(lambda medium: Fraction(int(medium.interval)))),
        "https://github.com/huggingface/transformers/issues/48669",
    ),
    _mistake(
        "time-rounded",
        "interval-rounding",
        "times rounded to the nearest position give where they are rounded down",
        _walk(nearest),
    ),
    _mistake(
        "first-interval",
        "interval-order",
        "the interval of the first video for all videos gives",
        _walk(timed(first_of)),
    ),
    _mistake(
        "image-interval",
        "image-interval",
        "the interval of a video for images gives",
        _walk(timed(of_a_video)),
        "https://github.com/huggingface/transformers/issues/45325",
    ),
    _mistake(
        "image-frames-together",
        "image-frames",
        "one time for all frames of an image gives",
        _walk(still),
    ),
    _mistake(
        "rows-lost",
        "axis-lost",
        "one row for all tokens of a medium gives: the vertical place is lost",
        _walk(rows_lost),
        "https://github.com/vllm-project/vllm/issues/29425",
    ),
    _mistake("axes-exchanged", "axis-order", "row and column interchanged give", _walk(exchanged)),
    _mistake(
        "column-major",
        "media-flatten",
        "tokens numbered column by column give",
        _walk(column_major),
    ),
    _mistake(
        "patches-counted",
        "media-merge",
        "rows and columns counted in patches before merging give",
        _walk(in_patches),
    ),
    _mistake(
        "tokens-counted",
        "media-length",
        "positions that go on after a medium's number of tokens give",
        _walk(after=lambda medium, block: medium.start + block.shape[1]),
    ),
    _mistake(
        "neighbours-together",
        "media-neighbours",
        "media without text between them that start at one position give",
        _walk(together),
    ),
    _mistake(
        "delta-0",
        "decode-delta",
        "a delta of 0 gives: decoding goes on at the length of the prompt",
        called(NAME, undelayed),
        **TWO,
        output=[
            *(0, 1, 1, 1, 1, 3, 4, 4, 4, 4, 6),
            *(0, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6),
            *(0, 1, 2, 1, 2, 3, 4, 5, 4, 5, 6),
            0,
        ],
    ),
)
