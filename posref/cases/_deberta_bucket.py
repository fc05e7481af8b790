"""Cases of ``deberta.bucket``."""

from collections.abc import Iterator, Mapping
from typing import Any

from posref.cases._build import Baseline, Row, grouped, integers, tensor
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

FARTHEST = 2**54
Numbers = tuple[int, int, bool]
"""position_buckets, max_relative_positions, clamp_first."""


@complete
def bucket() -> Iterator[Group]:
    """Yield the cases of ``deberta.bucket``."""
    yield from grouped("deberta.bucket", _buckets())
    yield from _refused_buckets()


def _params(numbers: Numbers) -> Mapping[str, Any]:
    return {
        "position_buckets": numbers[0],
        "max_relative_positions": numbers[1],
        "clamp_first": numbers[2],
    }


def _bucket(
    name: str,
    comment: str,
    numbers: Numbers,
    relative: Tensor,
    *flags: str,
    clauses: tuple[str, ...] = ("deberta.C1",),
) -> Row:
    inputs = {"relative_position": relative}
    return _params(numbers), Case(f"deberta-bucket-{name}", comment, inputs, clauses, flags)


SIGNS = ("offset-direction", "bucket-sign", "bucket-clamp")
LOGARITHM = ("bucket-rounding", "bucket-arguments", "bucket-precision")
FIRST_FAR = (127, 128, 129, 130, 131, 140, 166, 200, 201, 255, 256, 257, 333, 400, 509, 510, 511)


def _both(distances: tuple[int, ...]) -> Tensor:
    return integers([sign * n for n in distances for sign in (1, -1)])


def _buckets() -> Iterator[Row]:
    yield _bucket(
        "v3",
        "The released model around its edges: 128 is exact, 129 the first logarithmic bucket.",
        (256, 512, False),
        _both((0, 1, 2, 100, *FIRST_FAR, 512, 513, 600)),
        "position-zero",
        "bucket-edge",
        "bucket-top",
        "clamp-late",
        *SIGNS,
        *LOGARITHM,
    )
    yield _bucket(
        "v3-clamped",
        "The same distances, clamped first: nothing beyond bucket 255.",
        (256, 512, True),
        _both((0, 1, 2, 100, *FIRST_FAR, 512, 513, 600, 5000)),
        "bucket-edge",
        "clamp-first",
        *SIGNS,
        "bucket-rounding",
        "bucket-arguments",
    )
    yield _bucket(
        "small",
        "16 buckets to 64, every distance on both sides.",
        (16, 64, False),
        integers(range(-70, 71)),
        "bucket-edge",
        "position-zero",
        "bucket-top",
        "clamp-late",
        *SIGNS,
        *LOGARITHM,
    )
    yield _bucket(
        "fewer",
        "A quarter of the released buckets, to the same distance.",
        (64, 512, False),
        _both((0, 31, 32, 33, 34, 100, 128, 129, 300, 511, 512)),
        "position-zero",
        "bucket-number",
        "bucket-rounding",
        *SIGNS,
    )
    for numbers in ((4, 4, False), (6, 6, False)):
        yield _bucket(
            f"least-{numbers[0]}",
            "A few buckets, every distance on both sides: an edge one off its integer shows.",
            numbers,
            integers(range(-12, 13)),
            "position-zero",
            "offset-direction",
            "bucket-sign",
        )
    yield _bucket(
        "small-clamped",
        "32 buckets to 65: the ratio is 4, and distances 32 and 64 are at integer logarithms.",
        (32, 65, True),
        _both((15, 16, 17, 18, 31, 32, 33, 34, 63, 64, 65, 66, 90)),
        "bucket-edge",
        "clamp-first",
        *SIGNS,
    )
    yield _bucket(
        "far",
        "Unclamped distances go on in logarithmic steps, up to the farthest two positions can be apart.",
        (8, 40, False),
        _both((39, 40, 1000, 5001, 2**20 + 1, 2**31 + 1, 2**53, FARTHEST)),
        "clamp-late",
        "bucket-rounding",
        *SIGNS,
        clauses=("deberta.C1", "conventions.C4"),
    )
    yield _bucket(
        "far-clamped",
        "The same clamped.",
        (8, 40, True),
        _both((38, 39, 40, 1000, 2**31 + 1, FARTHEST)),
        "clamp-first",
        "offset-direction",
    )
    yield _bucket(
        "two-buckets",
        "One bucket a side: everything beyond distance 1 is in it.",
        (2, 3, False),
        integers((-9, -3, -2, -1, 0, 1, 2, 3, 9)),
        "offset-direction",
        "bucket-sign",
    )
    yield _bucket(
        "narrow",
        "The last distance one above the exact ones.",
        (6, 5, True),
        integers((-7, -5, -4, -3, 3, 4, 5, 7)),
        "offset-direction",
        "clamp-first",
    )
    yield _bucket(
        "matrix",
        "A matrix of distances, as a model makes it.",
        (16, 64, True),
        integers([61 * i - 19 * j - 7 for i in range(3) for j in range(8)], (3, 8)),
        "clamp-first",
        *SIGNS,
    )
    yield _bucket(
        "scalar", "A single distance, rank 0.", (256, 512, False), integers((130,), ()), "bucket-rounding"
    )
    yield _bucket("empty", "No distance.", (256, 512, True), integers(()), "empty")


def _refused_buckets() -> Iterator[Group]:
    name, invalid = "relative_position", "INVALID_PARAMETER"
    base = Baseline("deberta.bucket", {name: integers((-5, 0, 7))}, _params((256, 512, True)))
    buckets, positions = (invalid, "position_buckets"), (invalid, "max_relative_positions")
    yield base.refuse("odd", buckets, "deberta.C1", "An odd number.", position_buckets=255)
    yield base.refuse("none", buckets, "deberta.C1", "No bucket.", position_buckets=0)
    yield base.refuse(
        "all-exact",
        positions,
        "deberta.C1",
        "The last distance is exact already.",
        max_relative_positions=129,
    )
    yield base.refuse(
        "short", positions, "deberta.C1", "Fewer than half the buckets.", max_relative_positions=100
    )
    yield base.refuse(
        "no-clamp",
        ("MISSING_PARAMETER", "clamp_first"),
        "conventions.C6",
        "Left out.",
        without=("clamp_first",),
    )
    yield base.refuse("clamp-1", (invalid, "clamp_first"), "conventions.C6", "A number.", clamp_first=1)
    yield base.refuse(
        "fractional",
        ("INVALID_DTYPE", name),
        "conventions.C4",
        "A fractional distance.",
        inputs={name: tensor("float64", (0.5, -2.0))},
    )
    yield base.refuse(
        "limit",
        ("OUT_OF_RANGE", name),
        "conventions.C4",
        "One beyond 2^54.",
        inputs={name: integers((0, -FARTHEST - 1))},
    )
