"""Cases of ``t5.bucket``."""

from collections.abc import Iterator

from posref.cases._build import Baseline, Row, grouped, integers, tensor
from posref.cases._refused import complete
from posref.cases._t5_numbers import Numbers, numbered, refused_numbers
from posref.operation import Case, Group, Tensor

FARTHEST = 2**54


@complete
def bucket() -> Iterator[Group]:
    """Yield the cases of ``t5.bucket``."""
    yield from grouped("t5.bucket", _buckets())
    base = Baseline("t5.bucket", {"relative_position": integers((-5, 0, 7))}, numbered((32, 128, True)))
    yield from refused_numbers(base)
    yield from _refused_relative(base)


def _bucket(
    name: str,
    comment: str,
    numbers: Numbers,
    relative: Tensor,
    *flags: str,
    clauses: tuple[str, ...] = ("t5.C1", "t5.C2"),
) -> Row:
    inputs = {"relative_position": relative}
    return numbered(numbers), Case(f"t5-bucket-{name}", comment, inputs, clauses, flags)


ENCODER = ("bucket-side", "bucket-zero", "relative-direction", "bucket-causal", "bucket-linear")
DECODER = ("bucket-direction", "bucket-future", "relative-direction", "bucket-linear")
LOGARITHM = ("bucket-rounding", "bucket-clamp", "bucket-precision")


def _buckets() -> Iterator[Row]:
    yield _bucket(
        "encoder",
        "The published encoder, every distance to one beyond the last edge: 8, 12, 16, 23, 32, 46, 64, 91.",
        (32, 128, True),
        integers(range(-129, 130)),
        "position-zero",
        "bucket-edge",
        "bucket-constant",
        *ENCODER,
        *LOGARITHM,
    )
    yield _bucket(
        "decoder",
        "The published decoder, every distance: edges 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59 ... 113.",
        (32, 128, False),
        integers(range(-129, 9)),
        "position-zero",
        "bucket-edge",
        *DECODER,
        *LOGARITHM,
    )
    yield _bucket(
        "far",
        "All far distances share the last bucket, up to the farthest two positions can be apart.",
        (32, 128, True),
        integers([sign * n for n in (127, 128, 1000, 5001, 2**31 + 1, 2**53, FARTHEST) for sign in (-1, 1)]),
        "bucket-clamp",
        "bucket-side",
        "relative-direction",
        clauses=("t5.C2", "conventions.C4"),
    )
    yield _bucket(
        "decoder-far",
        "The same for a decoder: the future is bucket 0 at any distance.",
        (32, 128, False),
        integers([sign * n for n in (112, 113, 128, 5001, 2**31 + 1, FARTHEST) for sign in (-1, 1)]),
        "bucket-future",
        "bucket-clamp",
    )
    yield from _other_numbers()


def _other_numbers() -> Iterator[Row]:
    yield _bucket(
        "wide-64-256",
        "64 buckets to 256: the edges 64 and 128 are integers that float64 misses.",
        (64, 256, True),
        integers(
            [sign * n for n in (15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256) for sign in (-1, 1)]
        ),
        "bucket-edge",
        "max-distance",
        "bucket-constant",
        "bucket-side",
    )
    yield _bucket(
        "wide-20-160",
        "20 buckets to 160: distance 10 is the edge of bucket 6.",
        (20, 160, True),
        integers(range(-21, 22)),
        "bucket-edge",
        "max-distance",
        *ENCODER,
    )
    yield _bucket(
        "odd-decoder",
        "33 buckets to 1000: an odd number is legal for a decoder.",
        (33, 1000, False),
        integers([-(n * n) // 7 for n in range(0, 90, 3)]),
        "max-distance",
        "bucket-rounding",
        "bucket-direction",
    )
    yield _bucket(
        "smallest-decoder",
        "Two buckets: 0, and everything before.",
        (2, 2, False),
        integers((-9, -3, -2, -1, 0, 1, 5)),
        "bucket-clamp",
        "relative-direction",
    )
    yield _bucket(
        "smallest-encoder",
        "Two buckets a side.",
        (4, 3, True),
        integers((-9, -3, -2, -1, 0, 1, 2, 3, 9)),
        "bucket-zero",
        "bucket-side",
        "bucket-clamp",
    )
    yield _bucket(
        "narrow",
        "The last distance one above the exact ones: all others are in the last bucket at once.",
        (32, 9, True),
        integers((-10, -9, -8, -7, 7, 8, 9, 10)),
        "max-distance",
        "bucket-side",
    )
    yield _bucket(
        "more-buckets-than-distances",
        "100 buckets to 60: some have no distance.",
        (100, 60, False),
        integers((-61, -60, -59, -55, -52, -51, -50, -49, -3, 2)),
        "bucket-clamp",
    )
    yield _bucket(
        "matrix",
        "A matrix of relative positions, as a model makes it.",
        (12, 600, True),
        integers([97 * j - 61 * i - 40 for i in range(4) for j in range(7)], (4, 7)),
        "max-distance",
        "bucket-side",
        "bucket-causal",
        "relative-direction",
    )
    yield _bucket(
        "scalar", "A single distance, rank 0.", (32, 128, False), integers((-20,), ()), "bucket-direction"
    )
    yield _bucket("empty", "No distance.", (32, 128, True), integers(()), "empty")


def _refused_relative(base: Baseline) -> Iterator[Group]:
    name = "relative_position"
    yield base.refuse(
        "fractional",
        ("INVALID_DTYPE", name),
        "conventions.C4",
        "A fractional distance.",
        inputs={name: tensor("float64", (0.5, -2.0))},
    )
    yield base.refuse(
        "boolean",
        ("INVALID_DTYPE", name),
        "conventions.C4",
        "A mask where distances belong.",
        inputs={name: tensor("bool", (0, 1))},
    )
    yield base.refuse(
        "limit",
        ("OUT_OF_RANGE", name),
        "conventions.C4",
        "One beyond 2^54, farther than two positions can be apart.",
        inputs={name: integers((0, FARTHEST + 1))},
    )
