"""Cases of ``attention.causal_mask``."""

from collections.abc import Iterator

from posref.cases._build import Baseline, Row, grouped, integers, tensor
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

LIMIT = 2**53


@complete
def causal_mask() -> Iterator[Group]:
    """Yield the cases of ``attention.causal_mask``."""
    yield from grouped("attention.causal_mask", _values())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    q_positions: Tensor,
    k_positions: Tensor,
    *flags: str,
    clauses: tuple[str, ...] = ("attention.C2",),
) -> Row:
    inputs = {"q_positions": q_positions, "k_positions": k_positions}
    return {}, Case(f"attention-causal-mask-{name}", comment, inputs, clauses, flags)


def _values() -> Iterator[Row]:
    always = ("mask-inverted", "mask-missing")
    yield _case(
        "prefill",
        "Both from 0, fewer queries than keys: the diagonal is allowed.",
        integers(range(5)),
        integers(range(7)),
        *always,
        "mask-strict",
        "end-alignment",
    )
    yield _case(
        "more-queries",
        "More queries than keys: the last rows see everything.",
        integers(range(9)),
        integers(range(4)),
        *always,
        "mask-strict",
        "end-alignment",
    )
    yield _case(
        "decode",
        "One query at position 7 against a cache of ten slots.",
        integers((7,)),
        integers(range(10)),
        "cross-lengths",
        "restarted-positions",
        "mask-strict",
        *always,
    )
    yield _case(
        "chunk",
        "Queries 6 to 9 against keys 0 to 9: the index of a query is not its position.",
        integers(range(6, 10)),
        integers(range(10)),
        "cross-lengths",
        "restarted-positions",
        "mask-strict",
        *always,
    )
    yield _case(
        "wrapped-cache",
        "Keys in the order of a ring buffer: only positions can tell past from future.",
        integers((8, 9, 10)),
        integers((8, 9, 10, 11, 4, 5, 6, 7)),
        "restarted-positions",
        "end-alignment",
        "mask-strict",
        *always,
    )
    yield _case(
        "scattered",
        "Keys with gaps and repeats, as packing leaves them.",
        integers((5, 0, 3, 12, 7)),
        integers((2, 9, 1, 4, 40, 17, 3, 3)),
        "restarted-positions",
        "end-alignment",
        "mask-strict",
        *always,
    )
    yield _case(
        "negative",
        "Negative positions on both sides.",
        integers((-3, -1, 2)),
        integers((-7, 0, 5, -3, 1)),
        "negative-position",
        "unsigned-position",
        "restarted-positions",
        "mask-strict",
        *always,
        clauses=("attention.C2", "conventions.C4"),
    )
    yield from _far()
    yield from _batches()
    yield _case(
        "no-queries", "No query: an empty mask of shape (0, 3).", integers(()), integers(range(3)), "empty"
    )
    yield _case("no-keys", "No key: an empty mask of shape (2, 0).", integers((5, 6)), integers(()), "empty")


def _far() -> Iterator[Row]:
    yield _case(
        "powers",
        "Neighbours of every power of two up to 2^20, every key one below, at or above a query.",
        integers([2**n for n in range(4, 21)]),
        integers([2**n + n % 3 - 1 for n in range(4, 22)]),
        "mask-inverted",
        "mask-missing",
        "mask-strict",
    )
    yield _case(
        "beyond-float32",
        "Odd positions above 2^24: rounded to float32 a query sees the key after it.",
        integers((2**24, 2**25 + 2)),
        integers((2**24 + 1, 2**24, 2**25 + 3)),
        "position-rounding",
        "mask-inverted",
        "mask-missing",
    )
    yield _case(
        "limit",
        "The largest positions of either sign.",
        integers((LIMIT, -LIMIT, LIMIT - 1)),
        integers((LIMIT - 1, LIMIT, 1 - LIMIT, -LIMIT, 2**31)),
        "position-int32",
        "mask-inverted",
        "mask-missing",
        "mask-strict",
        clauses=("attention.C2", "conventions.C4"),
    )


def _batches() -> Iterator[Row]:
    yield _case(
        "batch-left-padding",
        "Rows of different lengths: each has positions of its own, pads are at 1.",
        integers((4, 5, 6, 0, 1, 2), (2, 1, 3)),
        integers((0, 1, 2, 3, 4, 5, 6, 1, 1, 1, 1, 0, 1, 2), (2, 1, 7)),
        "batch-rows",
        "mask-strict",
        clauses=("attention.C2", "conventions.C5"),
    )
    yield _case(
        "batch-queries",
        "A batch of queries, one shared row of keys.",
        integers((9, 8, 3, 4), (2, 1, 2)),
        integers((0, 4, 9)),
        "batch-rows",
    )
    yield _case(
        "batch-keys",
        "A batch of caches, one query each.",
        integers((5,)),
        integers((3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5), (2, 1, 6)),
        "batch-rows",
        "cross-lengths",
    )
    yield _case(
        "batch-heads",
        "Positions for a batch of 2 and 3 heads, every row different.",
        integers([n * n - 7 * n for n in range(30)], (2, 3, 5)),
        integers([11 * n - 40 for n in range(42)], (2, 3, 7)),
        "batch-rows",
        "mask-inverted",
        "mask-missing",
    )


def _refused() -> Iterator[Group]:
    inputs = {"q_positions": integers((3, 4)), "k_positions": integers(range(5))}
    base = Baseline("attention.causal_mask", inputs)
    for name in ("q_positions", "k_positions"):
        side = name[0]
        yield base.refuse(
            f"{side}-fractional",
            ("INVALID_DTYPE", name),
            "conventions.C4",
            "A fractional position.",
            inputs={name: tensor("float64", (0.5, 2.0))},
        )
        yield base.refuse(
            f"{side}-boolean",
            ("INVALID_DTYPE", name),
            "conventions.C4",
            "A padding mask where positions belong.",
            inputs={name: tensor("bool", (0, 1))},
        )
        yield base.refuse(
            f"{side}-rank-0",
            ("INVALID_SHAPE", name),
            "conventions.C5",
            "A single position without an axis.",
            inputs={name: integers((3,), ())},
        )
        yield base.refuse(
            f"{side}-above-limit",
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
