"""Cases of ``rope.score``."""

from collections.abc import Iterator

from posref.cases._build import SUFFIX, Baseline, Flags, Row, grouped, integers, slug, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._rope_apply import Shape, Slice, rotary
from posref.cases._rope_common import refused_ladder, refused_pairing, refused_positions, refused_scaling
from posref.cases._rope_scaled import refused_scalings, scaled_scores
from posref.operation import Case, Group, Tensor

Sizes = tuple[Shape, int, int, int]
"""Leading axes, queries, keys, width."""


@complete
def score() -> Iterator[Group]:
    """Yield the cases of ``rope.score``."""
    yield from grouped("rope.score", _values())
    yield from grouped("rope.score", _scaled())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    sizes: tuple[Kind, Sizes],
    positions: tuple[Tensor, Tensor],
    where: Slice,
    *flags: str,
    start: int = 0,
    clauses: tuple[str, ...] = ("rope.C9",),
    given: tuple[tuple[float, ...], tuple[float, ...]] | None = None,
) -> Row:
    kind, (lead, queries, keys, width) = sizes
    case_id = f"rope-score-w{where[0]}-{where[1]}-b{slug(where[2])}-{name}-{SUFFIX[kind]}"
    shapes = (*lead, queries, width), (*lead, keys, width)
    if given:
        q, k = tensor(kind, given[0], shapes[0]), tensor(kind, given[1], shapes[1])
    else:
        q, k = draw(case_id, "q", shapes[0], kind), draw(case_id, "k", shapes[1], kind)
    inputs = {"q": q, "k": k, "q_positions": positions[0], "k_positions": positions[1]}
    return rotary(where, start), Case(case_id, comment, inputs, clauses, flags)


def _values() -> Iterator[Row]:
    yield from _near()
    yield from _wide()
    yield from _shifted()
    yield from _far()
    yield from _batches()


def _near() -> Iterator[Row]:
    most = ("pairing", "rotation-sign", "unrotated", "score-sum", "score-scale", "double-rotation")
    text = "The input of the public report: query at 1, key at 0, either layout."
    for pairing in ("adjacent", "half"):
        at = (integers((1,)), integers((0,)))
        given = ((1.0, 2.0, 3.0, 4.0), (4.0, 3.0, 2.0, 1.0))
        where = (4, pairing, 10000.0)
        flags: Flags = ("position-zero", "pairing", "rotation-sign", "score-scale")
        yield _case("report", text, ("bfloat16", ((), 1, 1, 4)), at, where, *flags, given=given)
    at = (integers(range(3, 8)), integers(range(7)))
    text = "A prompt's last queries against all keys."
    where = (4, "half", 10000.0)
    yield _case("near", text, ("float32", ((3,), 5, 7, 4)), at, where, *most, "restarted-positions")
    where = (6, "adjacent", 500000.0)
    flags = (*most, "frequency-exponent", "fixed-base")
    yield _case("near", text, ("bfloat16", ((2, 3), 5, 7, 6)), at, where, *flags)
    where = (8, "half", 160000.5)
    yield _case("near", text, ("float64", ((2,), 5, 7, 8)), at, where, *flags)
    at = (integers((11,)), integers(range(12)))
    text = "One query against a cache: its position is 11, not 0."
    flags = ("cross-lengths", "restarted-positions", *most)
    yield _case("decode", text, ("bfloat16", ((2, 3), 1, 12, 8)), at, (8, "adjacent", 10000.0), *flags)
    text = "One pair."
    at = (integers((1, 2, 5)), integers((0, 3, 4, 9)))
    flags = ("position-zero", "rotation-sign", "unrotated", "score-sum", "score-scale")
    yield _case("pair", text, ("float32", ((), 3, 4, 2)), at, (2, "half", 10000.0), *flags)


def _wide() -> Iterator[Row]:
    most = ("pairing", "rotation-sign", "unrotated", "score-sum", "score-scale", "frequency-exponent")
    at = (integers((40, 41, 42, 700)), integers((0, 7, 40, 43, 300)))
    odd, usual = "A width that is no power of two.", "A usual head."
    yield _case("wide", usual, ("bfloat16", ((), 4, 5, 64)), at, (64, "half", 10000.0), *most)
    yield _case("wide", odd, ("float32", ((), 4, 5, 80)), at, (80, "adjacent", 1e7), *most, "fixed-base")
    yield _case("wide", odd, ("bfloat16", ((), 4, 5, 96)), at, (96, "half", 500000.0), *most, "fixed-base")
    yield _case("wide", usual, ("float32", ((), 4, 5, 128)), at, (128, "adjacent", 500000.0), *most)
    text = "A slice of the head: the rest adds its plain dot product."
    flags: Flags = (*most, "score-slice", "frequency-width")
    near = (integers((4, 5, 6)), integers(range(6)))
    clauses = ("rope.C9", "rope.C6")
    sizes: tuple[Kind, Sizes] = ("bfloat16", ((2,), 3, 6, 10))
    yield _case("front", text, sizes, near, (6, "half", 10000.0), *flags, clauses=clauses)
    sizes = ("bfloat16", ((), 3, 6, 12))
    flags = (*(flag for flag in flags if flag != "frequency-exponent"), "slice-start")
    yield _case("end", text, sizes, near, (4, "adjacent", 500000.0), *flags, start=8, clauses=clauses)


def _shifted() -> Iterator[Row]:
    most = ("pairing", "rotation-sign", "unrotated", "score-sum")
    text = "The same queries and keys at 10 and 13, at 100 and 103: one score."
    given = ((0.75, -1.5, 2.0, 0.625), (1.25, 0.5, -0.875, 3.0))
    for q, k in ((13, 10), (103, 100)):
        at = (integers((q,)), integers((k,)))
        sizes: tuple[Kind, Sizes] = ("bfloat16", ((), 1, 1, 4))
        yield _case(f"shift-{k}", text, sizes, at, (4, "half", 10000.0), *most, given=given)
    text = "Keys after and before the queries, both signs of position."
    at = (integers((-3, 0, 2)), integers((-7, 5, -2, 1)))
    flags = ("negative-position", "unsigned-position", *most)
    yield _case("negative", text, ("bfloat16", ((), 3, 4, 8)), at, (8, "half", 10000.0), *flags)


def _far() -> Iterator[Row]:
    text = "Above powers of two."
    at = (integers((257, 2049, 65537)), integers((129, 1025, 4097, 32769)))
    flags = ("position-rounding", "angle-rounding", "pairing")
    yield _case("powers", text, ("bfloat16", ((), 3, 4, 8)), at, (8, "half", 10000.0), *flags)
    yield _case("powers", text, ("float32", ((), 3, 4, 6)), at, (6, "adjacent", 10000.0), *flags)
    text = "A million turns against none: the first pair alone, whose angle is the position."
    at = (integers((8_388_607, 4_194_301, 6_000_000)), integers((0, 1, 2, 3)))
    where: Slice = (2, "half", 10000.0)
    yield _case("turns", text, ("bfloat16", ((), 3, 4, 2)), at, where, "angle-reduction", "rotation-sign")
    text = "Far out: only float64 can resolve the fast pairs."
    at = (integers((1_000_003, 2**31 - 1)), integers((2**20 - 1, 103_993, 0)))
    yield _case("far", text, ("float64", ((), 2, 3, 8)), at, (8, "adjacent", 1e7))


def _batches() -> Iterator[Row]:
    text = "Left-padded rows: each has positions of its own."
    rows = (integers((4, 5, 1, 2), (2, 1, 2)), integers((0, 1, 2, 3, 4, 5, 1, 1, 1, 0, 1, 2), (2, 1, 6)))
    clauses = ("rope.C9", "rope.C11", "conventions.C5")
    flags: Flags = ("batch-rows", "pairing")
    sizes: tuple[Kind, Sizes] = ("float32", ((2, 3), 2, 6, 8))
    yield _case("rows", text, sizes, rows, (8, "adjacent", 10000.0), *flags, clauses=clauses)
    text = "One query a row."
    single = (integers((9, 4), (2, 1, 1)), integers(range(7)))
    sizes = ("bfloat16", ((2, 3), 1, 7, 6))
    flags = ("batch-rows", "cross-lengths")
    yield _case("single", text, sizes, single, (6, "half", 10000.0), *flags, clauses=clauses)
    none, some = integers(()), integers((1, 2, 3))
    where: Slice = (4, "half", 10000.0)
    yield _case("no-queries", "No query.", ("float32", ((2,), 0, 3, 4)), (none, some), where, "empty")
    yield _case("no-keys", "No key.", ("bfloat16", ((2,), 3, 0, 4)), (some, none), where, "empty")


def _scaled() -> Iterator[Row]:
    for name, comment, given, where, sizes, flags in scaled_scores():
        kind, (queries, keys), width, start = sizes
        case_id = f"rope-score-w{where[0]}-{where[1]}-b{slug(where[2])}-{name}-{SUFFIX[kind]}"
        shapes = (len(queries), width), (len(keys), width)
        q, k = (draw(case_id, side, shape, kind) for side, shape in zip("qk", shapes, strict=True))
        inputs = {"q": q, "k": k, "q_positions": integers(queries), "k_positions": integers(keys)}
        clauses = ("rope.C8", "rope.C9")
        yield rotary(where, start, *given), Case(case_id, comment, inputs, clauses, flags)


def _refused() -> Iterator[Group]:
    name, shape = "rope-score-invalid", "INVALID_SHAPE"
    inputs = {
        "q": draw(name, "q", (3, 8), "bfloat16"),
        "k": draw(name, "k", (5, 8), "bfloat16"),
        "q_positions": integers((3, 4, 5)),
        "k_positions": integers(range(5)),
    }
    base = Baseline("rope.score", inputs, rotary((8, "half", 10000.0), 0))
    yield from refused_ladder(base)
    yield from refused_pairing(base)
    yield from refused_scaling(base)
    yield from refused_scalings(base)
    yield from refused_positions(base, "q_positions", fractional=False)
    yield from refused_positions(base, "k_positions", fractional=False, count=5)
    narrow = {"k": draw(name, "k", (5, 10), "bfloat16")}
    yield base.refuse("widths", (shape, "k"), "conventions.C5", "Keys wider than queries.", inputs=narrow)
    batch = {"k": draw(name, "k", (1, 5, 8), "bfloat16")}
    text = "Keys of a batch, queries of none."
    yield base.refuse("ranks", (shape, "k"), "conventions.C5", text, inputs=batch)
    short = {"k_positions": integers(range(4))}
    yield base.refuse("short", (shape, "k_positions"), "rope.C11", "4 positions, 5 keys.", inputs=short)
    rows = {"q_positions": integers((3, 4, 5, 6, 7, 8), (2, 3))}
    text = "Two rows of positions, no batch of queries."
    yield base.refuse("q-rows", (shape, "q_positions"), "rope.C11", text, inputs=rows)
    rows = {"k_positions": integers(range(10), (2, 5))}
    text = "Two rows of positions, no batch of keys."
    yield base.refuse("k-rows", (shape, "k_positions"), "rope.C11", text, inputs=rows)
    wide = {"k": draw(name, "k", (5, 8), "float64")}
    yield base.refuse("dtypes", ("INVALID_DTYPE", "k"), "conventions.C3", "Two dtypes.", inputs=wide)
    whole = {"q": integers(range(1, 25), (3, 8))}
    yield base.refuse("integer", ("INVALID_DTYPE", "q"), "conventions.C3", "Integer queries.", inputs=whole)
