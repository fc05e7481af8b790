"""Cases of ``positions.shard``."""

from collections.abc import Iterator
from typing import Any

from posref.cases._build import Baseline, Row, grouped, integers, tensor
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

SCHEMES = ("contiguous", "zigzag", "striped")
PACKED = (*range(9), *range(4), *range(11))
"""Position ids of three documents in one sequence of 24."""


@complete
def shard() -> Iterator[Group]:
    """Yield the cases of ``positions.shard``."""
    yield from grouped("positions.shard", _values())
    yield from _refused()


def _case(name: str, comment: str, share: tuple[int, int, str], ids: Tensor, *flags: str) -> Row:
    world_size, rank, scheme = share
    params = {"world_size": world_size, "rank": rank, "scheme": scheme}
    case_id = f"positions-shard-{scheme}-{rank}-of-{world_size}-{name}"
    return params, Case(case_id, comment, {"position_ids": ids}, ("positions.C6",), flags)


def _values() -> Iterator[Row]:
    for scheme in SCHEMES:
        zigzag = ("shard-mirror", "shard-order") if scheme == "zigzag" else ()
        for rank in range(2):
            first = rank == 0
            yield _case(
                "plain",
                "Eight tokens on two ranks.",
                (2, rank, scheme),
                integers(range(8)),
                "shard-scheme",
                "shard-rank",
                *(zigzag if first else zigzag[1:]),
                *(() if first and scheme == "contiguous" else ("restarted-positions",)),
            )
        for rank in range(3):
            yield _case(
                "offset",
                "Twelve tokens that start at 100, three ranks.",
                (3, rank, scheme),
                integers(range(100, 112)),
                "restarted-positions",
                "shard-ids",
            )
        for rank in (0, 2, 3):
            yield _case(
                "packed",
                "Packed documents, four ranks: ids are carried, not indices.",
                (4, rank, scheme),
                integers(PACKED),
                *(() if (rank, scheme) == (0, "contiguous") else ("shard-ids",)),
                "shard-scheme",
                *(zigzag[1:]),
            )
        yield _case(
            "one-rank",
            "One rank holds all of it, in order.",
            (1, 0, scheme),
            integers((5, 3, -2, 9, 40, 41, 7, 0)),
            "one-rank",
            "restarted-positions",
            "shard-ids",
        )
        yield _case("empty", "No token.", (2, 1, scheme), integers(()), "empty")
        yield _case(
            "far",
            "Positions beyond 2^31, of either sign.",
            (5, 3, scheme),
            integers([(-1) ** n * (2**31 + 977 * n) for n in range(30)]),
            "shard-ids",
            "restarted-positions",
            "shard-scheme",
            "shard-rank",
            *zigzag[1:],
        )


def _refused() -> Iterator[Group]:
    params = {"world_size": 2, "rank": 1, "scheme": "zigzag"}
    base = Baseline("positions.shard", {"position_ids": integers(range(8))}, params)
    invalid = "INVALID_PARAMETER"

    def refuse(name: str, parameter: str, comment: str, clause: str = "positions.C6", **params: Any) -> Group:
        return base.refuse(name, (invalid, parameter), clause, comment, **params)

    def ids(name: str, kind: str, clause: str, comment: str, given: Tensor, **params: Any) -> Group:
        return base.refuse(
            name, (kind, "position_ids"), clause, comment, inputs={"position_ids": given}, **params
        )

    shape, clause = "INVALID_SHAPE", "positions.C6"
    yield ids("odd", shape, clause, "Six tokens in four chunks.", integers(range(6)))
    yield ids("uneven", shape, clause, "Seven tokens on two ranks.", integers(range(7)), scheme="striped")
    yield ids("short", shape, clause, "Fewer tokens than ranks.", integers((0,)), scheme="contiguous")
    yield ids("rank-2", shape, clause, "A batch axis.", integers(range(8), (2, 4)))
    yield refuse("rank-beyond", "rank", "Ranks count from 0.", rank=2)
    yield refuse("negative-rank", "rank", "A negative rank.", rank=-1)
    yield refuse("no-ranks", "world_size", "No rank at all.", world_size=0, rank=0)
    yield refuse("float-world", "world_size", "Ranks are counted.", "conventions.C6", world_size=2.0)
    yield refuse("unknown-scheme", "scheme", "No such scheme.", "conventions.C6", scheme="ring")
    missing = ("MISSING_PARAMETER", "scheme")
    yield base.refuse("no-scheme", missing, "conventions.C6", "A convention left out.", without=("scheme",))
    wrong = tensor("float64", (0.0, 1.0, 2.0, 3.0))
    yield ids("float", "INVALID_DTYPE", "conventions.C4", "Whole numbers as floats.", wrong)
    yield ids("limit", "OUT_OF_RANGE", "conventions.C4", "One beyond 2^53.", integers((0, 1, 2, 2**53 + 1)))
