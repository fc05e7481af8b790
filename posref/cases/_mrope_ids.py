"""Cases of ``mrope.position_ids``."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

from posref.cases._build import Baseline, Row, grouped, integers
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

Pair = tuple[int, int]
MERGE = 2


class Image(NamedTuple):
    """Frames, rows and columns of an image, in tokens."""

    frames: int
    rows: int
    columns: int


class Video(NamedTuple):
    """Frames, rows and columns of a video, in tokens, and its interval as a fraction."""

    frames: int
    rows: int
    columns: int
    interval: Pair = (1, 1)


Piece = int | Image | Video
"""So many text tokens, or a medium."""

IMAGE = ("axis-lost", "axis-order", "media-flatten", "media-length", "media-merge", "decode-delta")
"""What an image shows that is wider than high, neither being 1."""
SQUARE = ("axis-lost", "media-flatten", "media-length", "media-merge", "decode-delta")


@complete
def position_ids() -> Iterator[Group]:
    """Yield the cases of ``mrope.position_ids``."""
    yield from grouped("mrope.position_ids", _values())
    yield from _refused()


def sequence(pieces: Sequence[Piece], merge: int = MERGE) -> dict[str, Tensor]:
    """Return the inputs of a text with images and videos."""
    types: list[int] = []
    grids: list[int] = []
    intervals: list[int] = []
    for piece in pieces:
        if isinstance(piece, int):
            types += [0] * piece
            continue
        types += [2 if isinstance(piece, Video) else 1] * prod(piece[:3])
        grids += [piece.frames, piece.rows * merge, piece.columns * merge]
        intervals += piece.interval if isinstance(piece, Video) else ()
    return {
        "token_types": integers(types),
        "grids": integers(grids, (len(grids) // 3, 3)),
        "temporal_interval": integers(intervals, (len(intervals) // 2, 2)),
    }


def _case(
    name: str,
    comment: str,
    pieces: Sequence[Piece],
    *flags: str,
    advance: str = "max_hw",
    merge: int = MERGE,
    clauses: tuple[str, ...] = ("mrope.C3", "mrope.C4"),
) -> Row:
    params = {"spatial_merge_size": merge, "advance": advance}
    case_id = f"mrope-position-ids-{name}-{advance.replace('_', '-')}"
    neighbours = any(not isinstance(one, int) and not isinstance(two, int) for one, two in pairwise(pieces))
    if neighbours:
        flags = (*flags, "media-neighbours")
    return params, Case(case_id, comment, sequence(pieces, merge), clauses, flags)


def _values() -> Iterator[Row]:
    for advance in ("max_hw", "max_thw"):
        yield from _images(advance)
        yield from _videos(advance)
        text = "Text alone: the index, and a delta of 0."
        yield _case("text", text, (6,), "text-only", advance=advance)
        yield _case("empty", "No token.", (), "empty", advance=advance)


def _images(advance: str) -> Iterator[Row]:
    def case(name: str, comment: str, pieces: Sequence[Piece], *flags: str, merge: int = MERGE) -> Row:
        return _case(name, comment, pieces, *flags, advance=advance, merge=merge)

    yield case("wide", "An image wider than high.", (2, Image(1, 2, 3), 2), *IMAGE)
    yield case("high", "An image higher than wide, first in the text.", (Image(1, 4, 2), 3), *IMAGE)
    yield case(
        "last", "An image ends the text: decoding goes on after its side.", (3, Image(1, 3, 2)), *IMAGE
    )
    yield case("one-row", "A single row.", (1, Image(1, 1, 5), 2), "axis-order", "media-merge")
    yield case("one-token", "A single token is like text.", (2, Image(1, 1, 1), 2))
    text = "The report: two images of two by two, text between."
    both = (1, Image(1, 2, 2), 1, Image(1, 2, 2), 1)
    yield case("two", text, both, "media-second", *SQUARE)
    text = "Two images without text between them: each starts after the one before."
    yield case("neighbours", text, (1, Image(1, 2, 2), Image(1, 1, 3), 2), "media-second", *SQUARE)
    text = "An image of several frames: they are 1 apart."
    yield case(
        "frames", text, (2, Image(4, 1, 2), 2), "image-frames", "media-advance", "axis-order", "media-merge"
    )
    yield case("no-merge", "Patches are tokens.", (1, Image(1, 2, 3), 1), *IMAGE[:4], "decode-delta", merge=1)
    yield case("merge-3", "Nine patches a token.", (1, Image(1, 2, 3), 1), *IMAGE, merge=3)


def _videos(advance: str) -> Iterator[Row]:
    def case(name: str, comment: str, pieces: Sequence[Piece], *flags: str) -> Row:
        return _case(name, comment, pieces, *flags, advance=advance)

    late = ("media-start", "interval-ignored", "media-advance")
    text = "The worked video: six frames, 2 positions apart."
    yield case("worked", text, (3, Video(6, 2, 2, (2, 1)), 3), *SQUARE, *late)
    text = "The report: two frames after 15 tokens of text."
    yield case("report", text, (15, Video(2, 1, 2, (2, 1)), 1), "axis-order", *late)
    rounded = ("interval-rounding", *late)
    text = "An interval above 1 that is no integer: floor(k * 5/3)."
    yield case("five-thirds", text, (2, Video(5, 1, 2, (5, 3)), 2), *rounded)
    text = "An interval below 1: two frames share a position."
    yield case("half", text, (2, Video(5, 1, 2, (1, 2)), 2), "interval-rounding", *late[:2])
    text = "A long fraction: seconds of a real frame rate."
    yield case("rate", text, (1, Video(4, 1, 1, (50_050, 15_015)), 2), *rounded)
    text = "Two videos, each with an interval of its own, and an image between them."
    mixed: tuple[Piece, ...] = (
        1,
        Video(3, 1, 2, (3, 1)),
        Image(2, 1, 2),
        1,
        Video(3, 2, 1, (7, 2)),
    )
    shown = ("interval-order", "image-interval", "image-frames", "media-second", *rounded)
    yield case("mixed", text, mixed, *shown)
    text = "Videos without text between them, the wider one first."
    several = (1, Video(2, 1, 4, (1, 1)), Video(3, 1, 2, (4, 1)), 1)
    other = ("interval-order", "media-second", "media-advance", "interval-ignored")
    yield case("videos", text, several, *other)
    text = "A second frame at 2^53, the last position there is."
    yield case("farthest", text, (Video(2, 1, 1, (2**53, 1)),))
    text = "A single frame: the interval has no effect on it."
    yield case("still", text, (2, Video(1, 2, 3, (9, 2)), 1), *IMAGE)


def _refused() -> Iterator[Group]:
    params: dict[str, Any] = {"spatial_merge_size": MERGE, "advance": "max_hw"}
    inputs = sequence((1, Image(1, 1, 2), 1, Video(2, 1, 1, (2, 1)), 1))
    base = Baseline("mrope.position_ids", inputs, params)
    yield from _refused_sequences(base)

    def refuse(name: str, parameter: str, comment: str, clause: str = "mrope.C3", **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), clause, comment, **wrong)

    yield refuse("merge-0", "spatial_merge_size", "Nothing is merged into a token.", spatial_merge_size=0)
    text = "A factor, not a count."
    yield refuse("merge-float", "spatial_merge_size", text, "conventions.C6", spatial_merge_size=2.0)
    yield refuse("merge-3", "grids", "A grid that 3 does not divide.", spatial_merge_size=3)
    text = "No such rule."
    yield refuse("unknown-advance", "advance", text, "conventions.C6", advance="max")
    for name in params:
        missing = ("MISSING_PARAMETER", name)
        shown = name.replace("_", "-")
        yield base.refuse(f"no-{shown}", missing, "conventions.C6", "Left out.", without=(name,))


def _refused_sequences(base: Baseline) -> Iterator[Group]:
    def refuse(name: str, fault: tuple[str, str], clause: str, comment: str, given: Tensor) -> Group:
        return base.refuse(name, fault, clause, comment, inputs={fault[1]: given})

    shape, value = ("INVALID_SHAPE", "grids"), ("INVALID_PARAMETER", "grids")
    video = (2, 2, 2)
    few = integers((1, 2, 4), (1, 3))
    yield refuse("few-grids", shape, "mrope.C4", "A video without a grid.", few)
    many = integers((1, 2, 4, *video, 1, 2, 2), (3, 3))
    yield refuse("many-grids", shape, "mrope.C4", "A grid without a medium.", many)
    large = integers((1, 4, 4, *video), (2, 3))
    yield refuse("long-grid", shape, "mrope.C4", "An image of more tokens than there are.", large)
    short = integers((1, 2, 2, *video), (2, 3))
    yield refuse("short-grid", shape, "mrope.C4", "An image of fewer tokens than there are.", short)
    text = "A row and a column without a frame."
    yield refuse("two-sizes", shape, "mrope.C3", text, integers((2, 4, 2, 2), (2, 2)))
    text = "No frame."
    yield refuse("no-frame", value, "mrope.C3", text, integers((0, 2, 4, *video), (2, 3)))
    text = "A negative side."
    yield refuse("negative-side", value, "mrope.C3", text, integers((1, -2, -4, *video), (2, 3)))
    yield refuse("odd-side", value, "mrope.C3", "Three patches a side.", integers((1, 3, 4, *video), (2, 3)))
    text = "Three patches across."
    yield refuse("odd-width", value, "mrope.C3", text, integers((1, 4, 3, *video), (2, 3)))
    text = "An image at the end, of more tokens than are left."
    cut = {"token_types": integers((0, 0, 0, 1, 1)), "grids": integers((1, 4, 4), (1, 3))}
    cut["temporal_interval"] = integers((), (0, 2))
    yield base.refuse("cut-off", shape, "mrope.C4", text, inputs=cut)
    types = ("OUT_OF_RANGE", "token_types")
    yield refuse("audio", types, "mrope.C3", "A fourth kind of token.", integers((0, 1, 1, 3, 2, 2, 0)))
    mixed = integers((0, 1, 2, 0, 2, 2, 0))
    inputs = {"token_types": mixed}
    yield base.refuse("mixed", shape, "mrope.C4", "A medium of two types.", inputs=inputs)
    yield from _refused_intervals(base)


def _refused_intervals(base: Baseline) -> Iterator[Group]:
    def refuse(name: str, kind: str, clause: str, comment: str, values: tuple[int, ...]) -> Group:
        given = {"temporal_interval": integers(values, (len(values) // 2, 2))}
        return base.refuse(name, (kind, "temporal_interval"), clause, comment, inputs=given)

    wrong = "INVALID_PARAMETER"
    yield refuse("interval-0", wrong, "mrope.C3", "All frames at once.", (0, 1))
    yield refuse("interval-by-0", wrong, "mrope.C3", "A denominator of 0.", (1, 0))
    yield refuse("interval-negative", wrong, "mrope.C3", "Backwards.", (-2, -1))
    yield refuse("no-interval", "INVALID_SHAPE", "mrope.C4", "A video without one.", ())
    yield refuse("more-intervals", "INVALID_SHAPE", "mrope.C4", "One for the image too.", (1, 1, 2, 1))
    text = "A second frame beyond 2^53."
    yield refuse("interval-far", "OUT_OF_RANGE", "mrope.C3", text, (2**53, 1))
