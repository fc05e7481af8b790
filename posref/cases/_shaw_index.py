"""Cases of ``shaw.index``."""

from collections.abc import Iterator
from typing import Any

from posref.cases._build import Baseline, Row, grouped, integers, tensor
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

LIMIT = 2**53


@complete
def index() -> Iterator[Group]:
    """Yield the cases of ``shaw.index``."""
    yield from grouped("shaw.index", _values())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    clips: tuple[int, int],
    q_positions: Tensor,
    k_positions: Tensor,
    *flags: str,
    clauses: tuple[str, ...] = ("shaw.C1",),
) -> Row:
    inputs = {"q_positions": q_positions, "k_positions": k_positions}
    params = {"clip_left": clips[0], "clip_right": clips[1]}
    return params, Case(f"shaw-index-{name}", comment, inputs, clauses, flags)


ALWAYS = ("relative-direction", "clip-origin", "clip-missing", "unsigned-position", "future-clipped")


def _values() -> Iterator[Row]:
    yield _case(
        "square",
        "The published picture with one key more: clips of 2, every row of the table.",
        (2, 2),
        integers(range(5)),
        integers(range(6)),
        *ALWAYS,
        "clip-range",
        "clip-wrapped",
    )
    yield _case(
        "distance-40",
        "Clips of 16: distances 15, 16, 17 and 40 on both sides.",
        (16, 16),
        integers((40,)),
        integers((0, 23, 24, 25, 40, 55, 56, 57, 80)),
        *ALWAYS,
        "clip-range",
        "clip-wrapped",
        "restarted-positions",
        "end-alignment",
        "cross-lengths",
    )
    yield _case(
        "unequal",
        "A far past and a near future: 64 and 8.",
        (64, 8),
        integers((100, 7)),
        integers((30, 35, 36, 37, 99, 100, 107, 108, 109, 300)),
        *ALWAYS,
        "clip-sides",
        "clip-range",
        "clip-wrapped",
        "restarted-positions",
    )
    yield _case(
        "no-future",
        "No row for the future but that of the query's own position.",
        (3, 0),
        integers(range(2, 6)),
        integers(range(7)),
        "clip-sides",
        "relative-direction",
        "clip-origin",
        "clip-missing",
        "restarted-positions",
    )
    yield _case(
        "no-past",
        "No row for the past.",
        (0, 4),
        integers((3, 9)),
        integers(range(0, 14, 3)),
        "clip-sides",
        "relative-direction",
        "clip-missing",
        "future-clipped",
    )
    yield _case(
        "one-row",
        "Clips of 0: one row for every offset.",
        (0, 0),
        integers((0, 5)),
        integers((7, 0, 5)),
        "clip-missing",
    )
    yield from _far()
    yield from _batches()


def _far() -> Iterator[Row]:
    yield _case(
        "negative",
        "Negative positions on both sides.",
        (5, 4),
        integers((-3, -1, 2)),
        integers((-7, 0, 5, -2)),
        *ALWAYS,
        "negative-position",
        "restarted-positions",
        "clip-sides",
        clauses=("shaw.C1", "conventions.C4"),
    )
    yield _case(
        "limit",
        "The farthest two positions can be apart, with the widest clips.",
        (LIMIT, LIMIT),
        integers((LIMIT, -LIMIT)),
        integers((LIMIT, -LIMIT, 2**31 + 1)),
        *ALWAYS,
        "clip-range",
        clauses=("shaw.C1", "conventions.C6"),
    )
    yield _case(
        "powers",
        "Neighbours of powers of two, clipped at 128.",
        (128, 128),
        integers((2**20 + 1, 1000)),
        integers([2**20 + 1 + sign * (2**n + n % 3 - 1) for n in range(4, 12) for sign in (1, -1)]),
        *ALWAYS,
        "restarted-positions",
        "end-alignment",
        "clip-range",
    )


def _batches() -> Iterator[Row]:
    yield _case(
        "batch",
        "Left-padded rows: each has positions of its own.",
        (2, 1),
        integers((4, 5, 6, 1, 2, 3), (2, 1, 3)),
        integers((0, 1, 2, 3, 4, 5, 6, 1, 1, 1, 0, 1, 2, 3), (2, 1, 7)),
        *ALWAYS,
        "batch-rows",
        "clip-sides",
        "clip-wrapped",
        clauses=("shaw.C1", "conventions.C5"),
    )
    yield _case(
        "batch-decode",
        "One query a row, keys shared.",
        (4, 4),
        integers((9, 4), (2, 1)),
        integers(range(7)),
        "batch-rows",
        "cross-lengths",
        "relative-direction",
    )
    yield _case("no-queries", "No query.", (2, 2), integers(()), integers(range(3)), "empty")
    yield _case("no-keys", "No key.", (2, 3), integers((5, 6)), integers(()), "empty")


def _refused() -> Iterator[Group]:
    inputs = {"q_positions": integers((3, 4)), "k_positions": integers(range(5))}
    base = Baseline("shaw.index", inputs, {"clip_left": 2, "clip_right": 3})
    for name in ("clip_left", "clip_right"):
        side, refusal = name.removeprefix("clip_"), ("INVALID_PARAMETER", name)
        below: dict[str, Any] = {name: -1}
        boolean: dict[str, Any] = {name: True}
        yield base.refuse(f"{side}-negative", refusal, "shaw.C1", "A clip below 0.", **below)
        yield base.refuse(f"{side}-boolean", refusal, "conventions.C6", "A boolean clip.", **boolean)
        missing = ("MISSING_PARAMETER", name)
        yield base.refuse(f"{side}-missing", missing, "conventions.C6", "A clip left out.", without=(name,))
    for name in ("q_positions", "k_positions"):
        yield base.refuse(
            f"{name[0]}-fractional",
            ("INVALID_DTYPE", name),
            "conventions.C4",
            "A fractional position.",
            inputs={name: tensor("float64", (0.5, 2.0))},
        )
        yield base.refuse(
            f"{name[0]}-limit",
            ("OUT_OF_RANGE", name),
            "conventions.C4",
            "One beyond 2^53.",
            inputs={name: integers((0, LIMIT + 1))},
        )
    yield base.refuse(
        "batch",
        ("INVALID_SHAPE", "k_positions"),
        "conventions.C5",
        "Two sequences of queries, three of keys.",
        inputs={"q_positions": integers(range(4), (2, 1, 2)), "k_positions": integers(range(9), (3, 1, 3))},
    )
