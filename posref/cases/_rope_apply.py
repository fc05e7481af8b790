"""Cases of ``rope.apply``."""

from collections.abc import Iterator, Mapping

from posref.cases._build import SUFFIX, Baseline, Flags, Row, grouped, integers, slug, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._rope_common import refused_ladder, refused_pairing, refused_positions, refused_scaling
from posref.cases._rope_scaled import refused_scalings, scaled_rotations
from posref.operation import Case, Group, Tensor

Shape = tuple[int, ...]
Slice = tuple[int, str, float]
"""Rotated width, pairing, base."""


@complete
def apply() -> Iterator[Group]:
    """Yield the cases of ``rope.apply``."""
    yield from grouped("rope.apply", _values())
    yield from grouped("rope.apply", _scaled())
    yield from _refused()


def rotary(
    where: Slice, start: int, seq_len: int | None = None, scaling: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Return the parameters that ``rope.apply``, ``apply_qk`` and ``score`` share."""
    return {
        "rotary_dim": where[0],
        "rotary_start": start,
        "base": where[2],
        "pairing": where[1],
        "scaling": scaling,
        "seq_len": seq_len,
    }


def _case(
    name: str,
    comment: str,
    x: tuple[Kind, Shape],
    positions: Tensor,
    where: Slice,
    *flags: str,
    start: int = 0,
    clauses: tuple[str, ...] = ("rope.C7",),
    given: tuple[float, ...] = (),
    seq_len: int | None = None,
) -> Row:
    kind, shape = x
    case_id = f"rope-apply-w{where[0]}-{where[1]}-b{slug(where[2])}-{name}-{SUFFIX[kind]}"
    value = tensor(kind, given, shape) if given else draw(case_id, "x", shape, kind)
    inputs = {"x": value, "positions": positions}
    return rotary(where, start, seq_len), Case(case_id, comment, inputs, clauses, flags)


def _values() -> Iterator[Row]:
    yield from _reports()
    yield from _near()
    yield from _wide()
    yield from _powers()
    yield from _partial()
    yield from _positions()
    yield from _batches()


def _reports() -> Iterator[Row]:
    text = "The input of the public reports: 1, 2, 3, 4 at position 1."
    flags = ("pairing", "frequency-exponent", "rotation-sign", "restarted-positions", "double-rotation")
    given = (1.0, 2.0, 3.0, 4.0)
    for pairing in ("adjacent", "half"):
        where = (4, pairing, 10000.0)
        yield _case("report", text, ("bfloat16", (1, 4)), integers((1,)), where, *flags, given=given)
    where = (6, "half", 10000.0)
    text = "The input of the report on padded tables: 1 to 6 at position 1."
    yield _case(
        "report",
        text,
        ("bfloat16", (1, 6)),
        integers((1,)),
        where,
        *flags,
        "padded-width",
        given=(*given, 5.0, 6.0),
    )


def _near() -> Iterator[Row]:
    moved = ("restarted-positions", "shifted-position", "rotation-sign", "double-rotation")
    most = ("pairing", "frequency-exponent", *moved)
    text = "One pair: frequency 1, both layouts the same."
    first = integers((0, 1, 2, 3, 5, 7, 11))
    turning = ("position-zero", "width-2", "rotation-sign", "double-rotation", "shifted-position")
    yield _case("pair", text, ("bfloat16", (7, 2)), first, (2, "adjacent", 10000.0), *turning)
    yield _case("pair", text, ("float32", (7, 2)), first, (2, "half", 500000.0), *turning)
    text = "2 rows, 3 heads, 5 tokens, from 0."
    x: tuple[Kind, Shape] = ("float32", (2, 3, 5, 4))
    where = (4, "half", 10000.0)
    zero = ("position-zero", "pairing", "head-axis", "shifted-position", "double-rotation")
    yield _case("heads", text, x, integers(range(5)), where, *zero)
    text = "2 rows, 4 heads, 5 tokens of a later chunk."
    x = ("bfloat16", (2, 4, 5, 6))
    yield _case("chunk", text, x, integers(range(21, 26)), (6, "adjacent", 500000.0), *most, "fixed-base")
    text = "Unsorted and repeated positions."
    yield _case("unsorted", text, ("float64", (5, 6)), integers((9, 2, 2, 31, 1)), (6, "half", 1e7), *most)
    text = "A length that no scaling uses changes nothing."
    clauses = ("rope.C7", "rope.C8")
    x = ("float32", (5, 8))
    where = (8, "adjacent", 160000.5)
    near = integers((1, 3, 6, 10, 15))
    yield _case("length", text, x, near, where, *most, "fixed-base", clauses=clauses, seq_len=4096)


def _wide() -> Iterator[Row]:
    most = ("pairing", "frequency-exponent", "rotation-sign", "double-rotation")
    based = (*most, "fixed-base")
    odd, usual = "A width that is no power of two.", "A usual head."
    yield _case("wide", usual, ("float32", (3, 64)), integers((7, 257, 2049)), (64, "half", 10000.0), *most)
    yield _case("wide", usual, ("float64", (1, 64)), integers((12,)), (64, "adjacent", 1e7), *based)
    yield _case(
        "wide",
        odd,
        ("bfloat16", (2, 80)),
        integers((5, 1023)),
        (80, "half", 500000.0),
        *based,
        "padded-width",
    )
    yield _case("wide", odd, ("float32", (2, 80)), integers((3, 511)), (80, "adjacent", 10000.0), *most)
    yield _case("wide", odd, ("float32", (2, 96)), integers((9, 129)), (96, "half", 160000.5), *based)
    yield _case(
        "wide",
        odd,
        ("bfloat16", (2, 96)),
        integers((2, 4097)),
        (96, "adjacent", 10000.0),
        *most,
        "padded-width",
    )
    yield _case(
        "wide", usual, ("bfloat16", (3, 128)), integers((1, 65, 8191)), (128, "half", 500000.0), *based
    )
    yield _case("wide", usual, ("float32", (2, 128)), integers((6, 1025)), (128, "adjacent", 1e7), *based)


def _powers() -> Iterator[Row]:
    flags = ("position-rounding", "angle-rounding", "pairing", "rotation-sign")
    below = integers([2**n - 1 for n in range(9, 21)])
    above = integers([2**n + 1 for n in range(9, 21)])
    text = "One below the powers 2^9 to 2^20."
    yield _case("below-powers", text, ("bfloat16", (12, 8)), below, (8, "half", 10000.0), *flags)
    text = "One above the powers 2^9 to 2^20."
    yield _case("above-powers", text, ("float32", (12, 6)), above, (6, "adjacent", 500000.0), *flags)
    text = "Consecutive positions far out: in a half format they collapse."
    run = integers(range(65536, 65541))
    yield _case("neighbours", text, ("float64", (5, 8)), run, (8, "half", 10000.0), *flags)


def _partial() -> Iterator[Row]:
    flags = ("pass-through", "pairing", "frequency-width", "rotation-sign")
    text = "A slice at the front; the ladder runs over the slice, not the head."
    clauses = ("rope.C6", "rope.C1")
    near = integers((1, 4, 9))
    x: tuple[Kind, Shape] = ("bfloat16", (2, 4, 3, 12))
    partner = (*flags, "partner-width")
    yield _case("front", text, x, near, (8, "half", 10000.0), *partner, clauses=clauses)
    yield _case("front", text, ("float64", (3, 10)), near, (4, "adjacent", 500000.0), *flags, clauses=clauses)
    x = ("float32", (2, 80))
    where = (32, "half", 10000.0)
    yield _case("front", text, x, integers((7, 130)), where, *partner, clauses=clauses)
    text = "A slice in the middle."
    clauses = ("rope.C6", "rope.C2")
    middle = (*flags, "slice-start")
    x = ("float32", (3, 12))
    where = (6, "half", 10000.0)
    yield _case("middle", text, x, near, where, *middle, start=4, clauses=clauses)
    text = "A slice at the end, as multi-head latent attention has it."
    x = ("bfloat16", (3, 24))
    where = (8, "adjacent", 10000.0)
    yield _case("end", text, x, near, where, *middle, start=16, clauses=clauses)


def _positions() -> Iterator[Row]:
    clauses: Flags = ("rope.C7", "rope.C11")
    text = "Both directions."
    back = integers((-1, -6, -17, -4097, 3))
    flags: Flags = ("negative-position", "unsigned-position", "pairing", "rotation-sign")
    x: tuple[Kind, Shape] = ("bfloat16", (5, 8))
    yield _case("negative", text, x, back, (8, "adjacent", 10000.0), *flags, clauses=clauses)
    text = "Fractions, exact and not, of both signs."
    half = tensor("float64", (0.5, 0.1, 2.75, -3.3, 1000.625))
    flags = ("fractional-position", "truncated-position", "pairing", "rotation-sign")
    x = ("float64", (5, 8))
    yield _case("fractional", text, x, half, (8, "half", 10000.0), *flags, clauses=clauses)
    text = "Fractions handed over as float32, as interpolation makes them."
    quarter = tensor("float32", (0.25, 7.5, 31.0625))
    x = ("bfloat16", (3, 6))
    yield _case("fractional", text, x, quarter, (6, "adjacent", 500000.0), *flags, clauses=clauses)
    text = "Beyond a million and at 2^31 - 1; the fast pairs only float64 can resolve."
    far = integers((1_000_003, 2**31 - 1, -1_000_003))
    x = ("float64", (3, 8))
    yield _case("far", text, x, far, (8, "half", 160000.5), "negative-position", clauses=clauses)
    text = "Near multiples of pi at up to 2^53: only float64 can resolve them."
    zeros = integers((22, 355, 103_993, 245_850_922, 6_134_899_525_417_045))
    clauses = ("rope.C7", "conventions.C1", "conventions.C4")
    yield _case("near-zeros", text, ("float64", (5, 4)), zeros, (4, "adjacent", 10000.0), clauses=clauses)


def _batches() -> Iterator[Row]:
    clauses = ("rope.C11", "conventions.C5")
    text = "Left-padded rows: each has positions of its own, shared by its heads."
    rows = integers((3, 4, 5, 6, 1, 2, 3, 4), (2, 1, 4))
    flags = ("batch-rows", "head-axis", "pairing")
    x: tuple[Kind, Shape] = ("float32", (2, 3, 4, 6))
    yield _case("rows", text, x, rows, (6, "half", 10000.0), *flags, clauses=clauses)
    text = "One token a row, two rows at different positions: a batched decoding step."
    single = integers((5, 9), (2, 1, 1))
    x = ("bfloat16", (2, 3, 1, 8))
    flags = ("batch-rows", "batch-tail", "restarted-positions")
    yield _case("single", text, x, single, (8, "half", 10000.0), *flags, clauses=clauses)
    text = "One token a row, two rows at the same position."
    x = ("float64", (2, 1, 4))
    flags = ("batch-tail", "batch-run-on", "restarted-positions")
    yield _case("step", text, x, integers((5,)), (4, "adjacent", 500000.0), *flags)
    text = "Two rows that share their positions: the second does not run on."
    x = ("bfloat16", (2, 4, 6))
    yield _case("shared", text, x, integers((2, 3, 4, 5)), (6, "half", 10000.0), "batch-run-on", "pairing")
    yield _case("empty", "No token.", ("float32", (2, 3, 0, 8)), integers(()), (8, "half", 10000.0), "empty")


def _scaled() -> Iterator[Row]:
    for name, comment, given, where, sizes, flags in scaled_rotations():
        kind, tokens, width, start = sizes
        case_id = f"rope-apply-w{where[0]}-{where[1]}-b{slug(where[2])}-{name}-{SUFFIX[kind]}"
        x = draw(case_id, "x", (len(tokens), width), kind)
        inputs = {"x": x, "positions": integers(tokens)}
        clauses = ("rope.C8", "rope.C7")
        yield rotary(where, start, *given), Case(case_id, comment, inputs, clauses, flags)


def _refused() -> Iterator[Group]:
    name = "rope-apply-invalid"
    inputs = {"x": draw(name, "x", (3, 8), "bfloat16"), "positions": integers((1, 2, 3))}
    base = Baseline("rope.apply", inputs, rotary((8, "half", 10000.0), 0))
    yield from refused_ladder(base)
    yield from refused_pairing(base)
    yield from refused_scaling(base)
    yield from refused_scalings(base)
    yield from refused_positions(base, fractional=True)
    shape = "INVALID_SHAPE"
    short = {"positions": integers((1, 2))}
    yield base.refuse("short", (shape, "positions"), "rope.C11", "2 positions, 3 tokens.", inputs=short)
    one = {"positions": integers((5,))}
    text = "One position for three tokens: the token axis is not broadcast."
    yield base.refuse("one-position", (shape, "positions"), "rope.C11", text, inputs=one)
    large = {"positions": integers(range(6), (2, 3))}
    text = "Positions with a batch axis that x has not."
    yield base.refuse("enlarging", (shape, "positions"), "conventions.C5", text, inputs=large)
    row = {"x": draw(name, "x", (8,), "bfloat16")}
    yield base.refuse("rank", (shape, "x"), "conventions.C5", "No token axis.", inputs=row)
    whole = {"x": integers(range(1, 25), (3, 8))}
    yield base.refuse("integer", ("INVALID_DTYPE", "x"), "conventions.C3", "Integer x.", inputs=whole)
    infinite = {"x": tensor("float32", (float("-inf"), *range(1, 24)), (3, 8))}
    text = "An infinite coordinate."
    yield base.refuse("infinite-x", ("INVALID_PARAMETER", "x"), "conventions.C3", text, inputs=infinite)
