"""Cases of the operations in `spec/schemes/transformer_xl.md`."""

from collections.abc import Iterator, Sequence

from posref.cases._build import SUFFIX, Baseline, Row, grouped, integers, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._relative import drawn, refused_scales
from posref.operation import Case, Group

Positions = tuple[Sequence[int], Sequence[int]]

ALWAYS = ("global-queries", "global-missing", "term-missing", "scale-terms", "scale-missing")
BOTH_SIDES = ("offset-direction", "distance-unsigned", "distance-shifted")


@complete
def scores() -> Iterator[Group]:
    """Yield the cases of ``transformer_xl.scores``."""
    yield from grouped("transformer_xl.scores", _values())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    kind: Kind,
    sizes: tuple[int, int],
    scale: float,
    positions: Positions,
    distances: Sequence[int],
    *flags: str,
    clauses: tuple[str, ...] = ("transformer_xl.C1",),
) -> Row:
    heads, width = sizes
    case_id = f"transformer-xl-scores-{name}-{SUFFIX[kind]}"
    vectors = {
        "q": (heads, len(positions[0]), width),
        "k": (heads, len(positions[1]), width),
        "r": (heads, len(distances), width),
        "u": (heads, width),
        "v": (heads, width),
    }
    places = {"distances": distances, "q_positions": positions[0], "k_positions": positions[1]}
    inputs = {**drawn(case_id, vectors, kind), **{key: integers(value) for key, value in places.items()}}
    return {"scale": scale}, Case(case_id, comment, inputs, clauses, flags)


def _down(first: int, last: int) -> list[int]:
    return list(range(first, last - 1, -1))


def _values() -> Iterator[Row]:
    yield _case(
        "memory",
        "Two queries after a memory of two: distances 2 1 0 -1 and 3 2 1 0, rows from the farthest on.",
        "bfloat16",
        (2, 6),
        0.4082482904638631,
        (range(2, 4), range(4)),
        _down(3, -1),
        *ALWAYS,
        "offset-direction",
        "distance-unsigned",
        "table-heads",
        "restarted-positions",
    )
    yield _case(
        "encoder",
        "Keys on both sides: 2n - 1 rows, the future has its own.",
        "float32",
        (3, 8),
        0.3535533905932738,
        (range(5), range(6)),
        _down(5, -5),
        *ALWAYS,
        *BOTH_SIDES,
        "relative-shift",
        "table-heads",
    )
    yield _case(
        "ascending",
        "Rows from the nearest to the farthest: the order is what `distances` says.",
        "float64",
        (2, 4),
        0.5,
        (range(3, 6), range(7)),
        range(-4, 6),
        *ALWAYS,
        *BOTH_SIDES,
        "distance-order",
        "restarted-positions",
        "end-alignment",
    )
    yield _case(
        "scattered",
        "Positions with gaps, rows in no order, some unused.",
        "bfloat16",
        (3, 8),
        0.25,
        ((5, 0, 12), (2, 9, 1, 4, 17)),
        (8, 3, -4, -17, 4, 99, -12, 1, -2, -9, 11, -1, -5, 10),
        *ALWAYS,
        *BOTH_SIDES,
        "distance-order",
        "relative-shift",
        "restarted-positions",
        "end-alignment",
    )
    yield _case(
        "decode",
        "One query at position 9 against its memory.",
        "float32",
        (2, 12),
        0.2886751345948129,
        ((9,), range(10)),
        _down(9, 0),
        *ALWAYS,
        "cross-lengths",
        "restarted-positions",
        "distance-shifted",
    )
    yield _case(
        "far",
        "A million tokens from the origin, and negative positions: only distances matter.",
        "float32",
        (2, 6),
        1.25,
        ((1_000_003, -7), (1_000_000, -9, 1_000_005)),
        (3, 1_000_012, -2, 2, -1_000_007, -1_000_012),
        *ALWAYS,
        "distance-order",
        "offset-direction",
        clauses=("transformer_xl.C1", "conventions.C4"),
    )
    yield _case(
        "w1",
        "Width 1, a negative scale.",
        "bfloat16",
        (2, 1),
        -0.75,
        (range(1, 4), range(5)),
        _down(3, -3),
        *ALWAYS,
        *BOTH_SIDES,
        "table-heads",
    )
    yield from _wide()


def _wide() -> Iterator[Row]:
    yield _case(
        "w64",
        "A usual head.",
        "float64",
        (2, 64),
        0.125,
        (range(3, 7), range(7)),
        _down(6, -3),
        *ALWAYS,
        *BOTH_SIDES,
        "restarted-positions",
    )
    yield _case(
        "w80",
        "A width that is no power of two.",
        "bfloat16",
        (2, 80),
        0.11180339887498948,
        (range(2, 5), range(5)),
        _down(4, -2),
        *ALWAYS,
        *BOTH_SIDES,
        "restarted-positions",
        "table-heads",
    )
    yield _case("no-queries", "No query.", "float32", (2, 4), 0.5, ((), range(3)), (0, 1), "empty")
    yield _case("no-keys", "No key.", "bfloat16", (2, 6), 0.5, ((5, 6), ()), (0, 7, -1), "empty")


def _refused() -> Iterator[Group]:
    case_id = "transformer-xl-scores-invalid"
    shapes = {"q": (2, 3, 4), "k": (2, 5, 4), "r": (2, 7, 4), "u": (2, 4), "v": (2, 4)}
    rows = {
        "distances": integers(_down(4, -2)),
        "q_positions": integers((2, 3, 4)),
        "k_positions": integers(range(5)),
    }
    inputs = {**drawn(case_id, shapes, "bfloat16"), **rows}
    base = Baseline("transformer_xl.scores", inputs, {"scale": 0.5})
    yield from refused_scales(base, "transformer_xl.C1")
    absent, twice = ("OUT_OF_RANGE", "distances"), ("INVALID_PARAMETER", "distances")
    yield base.refuse(
        "no-future-rows",
        absent,
        "transformer_xl.C2",
        "No row for the future: distance -1 and -2 are asked for.",
        inputs={"distances": integers(_down(6, 0))},
    )
    yield base.refuse(
        "no-far-row",
        absent,
        "transformer_xl.C2",
        "No row for the farthest distance: it is not clamped.",
        inputs={"distances": integers(_down(3, -3))},
    )
    yield base.refuse(
        "gap",
        absent,
        "transformer_xl.C2",
        "A distance in between has no row.",
        inputs={"distances": integers((5, 4, 3, 2, 0, -1, -2))},
    )
    yield base.refuse(
        "twice",
        twice,
        "transformer_xl.C2",
        "Two rows for distance 0.",
        inputs={
            "distances": integers((4, 3, 2, 1, 0, -1, -2, 0)),
            "r": draw(case_id, "r", (2, 8, 4), "bfloat16"),
        },
    )
    yield base.refuse(
        "distances-count",
        ("INVALID_SHAPE", "distances"),
        "conventions.C5",
        "A row more than distances.",
        inputs={"distances": integers(_down(4, -1))},
    )
    yield base.refuse(
        "fractional",
        ("INVALID_DTYPE", "k_positions"),
        "conventions.C4",
        "A fractional position.",
        inputs={"k_positions": tensor("float64", (0.0, 0.5, 1.0, 1.5, 2.0))},
    )
    yield base.refuse(
        "limit",
        ("OUT_OF_RANGE", "q_positions"),
        "conventions.C4",
        "One beyond 2^53.",
        inputs={"q_positions": integers((2, 3, 2**53 + 1))},
    )
    yield base.refuse(
        "heads",
        ("INVALID_SHAPE", "u"),
        "conventions.C5",
        "One global query for both heads.",
        inputs={"u": draw(case_id, "u", (1, 4), "bfloat16")},
    )
    yield base.refuse(
        "dtypes",
        ("INVALID_DTYPE", "v"),
        "conventions.C3",
        "A global query of another dtype.",
        inputs={"v": draw(case_id, "v", (2, 4), "float32")},
    )
