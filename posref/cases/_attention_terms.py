"""Cases of ``attention.score_terms``."""

from collections.abc import Iterator
from typing import Any

from posref.cases._build import SUFFIX, Baseline, Row, grouped, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

Shape = tuple[int, ...]
PARTS = ("content_q", "position_q", "content_k", "position_k")


@complete
def score_terms() -> Iterator[Group]:
    """Yield the cases of ``attention.score_terms``."""
    yield from grouped("attention.score_terms", _values())
    yield from _refused()


def parts(case_id: str, kind: Kind, queries: Shape, keys: Shape) -> dict[str, Tensor]:
    """Return the four inputs, each drawn for itself."""
    shapes = (queries, queries, keys, keys)
    return {name: draw(case_id, name, shape, kind) for name, shape in zip(PARTS, shapes, strict=True)}


def _case(name: str, comment: str, kind: Kind, shapes: tuple[Shape, Shape], scale: float, *flags: str) -> Row:
    case_id = f"attention-score-terms-{name}-{SUFFIX[kind]}"
    clauses = ("attention.C8",)
    return {"scale": scale}, Case(case_id, comment, parts(case_id, kind, *shapes), clauses, flags)


def _values() -> Iterator[Row]:
    terms = ("term-order", "cross-terms", "term-sides")
    scale = ("scale-missing", "scale-twice", "term-count")
    text = "Fewer queries than keys: the cross terms are not each other's transpose."
    yield _case("w4", text, "bfloat16", ((3, 4), (5, 4)), 0.75, *terms, *scale, "scale-assumed")
    yield _case("w6", text, "float32", ((4, 6), (7, 6)), 0.4082482904638631, *terms, *scale)
    yield _case("w8", text, "float64", ((2, 8), (9, 8)), 0.1, *terms, *scale, "scale-assumed")
    text = "Scale 1: the four terms add up to the plain dot product."
    yield _case("w2", text, "float32", ((5, 2), (3, 2)), 1.0, *terms, "scale-assumed", "term-count")
    text = "One query against a cache, 2 rows, 3 heads."
    batch = ((2, 3, 1, 8), (2, 3, 5, 8))
    yield _case("decode", text, "bfloat16", batch, 0.25, "cross-lengths", "batch-rows", *terms, *scale)
    text = "2 rows, 3 heads."
    batch = ((2, 3, 2, 6), (2, 3, 3, 6))
    yield _case("batch", text, "float64", batch, -1.25, "batch-rows", *terms, *scale)
    text = "A width that is no power of two."
    yield _case("w80", text, "bfloat16", ((2, 80), (4, 80)), 0.11180339887498948, *terms, *scale)
    yield _case("w1", "Width 1.", "float32", ((3, 1), (4, 1)), 0.5, *terms, *scale, "scale-assumed")
    yield _case("no-queries", "No query.", "float32", ((0, 4), (3, 4)), 0.5, "empty")
    yield _case("no-keys", "No key.", "bfloat16", ((2, 4), (0, 4)), 0.5, "empty")


def _refused() -> Iterator[Group]:
    prefix = "attention-score-terms-invalid"
    base = Baseline("attention.score_terms", parts(prefix, "bfloat16", (3, 4), (5, 4)), {"scale": 0.5})

    def refuse(name: str, kind: str, part: str, clause: str, comment: str, shape: Shape) -> Group:
        wrong = {part: draw(prefix, part, shape, "bfloat16")}
        return base.refuse(name, (kind, part), clause, comment, inputs=wrong)

    shape, clause = "INVALID_SHAPE", "attention.C8"
    yield refuse("queries", shape, "position_q", clause, "More positions than queries.", (4, 4))
    yield refuse("keys", shape, "position_k", clause, "Fewer positions than keys.", (3, 4))
    yield refuse("width", shape, "position_q", clause, "An encoding that was not projected.", (3, 6))
    yield refuse("shared", shape, "position_q", clause, "One position for every query.", (1, 4))
    yield refuse("batch", shape, "content_k", clause, "Keys of a batch.", (2, 5, 4))
    yield refuse("batch-q", shape, "position_q", clause, "Positions of a batch.", (2, 3, 4))
    yield refuse("batch-k", shape, "position_k", clause, "Positions of a batch.", (2, 5, 4))
    yield refuse("rank", shape, "content_q", clause, "A vector.", (4,))
    whole = {"position_k": tensor("int64", range(1, 21), (5, 4))}
    wrong = ("INVALID_DTYPE", "position_k")
    yield base.refuse("integer", wrong, "conventions.C3", "Position ids, not their encodings.", inputs=whole)
    double = {"content_k": draw(prefix, "content_k", (5, 4), "float64")}
    yield base.refuse(
        "dtypes", ("INVALID_DTYPE", "content_k"), "conventions.C3", "Two dtypes.", inputs=double
    )
    clause = "conventions.C6"
    missing = ("MISSING_PARAMETER", "scale")
    yield base.refuse("no-scale", missing, clause, "No scale.", without=("scale",))
    text: dict[str, Any] = {"scale": "rsqrt"}
    yield base.refuse("text-scale", ("INVALID_PARAMETER", "scale"), clause, "A word.", **text)
    infinite: dict[str, Any] = {"scale": float("inf")}
    refusal = ("INVALID_PARAMETER", "scale")
    yield base.refuse("infinite-scale", refusal, "attention.C1", "An infinite scale.", **infinite)
