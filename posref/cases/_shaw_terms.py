"""Cases of ``shaw.scores`` and ``shaw.output``."""

from collections.abc import Iterator

from posref.cases._build import SUFFIX, Baseline, Row, grouped
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._relative import Shape, drawn, refused_scales, refused_tensors, rows
from posref.operation import Case, Group

ROOTS = {6: 0.4082482904638631, 12: 0.2886751345948129}
"""1/sqrt(D) in binary64."""


@complete
def scores() -> Iterator[Group]:
    """Yield the cases of ``shaw.scores``."""
    yield from grouped("shaw.scores", _scores())
    shapes: dict[str, Shape] = {"q": (3, 4), "k": (5, 4), "table_k": (7, 4)}
    inputs = {**drawn("shaw-scores-invalid", shapes, "bfloat16"), "index": rows((3, 5), 7)}
    base = Baseline("shaw.scores", inputs, {"scale": 0.5})
    yield from refused_tensors(base, "table_k", "shaw.C2")
    yield from refused_scales(base, "shaw.C2")
    yield from _refused_shapes(base, "k", "table_k")


@complete
def output() -> Iterator[Group]:
    """Yield the cases of ``shaw.output``."""
    yield from grouped("shaw.output", _outputs())
    shapes: dict[str, Shape] = {"weights": (3, 5), "v": (5, 4), "table_v": (7, 4)}
    inputs = {**drawn("shaw-output-invalid", shapes, "bfloat16"), "index": rows((3, 5), 7)}
    base = Baseline("shaw.output", inputs)
    yield from refused_tensors(base, "table_v", "shaw.C3")
    yield from _refused_shapes(base, "v", "table_v")


def _score(
    name: str,
    comment: str,
    kind: Kind,
    sizes: tuple[int, int, int, int],
    scale: float,
    *flags: str,
    lead: Shape = (),
    clauses: tuple[str, ...] = ("shaw.C2",),
) -> Row:
    queries, keys, width, count = sizes
    case_id = f"shaw-scores-{name}-{SUFFIX[kind]}"
    shapes = {"q": (*lead, queries, width), "k": (*lead, keys, width), "table_k": (count, width)}
    inputs = {**drawn(case_id, shapes, kind), "index": rows((queries, keys), count)}
    return {"scale": scale}, Case(case_id, comment, inputs, clauses, flags)


TABLE = ("table-reversed", "table-shifted", "index-row", "position-operand", "term-missing")
SCALE = ("scale-terms", "scale-missing", "scale-twice")


def _scores() -> Iterator[Row]:
    yield _score("w1", "Width 1: two products.", "bfloat16", (3, 5, 1, 4), 0.75, *TABLE, *SCALE)
    yield _score("w6", "A width that is no power of two.", "float32", (5, 7, 6, 9), ROOTS[6], *TABLE, *SCALE)
    yield _score("w8-scale-1", "Scale 1 leaves the sum.", "float64", (4, 6, 8, 5), 1.0, *TABLE)
    yield _score("w8-negative", "A negative scale.", "bfloat16", (7, 9, 8, 5), -1.25, *TABLE, *SCALE)
    yield _score(
        "w8-heads",
        "2 rows, 3 heads: one table for all.",
        "float32",
        (4, 5, 8, 7),
        0.3535533905932738,
        "batch-rows",
        *TABLE,
        *SCALE,
        lead=(2, 3),
        clauses=("shaw.C2", "conventions.C5"),
    )
    yield _score(
        "w8-heads",
        "2 rows, 3 heads.",
        "bfloat16",
        (5, 6, 8, 11),
        0.375,
        "batch-rows",
        *TABLE,
        *SCALE,
        lead=(2, 3),
        clauses=("shaw.C2", "conventions.C5"),
    )
    yield _score(
        "w12-decode",
        "One query a row against a cache.",
        "float64",
        (1, 11, 12, 33),
        ROOTS[12],
        "cross-lengths",
        "batch-rows",
        "table-reversed",
        "position-operand",
        "term-missing",
        *SCALE,
        lead=(2, 3),
    )
    yield _score(
        "w64", "A usual head, the table of clip 16.", "float32", (6, 9, 64, 33), 0.125, *TABLE, *SCALE
    )
    yield _score("w80", "A width that is no power of two.", "bfloat16", (4, 9, 80, 17), 0.125, *TABLE, *SCALE)
    yield _score("no-queries", "No query.", "float32", (0, 4, 6, 3), 0.5, "empty", lead=(2,))
    yield _score("no-keys", "No key.", "bfloat16", (3, 0, 6, 3), 0.5, "empty")


def _output(
    name: str,
    comment: str,
    kind: Kind,
    sizes: tuple[int, int, int, int],
    *flags: str,
    lead: Shape = (),
    clauses: tuple[str, ...] = ("shaw.C3",),
) -> Row:
    queries, keys, width, count = sizes
    case_id = f"shaw-output-{name}-{SUFFIX[kind]}"
    shapes = {"weights": (*lead, queries, keys), "v": (*lead, keys, width), "table_v": (count, width)}
    inputs = {**drawn(case_id, shapes, kind), "index": rows((queries, keys), count)}
    return {}, Case(case_id, comment, inputs, clauses, flags)


WEIGHED = ("term-missing", "position-weight", "weights-normalised", "table-reversed", "table-shifted")
SUMMED = (*WEIGHED, "term-sign", "index-row")


def _outputs() -> Iterator[Row]:
    yield _output("w1", "Width 1.", "bfloat16", (4, 6, 1, 5), *SUMMED)
    yield _output(
        "one-key", "One key: a product, and weights that are no weights.", "float32", (3, 1, 6, 4), *WEIGHED
    )
    yield _output("w6", "Weights of both signs, used as given.", "float64", (5, 7, 6, 9), *SUMMED)
    yield _output("w8", "Fewer keys than coordinates.", "bfloat16", (9, 5, 8, 7), *SUMMED)
    yield _output(
        "w8-heads",
        "2 rows, 3 heads: one table for all.",
        "float32",
        (4, 5, 8, 7),
        "batch-rows",
        *SUMMED,
        lead=(2, 3),
        clauses=("shaw.C3", "conventions.C5"),
    )
    yield _output("w12-heads", "3 heads.", "bfloat16", (4, 9, 12, 33), "batch-rows", *SUMMED, lead=(3,))
    yield _output(
        "w12-decode",
        "One query a row against a cache.",
        "float64",
        (1, 13, 12, 33),
        "cross-lengths",
        "batch-rows",
        "term-missing",
        "table-reversed",
        lead=(2,),
    )
    yield _output("w64", "A usual head.", "float32", (3, 24, 64, 33), *SUMMED)
    yield _output("w80", "A width that is no power of two.", "bfloat16", (2, 11, 80, 17), *SUMMED)
    yield _output("no-queries", "No query.", "float32", (0, 4, 6, 3), "empty")
    yield _output("no-keys", "No key: an empty sum is 0.", "bfloat16", (3, 0, 5, 3), "empty")


def _refused_shapes(base: Baseline, other: str, table: str) -> Iterator[Group]:
    name = f"{base.operation.replace('.', '-')}-invalid"
    yield base.refuse(
        "batch",
        ("INVALID_SHAPE", other),
        "conventions.C5",
        "Leading axes are equal: heads are not repeated for the caller.",
        inputs={other: draw(name, other, (2, *base.inputs[other].shape), "bfloat16")},
    )
    yield base.refuse(
        "width",
        ("INVALID_SHAPE", table),
        "conventions.C5",
        "A table of another width.",
        inputs={table: draw(name, table, (7, 6), "bfloat16")},
    )
    yield base.refuse(
        "table-rank",
        ("INVALID_SHAPE", table),
        "conventions.C5",
        "A table for each of two heads: it is shared.",
        inputs={table: draw(name, table, (2, 7, 4), "bfloat16")},
    )
