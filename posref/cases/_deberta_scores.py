"""Cases of ``deberta.scores``."""

from collections.abc import Iterator

from posref.cases._build import SUFFIX, Baseline, Row, grouped
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._relative import drawn, refused_scales, refused_tensors, rows
from posref.operation import Case, Group


@complete
def scores() -> Iterator[Group]:
    """Yield the cases of ``deberta.scores``."""
    yield from grouped("deberta.scores", _scores())
    yield from _refused_scores()


ALL = ["c2c", "c2p", "p2c"]
TERMS = ("term-missing", "position-operand", "tables-exchanged", "p2c-sign", "p2c-transposed")
TABLES = ("table-reversed", "table-shifted", "index-row")
SCALE = ("scale-terms", "scale-missing")


def _score(
    name: str,
    comment: str,
    kind: Kind,
    sizes: tuple[int, int, int, int, int],
    choice: tuple[list[str], float],
    *flags: str,
    clauses: tuple[str, ...] = ("deberta.C2",),
) -> Row:
    heads, queries, keys, width, count = sizes
    case_id = f"deberta-scores-{name}-{SUFFIX[kind]}"
    shapes = {
        "q": (heads, queries, width),
        "k": (heads, keys, width),
        "pos_q": (heads, count, width),
        "pos_k": (heads, count, width),
    }
    inputs = {**drawn(case_id, shapes, kind), "index": rows((queries, keys), count)}
    return {"terms": choice[0], "scale": choice[1]}, Case(case_id, comment, inputs, clauses, flags)


def _scores() -> Iterator[Row]:
    yield _score(
        "w1", "Width 1.", "bfloat16", (2, 3, 5, 1, 4), (ALL, 0.75), *TERMS, *TABLES, *SCALE, "table-heads"
    )
    yield _score(
        "w6",
        "All three terms.",
        "float32",
        (3, 5, 7, 6, 8),
        (ALL, 0.23570226039551584),
        *TERMS,
        *TABLES,
        *SCALE,
        "table-heads",
    )
    yield _score(
        "w8",
        "A scale that is not 1/sqrt(D * terms).",
        "bfloat16",
        (2, 7, 9, 8, 10),
        (ALL, 0.3),
        "scale-assumed",
        *TERMS,
        *TABLES,
        *SCALE,
        "table-heads",
    )
    yield _score(
        "w8-released",
        "The released choice: both position terms, an order of their own.",
        "float64",
        (2, 4, 6, 8, 6),
        (["p2c", "c2p", "c2c"], 0.2041241452319315),
        *TERMS,
        *TABLES,
        *SCALE,
    )
    yield from _fewer_terms()
    yield _score(
        "w64-decode",
        "One query against a cache, a usual head.",
        "float32",
        (1, 1, 9, 64, 10),
        (ALL, 0.07216878364870322),
        "cross-lengths",
        "tables-exchanged",
        "p2c-sign",
        *SCALE,
    )
    yield _score(
        "w80",
        "A width that is no power of two.",
        "bfloat16",
        (1, 4, 5, 80, 8),
        (ALL, -0.0625),
        *TERMS,
        *TABLES,
        *SCALE,
    )
    yield _score("no-queries", "No query.", "float32", (2, 0, 4, 6, 4), (ALL, 0.5), "empty")
    yield _score("no-keys", "No key.", "bfloat16", (2, 3, 0, 6, 4), (["c2p", "p2c"], 0.5), "empty")


def _fewer_terms() -> Iterator[Row]:
    some = ("terms-ignored", "scale-missing")
    one = (2, 3, 5, 6, 8)
    yield _score("c2c", "Content alone.", "float64", one, (["c2c"], 0.4082482904638631), *some)
    yield _score(
        "c2p",
        "Content to position alone.",
        "bfloat16",
        one,
        (["c2p"], 0.4082482904638631),
        "table-heads",
        *some,
        *TABLES,
    )
    yield _score(
        "p2c",
        "Position to content alone.",
        "float32",
        one,
        (["p2c"], 0.5),
        "p2c-sign",
        "p2c-transposed",
        "tables-exchanged",
        "table-heads",
        *some,
        *TABLES,
    )
    yield _score(
        "c2c-p2c",
        "Two terms.",
        "bfloat16",
        (3, 4, 5, 8, 6),
        (["c2c", "p2c"], 0.25),
        "p2c-sign",
        "p2c-transposed",
        "scale-terms",
        *some,
        *TABLES,
    )
    yield _score(
        "c2c-c2p",
        "Two terms.",
        "float32",
        (3, 5, 4, 8, 6),
        (["c2c", "c2p"], 0.25),
        "scale-terms",
        *some,
        *TABLES,
    )


def _refused_scores() -> Iterator[Group]:
    case_id = "deberta-scores-invalid"
    shapes = {"q": (2, 3, 2), "k": (2, 5, 2), "pos_q": (2, 6, 2), "pos_k": (2, 6, 2)}
    inputs = {**drawn(case_id, shapes, "bfloat16"), "index": rows((3, 5), 6)}
    base = Baseline("deberta.scores", inputs, {"terms": ALL, "scale": 0.5})
    yield from refused_tensors(base, "pos_k", "deberta.C2")
    yield from refused_scales(base, "deberta.C2")
    terms, missing = ("INVALID_PARAMETER", "terms"), ("MISSING_PARAMETER", "terms")
    yield base.refuse("no-terms", missing, "conventions.C6", "Left out.", without=("terms",))
    yield base.refuse("empty-terms", terms, "deberta.C2", "No term at all.", terms=[])
    yield base.refuse("twice", terms, "deberta.C2", "A term twice.", terms=["c2c", "c2p", "c2c"])
    yield base.refuse("p2p", terms, "deberta.C2", "A term of no name here.", terms=["c2c", "p2p"])
    yield base.refuse(
        "rows",
        ("INVALID_SHAPE", "pos_k"),
        "conventions.C5",
        "Tables of two lengths.",
        inputs={"pos_k": draw(case_id, "pos_k", (2, 8, 2), "bfloat16")},
    )
    yield base.refuse(
        "heads",
        ("INVALID_SHAPE", "pos_q"),
        "conventions.C5",
        "One table for both heads.",
        inputs={"pos_q": draw(case_id, "pos_q", (1, 6, 2), "bfloat16")},
    )
