"""Cases of ``attention.scores``."""

from collections.abc import Iterator
from math import inf

from posref.cases._build import SUFFIX, Baseline, Row, grouped, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.operation import Case, Group

ROOTS = {2: 0.7071067811865476, 6: 0.4082482904638631, 80: 0.11180339887498948, 96: 0.10206207261596577}
"""1/sqrt(D) in binary64 where it is no power of two."""

Shape = tuple[int, ...]


@complete
def scores() -> Iterator[Group]:
    """Yield the cases of ``attention.scores``."""
    yield from grouped("attention.scores", _values())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    kind: Kind,
    shapes: tuple[Shape, Shape],
    scale: float,
    *flags: str,
    clauses: tuple[str, ...] = ("attention.C1",),
) -> Row:
    case_id = f"attention-scores-{name}-{SUFFIX[kind]}"
    inputs = {"q": draw(case_id, "q", shapes[0], kind), "k": draw(case_id, "k", shapes[1], kind)}
    return {"scale": scale}, Case(case_id, comment, inputs, clauses, flags)


def _values() -> Iterator[Row]:
    scale = ("scale-missing", "scale-twice", "scale-inverted")
    wide = ("dot-tail", "cosine-similarity", *scale)
    heads = ("batch-rows", "dot-tail", *scale)
    yield _case(
        "w1",
        "Width 1: an outer product, each score one rounding.",
        "bfloat16",
        ((5, 1), (9, 1)),
        0.75,
        "width-1",
        *scale,
        clauses=("attention.C1", "conventions.C1"),
    )
    yield _case("w2", "The smallest pair.", "float32", ((4, 2), (7, 2)), ROOTS[2], *scale)
    yield _case(
        "w2-fixed-root",
        "A scale that is not 1/sqrt(D): it is given, never assumed.",
        "float64",
        ((3, 2), (5, 2)),
        0.1,
        "scale-assumed",
        *scale,
    )
    yield _case("w4", "Scale 1 leaves the dot product.", "float32", ((6, 4), (5, 4)), 1.0, "scale-assumed")
    yield _case(
        "w6-negative-scale",
        "A width that is no multiple of 4, a negative scale.",
        "bfloat16",
        ((7, 6), (11, 6)),
        -1.25,
        "scale-assumed",
        *wide,
    )
    yield _case("w6-batch", "2 rows, 3 heads.", "float32", ((2, 3, 4, 6), (2, 3, 7, 6)), ROOTS[6], *heads)
    yield _case("w8-batch", "2 rows, 3 heads.", "bfloat16", ((2, 3, 5, 8), (2, 3, 9, 8)), 0.375, *heads)
    yield _case("w8-batch", "2 rows, 5 heads.", "float64", ((2, 5, 3, 8), (2, 5, 4, 8)), 0.3535533905932738)
    yield _case(
        "w8-decode",
        "One query a row against a cache, 2 rows.",
        "float32",
        ((2, 3, 1, 8), (2, 3, 13, 8)),
        0.25,
        "cross-lengths",
        "batch-rows",
        *scale,
        clauses=("attention.C6", "conventions.C3"),
    )
    yield _case("w64", "A usual head.", "float64", ((3, 4, 64), (3, 5, 64)), 0.125, *heads)
    yield _case(
        "w80", "A width that is no power of two.", "bfloat16", ((2, 7, 80), (2, 8, 80)), ROOTS[80], *wide
    )
    yield _case("w96", "A width that is no power of two.", "float32", ((7, 96), (12, 96)), ROOTS[96], *wide)
    yield _case("w128", "A usual head.", "bfloat16", ((8, 128), (11, 128)), 0.08838834764831845, *wide)
    yield _case(
        "w12-scale-0",
        "Scale 0 is finite and legal: every score is an exact zero.",
        "float32",
        ((3, 12), (4, 12)),
        0.0,
        "scale-missing",
    )
    yield _case("no-queries", "No query.", "bfloat16", ((2, 3, 0, 6), (2, 3, 4, 6)), 0.5, "empty")
    yield _case("no-keys", "No key.", "float32", ((3, 8), (0, 8)), 0.5, "empty")


def _refused() -> Iterator[Group]:
    prefix = "attention-scores-invalid"
    inputs = {"q": draw(prefix, "q", (3, 4), "bfloat16"), "k": draw(prefix, "k", (5, 4), "bfloat16")}
    base = Baseline("attention.scores", inputs, {"scale": 0.5})
    shape = "INVALID_SHAPE"
    yield base.refuse(
        "width",
        (shape, "k"),
        "attention.C6",
        "Keys wider than queries.",
        inputs={"k": draw(prefix, "k", (5, 6), "bfloat16")},
    )
    yield base.refuse(
        "batch",
        (shape, "k"),
        "attention.C6",
        "Heads of keys are not repeated for the caller.",
        inputs={"q": draw(prefix, "q", (4, 3, 4), "bfloat16"), "k": draw(prefix, "k", (2, 5, 4), "bfloat16")},
    )
    yield base.refuse(
        "rank",
        (shape, "q"),
        "attention.C6",
        "A vector where a matrix belongs.",
        inputs={"q": draw(prefix, "q", (4,), "bfloat16")},
    )
    yield base.refuse(
        "width-0",
        (shape, "q"),
        "conventions.C5",
        "No coordinate at all.",
        inputs={"q": tensor("float32", (), (3, 0)), "k": tensor("float32", (), (5, 0))},
    )
    yield base.refuse(
        "dtypes",
        ("INVALID_DTYPE", "k"),
        "conventions.C3",
        "Queries and keys of two dtypes.",
        inputs={"k": draw(prefix, "k", (5, 4), "float64")},
    )
    yield base.refuse(
        "integer",
        ("INVALID_DTYPE", "q"),
        "conventions.C3",
        "Integers where floats belong.",
        inputs={"q": tensor("int64", range(1, 13), (3, 4))},
    )
    yield base.refuse(
        "infinite",
        ("INVALID_PARAMETER", "q"),
        "conventions.C3",
        "An infinite query.",
        inputs={"q": tensor("float32", (inf, *range(1, 12)), (3, 4))},
    )
    yield base.refuse(
        "no-scale", ("MISSING_PARAMETER", "scale"), "conventions.C6", "No scale.", without=("scale",)
    )
    yield base.refuse(
        "null-scale", ("MISSING_PARAMETER", "scale"), "conventions.C6", "Null is not given.", scale=None
    )
    yield base.refuse(
        "text-scale", ("INVALID_PARAMETER", "scale"), "conventions.C6", "A word.", scale="rsqrt"
    )
