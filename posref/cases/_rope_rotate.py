"""Cases of ``rope.rotate``."""

from collections.abc import Iterator

from posref.cases._build import SUFFIX, Baseline, Row, grouped, integers, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._rope_common import refused_pairing
from posref.operation import Case, Group

Shape = tuple[int, ...]


@complete
def rotate() -> Iterator[Group]:
    """Yield the cases of ``rope.rotate``."""
    yield from grouped("rope.rotate", _values())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    kind: Kind,
    shapes: tuple[Shape, Shape],
    pairing: str,
    *flags: str,
    start: int = 0,
    out: str | None = None,
    clauses: tuple[str, ...] = ("rope.C5",),
) -> Row:
    """Return a case; `shapes` are those of `x` and of both tables, drawn independently."""
    case_id = f"rope-rotate-{name}-{pairing}-{out or pairing}-{SUFFIX[kind]}"
    table: Kind = "float64" if kind == "float64" else "float32"
    inputs = {
        "x": draw(case_id, "x", shapes[0], kind),
        "cos": draw(case_id, "cos", shapes[1], table),
        "sin": draw(case_id, "sin", shapes[1], table),
    }
    params = {"pairing_in": pairing, "pairing_out": out or pairing, "rotary_start": start}
    return params, Case(case_id, comment, inputs, clauses, flags)


def _values() -> Iterator[Row]:
    yield from _widths()
    yield from _slices()
    yield from _layouts()
    yield from _batches()


def _widths() -> Iterator[Row]:
    pair, turn = ("pairing", "pairing-mixed"), ("rotation-sign", "sine-cosine-order", "in-place")
    text = "One pair: both layouts are the same."
    yield _case("w2", text, "bfloat16", ((7, 2), (7, 1)), "adjacent", "width-2", *turn)
    yield _case("w2", text, "float32", ((5, 2), (5, 1)), "half", "width-2", *turn)
    clauses = ("rope.C4", "rope.C5")
    text = "Tables that are no cosines and sines of anything: used as given."
    yield _case("w4", text, "float32", ((6, 4), (6, 2)), "half", *pair, *turn, clauses=clauses)
    yield _case("w4", text, "float64", ((5, 4), (5, 2)), "adjacent", *pair, *turn, clauses=clauses)
    text = "A width that is no power of two."
    padded = (*pair, *turn, "padded-width")
    yield _case("w6", text, "bfloat16", ((7, 6), (7, 3)), "half", *padded)
    yield _case("w6", text, "float32", ((4, 6), (4, 3)), "adjacent", *padded)
    yield _case("w8", "Four pairs.", "bfloat16", ((9, 8), (9, 4)), "adjacent", *pair, *turn)
    yield _case("w64", "A usual head.", "float32", ((3, 64), (3, 32)), "half", *pair, *turn)
    yield _case("w80", text, "bfloat16", ((3, 80), (3, 40)), "half", *padded)
    yield _case("w96", text, "float64", ((2, 96), (2, 48)), "adjacent", *padded)
    yield _case("w96", text, "bfloat16", ((2, 96), (2, 48)), "half", *padded)
    yield _case("w128", "A usual head.", "bfloat16", ((3, 128), (3, 64)), "adjacent", *pair, *turn)


def _slices() -> Iterator[Row]:
    rest, turn = ("pass-through", "pairing"), ("rotation-sign", "sine-cosine-order")
    clauses = ("rope.C6", "rope.C5")
    text = "A slice at the front; the rest passes through bit for bit."
    front = (*rest, *turn, "partner-width")
    yield _case("front", text, "bfloat16", ((5, 12), (5, 4)), "half", *front, clauses=clauses)
    yield _case("front", text, "float64", ((4, 10), (4, 2)), "half", *front, clauses=clauses)
    yield _case("front", text, "float32", ((5, 12), (5, 3)), "adjacent", *rest, *turn, clauses=clauses)
    text = "A slice in the middle: coordinates pass through on both sides."
    middle = (*rest, *turn, "slice-start")
    yield _case("middle", text, "float32", ((5, 12), (5, 3)), "half", *middle, start=4, clauses=clauses)
    yield _case("middle", text, "bfloat16", ((3, 11), (3, 2)), "adjacent", *middle, start=3, clauses=clauses)
    text = "A slice at the end, as multi-head latent attention has it."
    clauses = ("rope.C6", "rope.C12")
    yield _case("end", text, "float64", ((3, 24), (3, 4)), "adjacent", *middle, start=16, clauses=clauses)
    yield _case("end", text, "bfloat16", ((2, 48), (2, 8)), "half", *middle, start=32, clauses=clauses)
    text = "A factor inside the tables leaves the rest alone."
    yield _case("single", text, "float32", ((7, 9), (7, 1)), "half", "pass-through", *turn, clauses=clauses)


def _layouts() -> Iterator[Row]:
    flags = ("pairing", "pairing-out", "rotation-sign", "sine-cosine-order")
    clauses = ("rope.C4", "rope.C5")
    text = "Read adjacent, written in halves: the rotation of DeepSeek-V3."
    yield _case(
        "mixed-w8", text, "bfloat16", ((5, 8), (5, 4)), "adjacent", *flags, out="half", clauses=clauses
    )
    yield _case(
        "mixed-w6", text, "float32", ((7, 6), (7, 3)), "adjacent", *flags, out="half", clauses=clauses
    )
    yield _case("mixed-w64", text, "float64", ((2, 64), (2, 32)), "adjacent", *flags, out="half")
    text = "Read in halves, written adjacent."
    yield _case(
        "mixed-w8", text, "float32", ((5, 8), (5, 4)), "half", *flags, out="adjacent", clauses=clauses
    )
    yield _case(
        "mixed-w4", text, "bfloat16", ((7, 4), (7, 2)), "half", *flags, out="adjacent", clauses=clauses
    )
    text = "Read adjacent, written in halves, inside a slice."
    yield _case(
        "mixed-slice",
        text,
        "bfloat16",
        ((4, 14), (4, 4)),
        "adjacent",
        *flags,
        "pass-through",
        "slice-start",
        start=5,
        out="half",
        clauses=("rope.C4", "rope.C6"),
    )


def _batches() -> Iterator[Row]:
    clauses = ("rope.C12", "conventions.C5")
    text = "One table for 2 rows and 3 heads: along the tokens, not the heads."
    yield _case(
        "shared", text, "bfloat16", ((2, 3, 5, 6), (5, 3)), "half", "head-axis", "pairing", clauses=clauses
    )
    yield _case("shared", text, "float32", ((2, 5, 3, 4), (3, 2)), "adjacent", "head-axis", clauses=clauses)
    text = "A table for each row, shared by its heads."
    yield _case(
        "rows",
        text,
        "float32",
        ((2, 3, 4, 6), (2, 1, 4, 3)),
        "half",
        "batch-rows",
        "head-axis",
        clauses=clauses,
    )
    yield _case(
        "rows", text, "float64", ((2, 5, 3, 4), (2, 1, 3, 2)), "adjacent", "batch-rows", clauses=clauses
    )
    text = "One token a row, two rows: both must be written."
    yield _case("single", text, "bfloat16", ((2, 3, 1, 8), (2, 1, 1, 4)), "half", "batch-rows", "batch-tail")
    yield _case("empty", "No token.", "float32", ((2, 3, 0, 6), (0, 3)), "half", "empty")


def _refused() -> Iterator[Group]:
    name = "rope-rotate-invalid"
    inputs = {
        "x": draw(name, "x", (3, 8), "bfloat16"),
        "cos": draw(name, "cos", (3, 4), "float32"),
        "sin": draw(name, "sin", (3, 4), "float32"),
    }
    params = {"pairing_in": "half", "pairing_out": "half", "rotary_start": 0}
    base = Baseline("rope.rotate", inputs, params)
    yield from refused_pairing(base, "pairing_in")
    yield from refused_pairing(base, "pairing_out")
    shape, start = "INVALID_SHAPE", ("INVALID_PARAMETER", "rotary_start")
    yield base.refuse("negative-start", start, "rope.C2", "A slice before coordinate 0.", rotary_start=-1)
    yield base.refuse("late-slice", (shape, "cos"), "rope.C12", "A slice past the head.", rotary_start=1)
    wide = {"cos": draw(name, "cos", (3, 5), "float32"), "sin": draw(name, "sin", (3, 5), "float32")}
    yield base.refuse("wide-table", (shape, "cos"), "rope.C12", "Tables too wide for x.", inputs=wide)
    short = {"sin": draw(name, "sin", (3, 3), "float32")}
    yield base.refuse("unequal-tables", (shape, "sin"), "rope.C12", "Tables of two widths.", inputs=short)
    apart = {"sin": draw(name, "sin", (1, 3, 4), "float32")}
    text = "Tables whose leading axes differ."
    yield base.refuse("uneven-tables", (shape, "sin"), "rope.C12", text, inputs=apart)
    one = {"cos": draw(name, "cos", (1, 4), "float32"), "sin": draw(name, "sin", (1, 4), "float32")}
    text = "A table of one row: the token axis is not broadcast."
    yield base.refuse("one-row", (shape, "cos"), "rope.C12", text, inputs=one)
    large = {"cos": draw(name, "cos", (2, 3, 4), "float32"), "sin": draw(name, "sin", (2, 3, 4), "float32")}
    text = "Tables with a batch axis that x has not."
    yield base.refuse("enlarging", (shape, "cos"), "conventions.C5", text, inputs=large)
    row = {"x": draw(name, "x", (8,), "bfloat16")}
    yield base.refuse("rank", (shape, "x"), "conventions.C5", "No token axis.", inputs=row)
    whole = {"x": integers(range(1, 25), (3, 8))}
    yield base.refuse("integer", ("INVALID_DTYPE", "x"), "conventions.C3", "Integer x.", inputs=whole)
    infinite = {"x": tensor("float32", (float("inf"), *range(1, 24)), (3, 8))}
    text = "An infinite coordinate."
    yield base.refuse("infinite", ("INVALID_PARAMETER", "x"), "conventions.C3", text, inputs=infinite)
