"""Cases of the operations in `spec/schemes/positions.md`."""

from collections.abc import Iterator

from posref.cases._build import Baseline, Row, grouped, integers, tensor
from posref.cases._positions_ids import from_lengths, from_mask
from posref.cases._positions_shard import shard
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

__all__ = ["from_lengths", "from_mask", "relative", "shard"]

LIMIT = 2**53


@complete
def relative() -> Iterator[Group]:
    """Yield the cases of ``positions.relative``."""
    yield from grouped("positions.relative", _values())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    q_positions: Tensor,
    k_positions: Tensor,
    *flags: str,
    clauses: tuple[str, ...] = ("positions.C1",),
) -> Row:
    inputs = {"q_positions": q_positions, "k_positions": k_positions}
    return {}, Case(f"positions-relative-{name}", comment, inputs, clauses, flags)


def _values() -> Iterator[Row]:
    direction = ("relative-direction", "unsigned-position", "shifted-position", "future-clipped")
    yield _case(
        "prefill",
        "Fewer queries than keys, both from 0: the sign convention and the future half.",
        integers(range(5)),
        integers(range(7)),
        *direction,
        "end-alignment",
    )
    yield _case(
        "decode",
        "One query against a cache of eight keys: its position is 7, not 0.",
        integers((7,)),
        integers(range(8)),
        "cross-lengths",
        "restarted-positions",
        "relative-direction",
    )
    yield _case(
        "chunk",
        "A chunk of a prompt that starts at 100, keys from 0: the origins differ.",
        integers(range(100, 104)),
        integers(range(11)),
        "cross-lengths",
        "restarted-positions",
        "end-alignment",
    )
    yield _case(
        "packed",
        "Unsorted positions and gaps, as packing and eviction leave them.",
        integers((5, 0, 3, 12)),
        integers((2, 9, 1, 4, 40, 17)),
        "restarted-positions",
        *direction,
    )
    yield _case(
        "negative",
        "Negative positions on both sides.",
        integers((-3, -1, 2, -4097)),
        integers((-7, 0, 5, 11, -4096)),
        "negative-position",
        "restarted-positions",
        *direction,
        clauses=("positions.C1", "conventions.C4"),
    )
    yield from _far()
    yield from _batches()
    yield from _empty()


def _far() -> Iterator[Row]:
    below = [2**n - 1 for n in range(3, 21)]
    above = [2**n + 1 for n in range(4, 21)]
    yield _case(
        "powers",
        "Neighbours of every power of two up to 2^20: no step is lost.",
        integers(above),
        integers(below),
        "restarted-positions",
        "relative-direction",
    )
    yield _case(
        "beyond-float32",
        "Odd positions above 2^24, which a float32 position cannot hold.",
        integers((2**24 + 1, 1_000_003, 103_993)),
        integers((2**24 + 3, 2**25 + 1, 245_850_921, 0)),
        "position-rounding",
        "restarted-positions",
        clauses=("positions.C1", "positions.C3"),
    )
    yield _case(
        "beyond-int32",
        "Differences outside the range of a 32-bit integer.",
        integers((2**31 - 1, -(2**31), 355)),
        integers((-(2**31) + 1, 2**31 - 1, 3_000_000_001, 22)),
        "position-int32",
        "negative-position",
        clauses=("positions.C1", "positions.C3"),
    )
    yield _case(
        "limit",
        "The largest positions of either sign; some differences need 55 bits, which float64 has not.",
        integers((LIMIT, LIMIT - 1, -LIMIT, 6_134_899_525_417_045)),
        integers((-LIMIT, LIMIT, 1 - LIMIT, 0, 1)),
        "position-2p53",
        "position-int32",
        "position-float64",
        clauses=("positions.C1", "conventions.C4"),
    )
    yield _case(
        "long",
        "A stretch far from the origin against scattered keys.",
        integers(range(65_530, 65_543)),
        integers([41 * n * n - 900 * n for n in range(19)]),
        "restarted-positions",
        "relative-direction",
    )


def _batches() -> Iterator[Row]:
    yield _case(
        "batch-both",
        "Both sequences have positions of their own: left padding.",
        integers((4, 5, 6, 0, 1, 2), (2, 1, 3)),
        integers((0, 1, 2, 3, 4, -2, -1, 0, 1, 2), (2, 1, 5)),
        "batch-rows",
        clauses=("positions.C2", "conventions.C5"),
    )
    yield _case(
        "batch-queries",
        "Only the queries have a batch axis; the keys are shared.",
        integers((9, 8, 30, 31), (2, 1, 2)),
        integers((0, 4, 9)),
        "batch-rows",
        clauses=("positions.C2",),
    )
    yield _case(
        "batch-keys",
        "Only the keys have a batch axis, one query each: a merged cache.",
        integers((25,)),
        integers((20, 21, 22, 23, 24, 25, 0, 1, 2, 3, 4, 5), (2, 1, 6)),
        "batch-rows",
        "cross-lengths",
        clauses=("positions.C2",),
    )
    yield _case(
        "batch-heads",
        "Positions for a batch of 2 and 3 heads, every row different.",
        integers([n * n - 7 * n for n in range(24)], (2, 3, 4)),
        integers([5 * n - 40 for n in range(30)], (2, 3, 5)),
        "batch-rows",
        clauses=("positions.C2",),
    )


def _empty() -> Iterator[Row]:
    yield _case(
        "no-queries", "No query: an empty result of shape (0, 3).", integers(()), integers((0, 1, 2)), "empty"
    )
    yield _case(
        "no-keys", "No key: an empty result of shape (2, 0).", integers((5, 6)), integers(()), "empty"
    )


def _refused() -> Iterator[Group]:
    base = Baseline(
        "positions.relative", {"q_positions": integers((3, 4)), "k_positions": integers(range(5))}
    )
    dtype, shape, outside = "INVALID_DTYPE", "INVALID_SHAPE", "OUT_OF_RANGE"
    for name in ("q_positions", "k_positions"):
        side = name[0]
        yield base.refuse(
            f"{side}-fractional",
            (dtype, name),
            "positions.C3",
            "A fractional position.",
            inputs={name: tensor("float64", (0.5, 2.0))},
        )
        yield base.refuse(
            f"{side}-float",
            (dtype, name),
            "positions.C3",
            "Whole numbers, but handed over as floats.",
            inputs={name: tensor("float32", (3.0, 4.0))},
        )
        yield base.refuse(
            f"{side}-boolean",
            (dtype, name),
            "conventions.C4",
            "A mask where positions belong.",
            inputs={name: tensor("bool", (0, 1))},
        )
        yield base.refuse(
            f"{side}-rank-0",
            (shape, name),
            "positions.C2",
            "A single position without an axis.",
            inputs={name: integers((3,), ())},
        )
        yield base.refuse(
            f"{side}-above-limit",
            (outside, name),
            "conventions.C4",
            "One beyond 2^53.",
            flags=("position-2p53",),
            inputs={name: integers((LIMIT + 1, 0))},
        )
        yield base.refuse(
            f"{side}-below-limit",
            (outside, name),
            "conventions.C4",
            "One beyond -2^53.",
            flags=("position-2p53",),
            inputs={name: integers((0, -LIMIT - 1))},
        )
    yield base.refuse(
        "batch",
        (shape, "k_positions"),
        "positions.C2",
        "Two sequences of queries, three of keys.",
        inputs={"q_positions": integers(range(4), (2, 1, 2)), "k_positions": integers(range(9), (3, 1, 3))},
    )
