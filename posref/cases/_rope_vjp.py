"""Cases of ``rope.rotate_vjp`` and ``rope.apply_vjp``."""

from collections.abc import Iterator, Mapping
from typing import Any

from posref.cases._build import SUFFIX, Baseline, Flags, Row, grouped, integers, slug, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._rope_apply import Slice, rotary
from posref.cases._rope_common import refused_ladder, refused_pairing, refused_positions, refused_scaling
from posref.cases._rope_scaled import llama3, longrope, scaling, yarn
from posref.operation import Case, Group, Tensor

Shape = tuple[int, ...]
Given = tuple[int | None, Mapping[str, Any]]
KINDS: tuple[Kind, ...] = ("bfloat16", "float32", "float64")


@complete
def rotate_vjp() -> Iterator[Group]:
    """Yield the cases of ``rope.rotate_vjp``."""
    yield from grouped("rope.rotate_vjp", _tables())
    yield from _refused_tables()


def _rotated(
    name: str,
    comment: str,
    kind: Kind,
    shapes: tuple[Shape, Shape],
    pairings: tuple[str, str],
    *flags: str,
    start: int = 0,
    clauses: tuple[str, ...] = ("rope.C17",),
) -> Row:
    """Return a case; `shapes` are those of `x` and of both tables, drawn independently."""
    (into, out), table = pairings, "float64" if kind == "float64" else "float32"
    case_id = f"rope-rotate-vjp-{name}-{into}-{out}-{SUFFIX[kind]}"
    inputs = {name: draw(case_id, name, shapes[0], kind) for name in ("grad_y", "x")}
    inputs |= {name: draw(case_id, name, shapes[1], table) for name in ("cos", "sin")}  # type: ignore[arg-type]
    params = {"pairing_in": into, "pairing_out": out, "rotary_start": start}
    return params, Case(case_id, comment, inputs, clauses, flags)


HALF, ADJACENT = ("half", "half"), ("adjacent", "adjacent")
LOST = ("gradient-missing", "table-gradient")
TURN = (*LOST, "gradient-direction", "gradient-operand", "sine-cosine-order")
PAIRED = (*TURN, "pairing")


def _tables() -> Iterator[Row]:
    text = "One pair: both layouts are the same."
    yield _rotated("w2", text, "bfloat16", ((5, 2), (5, 1)), HALF, "width-2", *TURN)
    yield _rotated("w2", text, "float32", ((4, 2), (4, 1)), ADJACENT, "width-2", *TURN)
    text = "A table entry of its own for every pair."
    for kind in KINDS:
        for pairings in (HALF, ADJACENT):
            yield _rotated("w4", text, kind, ((3, 4), (3, 2)), pairings, *PAIRED)
    yield _rotated("w6", text, "bfloat16", ((4, 6), (4, 3)), HALF, *PAIRED)
    text = "Read adjacent, written in halves: the way back reads halves."
    mixed = (*PAIRED, "pairing-out")
    yield _rotated("mixed", text, "bfloat16", ((3, 6), (3, 3)), ("adjacent", "half"), *mixed)
    yield _rotated("mixed", text, "float64", ((2, 8), (2, 4)), ("adjacent", "half"), *mixed)
    yield _rotated("mixed", text, "float32", ((3, 6), (3, 3)), ("half", "adjacent"), *mixed)
    clauses = ("rope.C17", "rope.C6")
    text = "A slice: beside it the cotangent passes through bit for bit."
    rest = (*PAIRED, "pass-through", "slice-start")
    shapes = ((4, 9), (4, 2))
    yield _rotated("part", text, "bfloat16", shapes, HALF, *rest, start=3, clauses=clauses)
    yield _rotated("part", text, "float32", ((3, 11), (3, 3)), ADJACENT, *rest, start=4, clauses=clauses)
    shapes = ((2, 8), (2, 2))
    yield _rotated("part", text, "float64", shapes, ("half", "adjacent"), *rest, start=2, clauses=clauses)
    yield from _summed()
    yield _rotated("empty", "No token.", "float32", ((0, 6), (0, 3)), HALF, "empty")


def _summed() -> Iterator[Row]:
    summed = (*PAIRED, "table-gradient-sum")
    text = "A table shared by batch and heads: its cotangents are sums over both."
    shared = ((2, 3, 2, 4), (2, 2))
    for kind in KINDS:
        yield _rotated("shared", text, kind, shared, HALF, *summed)
    text = "A table a row of the batch: sums over the heads."
    row = ((2, 4, 2, 6), (2, 1, 2, 3))
    yield _rotated("rows", text, "bfloat16", row, ADJACENT, *summed)
    text = "A table a head: sums over the batch."
    head = ((2, 3, 1, 4), (3, 1, 2))
    yield _rotated("heads", text, "float32", head, HALF, *summed)
    text = "One pair a table, shared by the heads."
    flags = ("width-2", *TURN, "table-gradient-sum")
    yield _rotated("pair", text, "float32", ((2, 3, 2), (1, 3, 1)), HALF, *flags)
    text = "A table for each row and head: nothing is summed."
    full = ((2, 1, 3, 4), (2, 1, 3, 2))
    yield _rotated("full", text, "float64", full, ("adjacent", "half"), *PAIRED)
    text = "Eight heads, a slice of the head."
    many = ((8, 2, 6), (2, 2))
    yield _rotated("many", text, "bfloat16", many, ADJACENT, *summed, "slice-start", start=1)


def _refused_tables() -> Iterator[Group]:
    name = "rope-rotate-vjp-invalid"
    inputs = {side: draw(name, side, (3, 8), "bfloat16") for side in ("grad_y", "x")}
    inputs |= {side: draw(name, side, (3, 4), "float32") for side in ("cos", "sin")}
    params = {"pairing_in": "half", "pairing_out": "half", "rotary_start": 0}
    base = Baseline("rope.rotate_vjp", inputs, params)
    yield from refused_pairing(base, "pairing_in")
    yield from refused_pairing(base, "pairing_out")
    yield from _refused_sides(base, name)
    shape, start = "INVALID_SHAPE", ("INVALID_PARAMETER", "rotary_start")
    yield base.refuse("negative-start", start, "rope.C2", "A slice before coordinate 0.", rotary_start=-1)
    yield base.refuse("late-slice", (shape, "cos"), "rope.C12", "A slice past the head.", rotary_start=1)
    short = {"sin": draw(name, "sin", (3, 3), "float32")}
    yield base.refuse("unequal-tables", (shape, "sin"), "rope.C12", "Tables of two widths.", inputs=short)
    apart = {"sin": draw(name, "sin", (1, 3, 4), "float32")}
    text = "Tables whose leading axes differ."
    yield base.refuse("uneven-tables", (shape, "sin"), "rope.C12", text, inputs=apart)
    one = {side: draw(name, side, (1, 4), "float32") for side in ("cos", "sin")}
    text = "A table of one row: the token axis is not broadcast."
    yield base.refuse("one-row", (shape, "cos"), "rope.C12", text, inputs=one)
    large = {side: draw(name, side, (2, 3, 4), "float32") for side in ("cos", "sin")}
    text = "Tables with a batch axis that x has not."
    yield base.refuse("enlarging", (shape, "cos"), "conventions.C5", text, inputs=large)


def _refused_sides(base: Baseline, name: str) -> Iterator[Group]:
    """Yield cotangents that do not belong to `x`."""
    shape = ("INVALID_SHAPE", "x")
    text = "A cotangent of other tokens."
    one = {"x": draw(name, "x", (2, 8), "bfloat16")}
    yield base.refuse("unequal-tokens", shape, "conventions.C5", text, inputs=one)
    text = "A cotangent of another width."
    one = {"x": draw(name, "x", (3, 10), "bfloat16")}
    yield base.refuse("unequal-widths", shape, "conventions.C5", text, inputs=one)
    text = "A cotangent without the batch axis of x."
    one = {"x": draw(name, "x", (2, 3, 8), "bfloat16")}
    yield base.refuse("unequal-ranks", shape, "conventions.C5", text, inputs=one)
    text = "A cotangent of another dtype."
    one = {"x": draw(name, "x", (3, 8), "float64")}
    yield base.refuse("unequal-dtypes", ("INVALID_DTYPE", "x"), "conventions.C3", text, inputs=one)
    infinite = {"grad_y": tensor("bfloat16", (float("inf"), *range(1, 24)), (3, 8))}
    refusal = ("INVALID_PARAMETER", "grad_y")
    yield base.refuse(
        "infinite-cotangent", refusal, "conventions.C3", "An overflown cotangent.", inputs=infinite
    )


@complete
def apply_vjp() -> Iterator[Group]:
    """Yield the cases of ``rope.apply_vjp``."""
    yield from grouped("rope.apply_vjp", _applied())
    yield from grouped("rope.apply_vjp", _scaled())
    yield from _refused_positions()


def _case(
    name: str,
    comment: str,
    x: tuple[Kind, Shape],
    positions: Tensor,
    where: Slice,
    *flags: str,
    start: int = 0,
    given: Given = (None, {}),
    clauses: tuple[str, ...] = ("rope.C17",),
) -> Row:
    kind, shape = x
    case_id = f"rope-apply-vjp-w{where[0]}-{where[1]}-b{slug(where[2])}-{name}-{SUFFIX[kind]}"
    inputs = {side: draw(case_id, side, shape, kind) for side in ("grad_y", "x")}
    params = rotary(where, start, given[0], dict(given[1]) or None)
    return params, Case(case_id, comment, {**inputs, "positions": positions}, clauses, flags)


BACK = ("gradient-missing", "gradient-direction", "gradient-operand")
NEAR = (*BACK, "pairing", "frequency-exponent", "restarted-positions", "shifted-position")


def _applied() -> Iterator[Row]:
    half, adjacent = (8, "half", 10000.0), (8, "adjacent", 500000.0)
    text = "From position 0, whose cotangent comes back as it is."
    for kind in KINDS:
        positions = integers((0, 1, 5, 12))
        yield _case("near", text, (kind, (4, 8)), positions, half, "position-zero", *NEAR)
    yield _case("near", text, ("float64", (3, 8)), integers((7, 0, 300)), adjacent, *NEAR, "fixed-base")
    flags: Flags = (*NEAR, "fixed-base", "position-rounding")
    yield _case("far", "Far positions.", ("bfloat16", (2, 8)), integers((4097, 131071)), adjacent, *flags)
    text = "A million turns of a pair whose angle is the position."
    places = integers((8_388_607, 4_194_301, 6_000_000))
    yield _case("turns", text, ("bfloat16", (3, 2)), places, (2, "half", 10000.0), *BACK, "angle-reduction")
    text = "Positions before the origin."
    flags = ("negative-position", "unsigned-position", *BACK)
    yield _case("before", text, ("float32", (3, 8)), integers((-1, -77, -4000)), half, *flags)
    yield _case("before", text, ("bfloat16", (3, 8)), integers((-3, -2, -1)), adjacent, *flags)
    text = "Fractional positions."
    places = tensor("float64", (0.25, 1.75, 30.5))
    yield _case("between", text, ("bfloat16", (3, 8)), places, half, "truncated-position", *BACK)
    places = tensor("float32", (2.5, 7.125))
    yield _case("between", text, ("float32", (2, 8)), places, adjacent, "truncated-position", *BACK)
    yield _case("pair", "A single pair.", ("float32", (1, 2)), integers((1,)), (2, "half", 10000.0), *BACK)
    text = "A usual head."
    yield _case("head", text, ("bfloat16", (2, 64)), integers((9, 742)), (64, "half", 10000.0), *NEAR)
    text = "The largest positions: only float64 can resolve them."
    places = integers((2**53, 2**53 - 1, -(2**52) - 1))
    yield _case("limit", text, ("float64", (3, 8)), places, half, *BACK, "unsigned-position")
    yield from _slices()


def _slices() -> Iterator[Row]:
    half, adjacent = (4, "half", 10000.0), (6, "adjacent", 10000.0)
    clauses = ("rope.C17", "rope.C6")
    flags = (*BACK, "pass-through", "slice-start", "pairing")
    text = "A slice: beside it the cotangent passes through bit for bit."
    places = integers((3, 4, 5))
    yield _case("part", text, ("bfloat16", (3, 9)), places, half, *flags, start=2, clauses=clauses)
    yield _case("part", text, ("float64", (3, 11)), places, adjacent, *flags, start=5, clauses=clauses)
    text = "Rows of a batch with positions of their own."
    places = integers((0, 1, 2, 6, 7, 8), (2, 1, 3))
    yield _case("batch", text, ("float32", (2, 1, 3, 4)), places, half, *BACK, "batch-rows", "pairing")
    yield _case("batch", text, ("bfloat16", (2, 4, 3, 6)), places, adjacent, *BACK, "batch-rows", "pairing")
    text = "A token of each row."
    apart = integers((5, 11), (2, 1, 1))
    yield _case("single", text, ("bfloat16", (2, 3, 1, 6)), apart, adjacent, *BACK, "batch-rows", "pairing")
    yield _case("empty", "No token.", ("bfloat16", (0, 4)), integers(()), half, "empty")


def _scaled() -> Iterator[Row]:
    half, clauses = (8, "half", 10000.0), ("rope.C17", "rope.C8")
    flags: Flags = (*BACK, "magnitude", "scaling-ignored")
    text = "The transpose bears the magnitude factor as the rotation does."
    given: Given = (None, yarn(4.0, 4096))
    for kind, positions in (("bfloat16", (0, 3, 700)), ("float64", (1, 16000))):
        x: Any = (kind, (len(positions), 10))
        place = integers(positions)
        yield _case("yarn", text, x, place, half, *flags, "pass-through", given=given, clauses=clauses)
    given = (4097, longrope())
    place = integers((9, 4096))
    yield _case(
        "longrope", "The long list.", ("float32", (2, 8)), place, half, *flags, given=given, clauses=clauses
    )
    flags = (*BACK, "scaling-ignored")
    given, where = (None, llama3(8.0)), (16, "adjacent", 500000.0)
    x = ("bfloat16", (2, 16))
    yield _case("llama3", "Llama 3.1.", x, integers((742, 8191)), where, *flags, given=given, clauses=clauses)
    given = (9000, scaling("dynamic", factor=2.0, original_max_position_embeddings=4096))
    place, flags = integers((7, 5000, 8999)), (*flags, "length-ignored")
    for kind in ("bfloat16", "float32"):
        x = (kind, (3, 8))
        text = "The base of the length."
        yield _case("dynamic", text, x, place, half, *flags, given=given, clauses=clauses)


def _refused_positions() -> Iterator[Group]:
    name = "rope-apply-vjp-invalid"
    inputs = {side: draw(name, side, (3, 8), "bfloat16") for side in ("grad_y", "x")}
    inputs["positions"] = integers((1, 2, 3))
    base = Baseline("rope.apply_vjp", inputs, rotary((8, "half", 10000.0), 0))
    yield from refused_ladder(base)
    yield from refused_pairing(base)
    yield from refused_scaling(base)
    yield from refused_positions(base, fractional=True)
    yield from _refused_sides(base, name)
    shape = ("INVALID_SHAPE", "positions")
    short = {"positions": integers((1, 2))}
    yield base.refuse("short", shape, "rope.C11", "2 positions, 3 tokens.", inputs=short)
    rows = {"positions": integers(range(6), (2, 3))}
    text = "Two rows of positions, no batch."
    yield base.refuse("rows", shape, "rope.C11", text, inputs=rows)
    missing = ("MISSING_PARAMETER", "seq_len")
    text = "Null is not given: no length is guessed."
    yield base.refuse("longrope-without-length", missing, "rope.C8", text, scaling=longrope())
