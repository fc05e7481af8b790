"""Cases of ``rope.apply_qk``."""

from collections.abc import Iterator

from posref.cases._build import SUFFIX, Baseline, Flags, Row, grouped, integers, slug, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._rope_apply import Shape, Slice, rotary
from posref.cases._rope_common import refused_ladder, refused_pairing, refused_positions, refused_scaling
from posref.cases._rope_scaled import refused_scalings, scaled_heads
from posref.operation import Case, Group, Tensor


@complete
def apply_qk() -> Iterator[Group]:
    """Yield the cases of ``rope.apply_qk``."""
    yield from grouped("rope.apply_qk", _values())
    yield from grouped("rope.apply_qk", _scaled())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    qk: tuple[Kind, Shape, Shape],
    positions: Tensor,
    where: Slice,
    *flags: str,
    start: int = 0,
    clauses: tuple[str, ...] = ("rope.C7",),
) -> Row:
    kind, q, k = qk
    case_id = f"rope-apply-qk-w{where[0]}-{where[1]}-b{slug(where[2])}-{name}-{SUFFIX[kind]}"
    inputs = {"q": draw(case_id, "q", q, kind), "k": draw(case_id, "k", k, kind), "positions": positions}
    return rotary(where, start), Case(case_id, comment, inputs, clauses, flags)


def _values() -> Iterator[Row]:
    both = ("unrotated", "pairing", "rotation-sign", "restarted-positions", "double-rotation")
    yield from _heads(*both)
    yield from _wide(*both)
    yield from _slices()
    yield from _positions()


def _heads(*both: str) -> Iterator[Row]:
    text = "4 query heads on 2 key heads."
    qk: tuple[Kind, Shape, Shape] = ("bfloat16", (2, 4, 3, 4), (2, 2, 3, 4))
    near = integers((3, 4, 5))
    yield _case("grouped", text, qk, near, (4, "half", 10000.0), *both, "head-tail", "frequency-exponent")
    text = "6 query heads on 3 key heads, no power of two anywhere."
    qk = ("float32", (6, 5, 6), (3, 5, 6))
    near = integers((1, 2, 5, 7, 9))
    yield _case("grouped", text, qk, near, (6, "adjacent", 10000.0), *both, "head-tail", "frequency-exponent")
    text = "Many query heads on one key head."
    qk = ("float64", (2, 5, 2, 8), (2, 1, 2, 8))
    yield _case("one-key-head", text, qk, integers((8, 9)), (8, "half", 500000.0), *both, "fixed-base")
    text = "One pair, from 0."
    qk = ("bfloat16", (3, 4, 2), (2, 4, 2))
    flags: Flags = ("position-zero", "unrotated", "rotation-sign", "double-rotation", "head-tail")
    yield _case("pair", text, qk, integers(range(4)), (2, "half", 10000.0), *flags)
    text = "A batched decoding step: one token a row, positions of its own."
    qk = ("bfloat16", (2, 4, 1, 8), (2, 2, 1, 8))
    clauses = ("rope.C7", "rope.C11")
    single = integers((5, 11), (2, 1, 1))
    flags = (*both, "batch-rows", "head-tail")
    yield _case("single", text, qk, single, (8, "adjacent", 10000.0), *flags, clauses=clauses)
    text = "A token a row, 6 query heads on 2 key heads: the square of neither is the other."
    qk = ("bfloat16", (2, 6, 1, 4), (2, 2, 1, 4))
    single = integers((9, 14), (2, 1, 1))
    yield _case("single", text, qk, single, (4, "half", 10000.0), *flags, clauses=clauses)
    text = "Left-padded rows."
    qk = ("float32", (2, 3, 4, 6), (2, 1, 4, 6))
    rows = integers((3, 4, 5, 6, 1, 2, 3, 4), (2, 1, 4))
    yield _case("rows", text, qk, rows, (6, "half", 10000.0), *both, "batch-rows", clauses=clauses)


def _wide(*both: str) -> Iterator[Row]:
    flags = (*both, "frequency-exponent")
    where: Slice = (64, "adjacent", 10000.0)
    qk: tuple[Kind, Shape, Shape] = ("float32", (3, 2, 64), (1, 2, 64))
    yield _case("wide", "A usual head.", qk, integers((3, 300)), where, *flags)
    text = "A width that is no power of two."
    qk, where = ("bfloat16", (2, 1, 80), (1, 1, 80)), (80, "half", 1e7)
    yield _case("wide", text, qk, integers((1025,)), where, *flags, "fixed-base")
    qk, where = ("float32", (2, 1, 96), (1, 1, 96)), (96, "adjacent", 500000.0)
    yield _case("wide", text, qk, integers((13,)), where, *flags, "fixed-base")
    qk, where = ("bfloat16", (2, 1, 128), (1, 1, 128)), (128, "half", 160000.5)
    yield _case("wide", "A usual head.", qk, integers((77,)), where, *flags, "fixed-base")


def _slices() -> Iterator[Row]:
    flags = ("pass-through", "frequency-width", "unrotated", "pairing")
    clauses = ("rope.C6", "rope.C7")
    text = "A slice at the front of the head."
    qk: tuple[Kind, Shape, Shape] = ("bfloat16", (4, 3, 10), (2, 3, 10))
    near = integers((2, 3, 4))
    yield _case("front", text, qk, near, (6, "half", 10000.0), *flags, clauses=clauses)
    text = "A slice at the end of the head."
    qk = ("bfloat16", (3, 5, 12), (1, 5, 12))
    near = integers(range(2, 7))
    yield _case(
        "end", text, qk, near, (8, "adjacent", 500000.0), *flags, "slice-start", start=4, clauses=clauses
    )


def _positions() -> Iterator[Row]:
    where: Slice = (8, "half", 10000.0)
    text = "Both directions."
    qk: tuple[Kind, Shape, Shape] = ("bfloat16", (2, 3, 8), (1, 3, 8))
    flags = ("negative-position", "unsigned-position", "unrotated")
    yield _case("negative", text, qk, integers((-2, -19, 7)), where, *flags)
    text = "Above powers of two."
    qk = ("bfloat16", (2, 5, 8), (1, 5, 8))
    powers = integers((257, 2049, 4097, 65537, 2**20 + 1))
    yield _case("powers", text, qk, powers, where, "position-rounding", "unrotated")
    text = "Fractions."
    half = tensor("float64", (0.5, 0.1, -2.75))
    clauses = ("rope.C7", "rope.C11")
    qk = ("float64", (2, 3, 4), (1, 3, 4))
    yield _case("fractional", text, qk, half, (4, "adjacent", 10000.0), "unrotated", clauses=clauses)
    text = "Far out: the fast pairs only float64 can resolve."
    qk = ("float64", (2, 2, 8), (1, 2, 8))
    yield _case("far", text, qk, integers((1_000_003, 2**31 - 1)), (8, "adjacent", 500000.0))
    qk = ("float32", (4, 0, 8), (2, 0, 8))
    yield _case("empty", "No token.", qk, integers(()), where, "empty")


def _scaled() -> Iterator[Row]:
    for name, comment, given, where, sizes, flags in scaled_heads():
        kind, tokens, width, start = sizes
        case_id = f"rope-apply-qk-w{where[0]}-{where[1]}-b{slug(where[2])}-{name}-{SUFFIX[kind]}"
        shapes = (4, len(tokens), width), (2, len(tokens), width)
        q, k = (draw(case_id, side, shape, kind) for side, shape in zip("qk", shapes, strict=True))
        inputs = {"q": q, "k": k, "positions": integers(tokens)}
        clauses = ("rope.C8", "rope.C7")
        yield rotary(where, start, *given), Case(case_id, comment, inputs, clauses, flags)


def _refused() -> Iterator[Group]:
    name, shape = "rope-apply-qk-invalid", "INVALID_SHAPE"
    inputs = {
        "q": draw(name, "q", (4, 3, 8), "bfloat16"),
        "k": draw(name, "k", (2, 3, 8), "bfloat16"),
        "positions": integers((1, 2, 3)),
    }
    base = Baseline("rope.apply_qk", inputs, rotary((8, "half", 10000.0), 0))
    yield from refused_ladder(base)
    yield from refused_pairing(base)
    yield from refused_scaling(base)
    yield from refused_scalings(base)
    yield from refused_positions(base, fractional=True)
    narrow = {"k": draw(name, "k", (2, 3, 6), "bfloat16")}
    yield base.refuse("widths", (shape, "k"), "conventions.C5", "Keys narrower than queries.", inputs=narrow)
    tokens = {"k": draw(name, "k", (2, 4, 8), "bfloat16")}
    yield base.refuse("tokens", (shape, "k"), "conventions.C5", "More keys than queries.", inputs=tokens)
    short = {"positions": integers((1, 2))}
    yield base.refuse("short", (shape, "positions"), "rope.C11", "2 positions, 3 tokens.", inputs=short)
    rows = {"positions": integers(range(12), (4, 3)), "k": draw(name, "k", (1, 3, 8), "bfloat16")}
    text = "Positions with more rows than the keys."
    yield base.refuse("rows-of-keys", (shape, "positions"), "rope.C11", text, inputs=rows)
    rows = {"positions": integers(range(6), (2, 3)), "q": draw(name, "q", (1, 3, 8), "bfloat16")}
    text = "Positions with more rows than the queries."
    yield base.refuse("rows-of-queries", (shape, "positions"), "rope.C11", text, inputs=rows)
    wide = {"k": draw(name, "k", (2, 3, 8), "float32")}
    yield base.refuse("dtypes", ("INVALID_DTYPE", "k"), "conventions.C3", "Two dtypes.", inputs=wide)
    whole = {"q": integers(range(1, 97), (4, 3, 8))}
    yield base.refuse("integer", ("INVALID_DTYPE", "q"), "conventions.C3", "Integer queries.", inputs=whole)
