"""Cases of ``attention.output``."""

from collections.abc import Iterator
from math import inf

from posref.cases._attention_output_refused import refused
from posref.cases._build import SUFFIX, Row, grouped, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

Shape = tuple[int, ...]


@complete
def output() -> Iterator[Group]:
    """Yield the cases of ``attention.output``."""
    yield from grouped("attention.output", _values())
    yield from refused()


def _case(
    name: str,
    comment: str,
    kind: Kind,
    sizes: tuple[Shape, int, int, int, int],
    scale: float,
    *flags: str,
    clauses: tuple[str, ...] = ("attention.C3",),
    bias: Shape | Tensor | None = None,
    mask: Tensor | None = None,
) -> Row:
    """Return a case; `sizes` are the leading axes, queries, keys, width, width of the values."""
    case_id = f"attention-output-{name}-{SUFFIX[kind]}"
    lead, queries, keys, width, out = sizes
    inputs = {
        "q": draw(case_id, "q", (*lead, queries, width), kind),
        "k": draw(case_id, "k", (*lead, keys, width), kind),
        "v": draw(case_id, "v", (*lead, keys, out), kind),
    }
    if bias is not None:
        inputs["bias"] = bias if isinstance(bias, Tensor) else draw(case_id, "bias", bias, kind)
    if mask is not None:
        inputs["mask"] = mask
    return {"scale": scale}, Case(case_id, comment, inputs, clauses, flags)


def _causal(queries: range, keys: range) -> Tensor:
    values = [int(key <= query) for query in queries for key in keys]
    return tensor("bool", values, (len(queries), len(keys)))


def _alibi(
    slopes: tuple[float, ...], queries: range, keys: range, kind: Kind, future: float | None = None
) -> Tensor:
    def entry(slope: float, distance: int) -> float:
        return future if future is not None and distance < 0 else 0.0 - slope * distance

    values = [entry(slope, query - key) for slope in slopes for query in queries for key in keys]
    return tensor(kind, values, (len(slopes), len(queries), len(keys)))


def _values() -> Iterator[Row]:
    yield from _plain()
    yield from _biased()
    yield from _masked()
    yield from _edges()


def _plain() -> Iterator[Row]:
    scale = ("scale-missing", "scale-twice", "uniform-weights", "softmax-axis")
    yield _case("w4", "Values narrower than keys.", "bfloat16", ((), 5, 7, 4, 3), 0.875 / 4, *scale)
    yield _case("w6", "Values wider than keys.", "float32", ((), 4, 7, 6, 9), 0.1, "scale-assumed", *scale)
    yield _case("w8", "Two rows, three heads.", "float64", ((2, 3), 4, 5, 8, 3), 0.05, "batch-rows", *scale)
    yield _case(
        "w64", "A usual head.", "float32", ((2,), 4, 7, 64, 5), 0.125, "batch-rows", "uniform-weights"
    )
    yield _case(
        "w80", "A width that is no power of two.", "bfloat16", ((), 6, 9, 80, 10), 0.11180339887498948, *scale
    )
    yield _case("w128", "A usual head.", "float64", ((), 4, 5, 128, 6), 0.08838834764831845, *scale)
    yield _case(
        "negative", "A negative scale prefers the unlike.", "bfloat16", ((3,), 3, 8, 2, 4), -0.5, *scale
    )


def _biased() -> Iterator[Row]:
    kinds = ("bias-missing", "bias-sign", "bias-scale")
    yield _case(
        "bias-full",
        "A bias of every row and head.",
        "bfloat16",
        ((2, 3), 4, 5, 8, 3),
        0.375,
        *kinds,
        "bias-head",
        "batch-rows",
        bias=(2, 3, 4, 5),
    )
    yield _case(
        "bias-heads",
        "A bias per head, shared by the batch.",
        "float32",
        ((2, 3), 5, 7, 4, 2),
        0.2,
        *kinds,
        "bias-head",
        "batch-rows",
        clauses=("attention.C3", "attention.C6"),
        bias=(3, 5, 7),
    )
    yield _case(
        "bias-shared",
        "One bias for every row and head.",
        "float64",
        ((2, 3), 2, 5, 6, 4),
        0.3,
        *kinds,
        "batch-rows",
        clauses=("attention.C3", "attention.C6"),
        bias=(2, 5),
    )
    yield _case(
        "alibi",
        "Linear biases of three heads on scaled scores, no causal mask.",
        "bfloat16",
        ((2, 3), 2, 6, 8, 4),
        0.375,
        *kinds,
        "bias-head",
        "batch-rows",
        clauses=("alibi.C7", "attention.C3"),
        bias=_alibi((0.5, 0.25, 0.0625), range(4, 6), range(6), "bfloat16"),
    )
    yield _case(
        "alibi-causal",
        "Linear biases with -inf at future keys: a penalty for distance, a ban only for the future.",
        "float32",
        ((2, 3), 4, 7, 6, 3),
        0.2,
        *kinds,
        "bias-head",
        "batch-rows",
        clauses=("alibi.C7", "attention.C4"),
        bias=_alibi((0.25, 0.03125, 0.00390625), range(2, 6), range(7), "float32", -inf),
    )
    yield _case(
        "alibi-decode",
        "One query at position 8 against nine keys, two rows.",
        "bfloat16",
        ((2, 3), 1, 9, 4, 5),
        0.25,
        "cross-lengths",
        "bias-missing",
        "bias-sign",
        "bias-head",
        "batch-rows",
        clauses=("alibi.C7",),
        bias=_alibi((0.5, 0.25, 0.0625), range(8, 9), range(9), "bfloat16"),
    )


def _masked() -> Iterator[Row]:
    masks = ("mask-missing", "mask-additive", "mask-after-softmax", "mask-inverted")
    yield _case(
        "causal",
        "Queries 2 to 5 against keys 0 to 6: every row sees at least three keys, none all.",
        "bfloat16",
        ((2, 3), 4, 7, 8, 3),
        0.25,
        *masks,
        "batch-rows",
        clauses=("attention.C3", "attention.C7"),
        mask=_causal(range(2, 6), range(7)),
    )
    yield _case(
        "causal",
        "A square-less causal mask on one head.",
        "float64",
        ((), 3, 5, 4, 6),
        0.3,
        *masks,
        mask=_causal(range(1, 4), range(5)),
    )
    yield _case(
        "padding",
        "A padding mask of each row, shared by its heads.",
        "float32",
        ((2, 3), 5, 6, 4, 7),
        0.15,
        *masks,
        "batch-rows",
        clauses=("attention.C6", "attention.C7"),
        mask=tensor("bool", (*(0, 0, 1, 1, 1, 1) * 5, *(1, 1, 1, 1, 1, 0) * 5), (2, 1, 5, 6)),
    )
    yield _case(
        "padding-stretched",
        "The padding mask as it is usually kept: one row of keys a sequence, for every head and query.",
        "bfloat16",
        ((2, 3), 5, 6, 4, 7),
        0.25,
        *masks,
        "batch-rows",
        clauses=("attention.C6", "attention.C7"),
        bias=tensor("bfloat16", (-0.5, -0.375, -0.25, -0.125, 0.0, 0.125), (1, 6)),
        mask=tensor("bool", (0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0), (2, 1, 1, 6)),
    )
    yield _case(
        "bias-and-mask",
        "A bias and a mask together; the bias of a masked key does not matter.",
        "bfloat16",
        ((2,), 3, 5, 6, 4),
        0.25,
        *masks,
        "bias-missing",
        "bias-sign",
        "batch-rows",
        clauses=("attention.C3", "attention.C7"),
        bias=(3, 5),
        mask=tensor("bool", (1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1), (3, 5)),
    )
    yield _case(
        "one-left",
        "All keys but one masked: the result is that key's value, exactly one weight.",
        "float32",
        ((), 3, 4, 6, 5),
        0.5,
        *masks,
        clauses=("attention.C4",),
        mask=tensor("bool", (0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1), (3, 4)),
    )


def _edges() -> Iterator[Row]:
    yield _case(
        "one-key",
        "One key has weight 1: the values come back, whatever the scale.",
        "bfloat16",
        ((2, 3), 4, 1, 8, 5),
        0.3125,
        "one-key",
    )
    yield _case(
        "one-key",
        "One key, one query, two rows.",
        "float64",
        ((2,), 1, 1, 4, 7),
        0.7,
        "one-key",
        "batch-rows",
        bias=(2, 1, 1),
    )
    yield _case(
        "farther-apart",
        "Biases of a thousand: exp of a raw score overflows or vanishes in float64 too.",
        "float32",
        ((), 2, 3, 5, 4),
        1.0,
        "bias-missing",
        "bias-sign",
        clauses=("attention.C3", "conventions.C1"),
        bias=tensor("float32", (1000.5, 999.0, -300.0, -820.25, -2000.0, -819.5), (2, 3)),
    )
    yield _case(
        "far-apart",
        "Biases of hundreds: exp of a raw score would overflow or vanish.",
        "float32",
        ((), 2, 3, 5, 4),
        1.0,
        "bias-missing",
        "bias-sign",
        clauses=("attention.C3", "conventions.C1"),
        bias=tensor("float32", (250.5, 249.0, -300.0, -120.25, -800.0, -119.5), (2, 3)),
    )
    yield _case("no-queries", "No query: nothing to weigh.", "float32", ((2,), 0, 4, 6, 3), 0.5, "empty")
    yield _case("nothing", "Neither query nor key.", "float32", ((2,), 0, 0, 4, 3), 0.5, "empty")
