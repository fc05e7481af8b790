"""Cases of ``rope.inv_freq``, ``rope.cos_sin`` and ``rope.matrix``."""

from collections.abc import Iterator
from math import inf

from posref.cases._build import Baseline, Row, grouped, integers, slug, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._rope_common import refused_ladder, refused_pairing, refused_positions
from posref.operation import Case, Group, Tensor


@complete
def inv_freq() -> Iterator[Group]:
    """Yield the cases of ``rope.inv_freq``."""
    yield from grouped("rope.inv_freq", _ladders())
    yield from refused_ladder(Baseline("rope.inv_freq", {}, {"rotary_dim": 8, "base": 10000.0}))


def _ladder(width: int, base: float, comment: str) -> Row:
    if width == 2:
        flags: tuple[str, ...] = ("width-2",)
    else:
        flags = ("frequency-exponent", "ladder-end", *(() if base == 10000.0 else ("fixed-base",)))
    case_id = f"rope-inv-freq-w{width}-b{slug(base)}"
    return {"rotary_dim": width, "base": base}, Case(case_id, comment, {}, ("rope.C1",), flags)


def _ladders() -> Iterator[Row]:
    yield _ladder(2, 10000.0, "One pair: frequency 1.")
    yield _ladder(2, 500000.0, "One pair: frequency 1 whatever the base.")
    yield _ladder(4, 10000.0, "1 and exactly 1/100.")
    yield _ladder(4, 1e7, "A square root that is not rational.")
    yield _ladder(6, 500000.0, "Cube roots.")
    yield _ladder(6, 160000.5, "A base that is no integer.")
    yield _ladder(8, 10000.0, "1, 1/10, 1/100, 1/1000.")
    yield _ladder(8, 65536.0, "Powers of 1/16, all exact.")
    yield _ladder(12, 1e7, "Sixth roots.")
    yield _ladder(20, 10000.0, "A quarter of a head of 80.")
    yield _ladder(32, 2.5, "A base near 1: all frequencies of one size.")
    yield _ladder(32, 10000.0, "Partial rotation of published models.")
    yield _ladder(64, 10000.0, "A usual head.")
    yield _ladder(64, 500000.0, "A usual head, the base of newer models.")
    yield _ladder(64, 150000.0, "A published base that is no power of ten.")
    yield _ladder(80, 10000.0, "A width that is no power of two.")
    yield _ladder(80, 1e7, "The same with a long-context base.")
    yield _ladder(96, 10000.0, "A width that is no power of two.")
    yield _ladder(96, 160000.5, "The same, a base that is no integer.")
    yield _ladder(128, 10000.0, "The usual head of big models.")
    yield _ladder(128, 500000.0, "The same, the base of newer models.")
    yield _ladder(128, 1e6, "The same, another published base.")
    yield _ladder(128, 1e7, "The same with a long-context base.")
    yield _ladder(256, 1e6, "The widest published head.")


@complete
def cos_sin() -> Iterator[Group]:
    """Yield the cases of ``rope.cos_sin``."""
    yield from grouped("rope.cos_sin", _tables())
    inputs = {"positions": integers((1, 2, 3)), "inv_freq": tensor("float32", (1.0, 0.25))}
    base = Baseline("rope.cos_sin", inputs, {"attention_factor": 1.0})
    yield from refused_positions(base, fractional=True)
    yield from _tables_refused(base)


def _table(
    name: str,
    comment: str,
    positions: Tensor,
    inv_freq: Tensor | tuple[int, Kind],
    *flags: str,
    clauses: tuple[str, ...] = ("rope.C3",),
    factor: float = 1.0,
) -> Row:
    case_id = f"rope-cos-sin-{name}"
    if not isinstance(inv_freq, Tensor):
        inv_freq = draw(case_id, "inv_freq", (inv_freq[0],), inv_freq[1])
    inputs = {"positions": positions, "inv_freq": inv_freq}
    return {"attention_factor": factor}, Case(case_id, comment, inputs, clauses, flags)


TENTHS = (1.0, 0.1, 0.01, 0.001)
FOUR = tensor("float64", TENTHS)
SINGLE = tensor("float32", (1.0, 13421773 * 2.0**-27, 10737418 * 2.0**-30, 8589935 * 2.0**-33))
"""The same rounded to float32."""


def _tables() -> Iterator[Row]:
    yield from _tables_near()
    yield from _tables_far()
    yield from _tables_factor()
    yield from _tables_shape()


def _tables_near() -> Iterator[Row]:
    moved = ("restarted-positions", "shifted-position", "sine-cosine-order", "rotation-sign")
    yield _table(
        "from-0",
        "Positions from 0: the first row is 1 and 0 exactly.",
        integers(range(8)),
        SINGLE,
        "position-zero",
        "shifted-position",
        "sine-cosine-order",
        "rotation-sign",
    )
    yield _table(
        "near", "Drawn frequencies in full float64.", integers((1, 2, 3, 5, 7, 11, 13)), (5, "float64")
    )
    yield _table("offset", "A chunk of a prompt.", integers(range(40, 47)), FOUR, *moved)
    yield _table(
        "negative",
        "Negative positions: the sine changes its sign, the cosine does not.",
        integers((-1, -2, -17, -257, 4)),
        SINGLE,
        "negative-position",
        "unsigned-position",
        *moved,
        clauses=("rope.C3", "rope.C11"),
    )
    yield _table(
        "fractional",
        "Fractions, exact and not, of both signs.",
        tensor("float64", (0.5, 0.1, 2.75, -3.3, 1000.625)),
        FOUR,
        "fractional-position",
        "truncated-position",
        clauses=("rope.C3", "rope.C11"),
    )
    yield _table(
        "fractional-f32",
        "Fractions handed over as float32, as interpolation makes them.",
        tensor("float32", (0.25, 7.5, -0.125, 31.0625, 511.5)),
        SINGLE,
        "fractional-position",
        "truncated-position",
        clauses=("rope.C11",),
    )
    odd = tensor("float64", (0.0, -0.3, 2.5, 1.0))
    yield _table(
        "any-frequency",
        "Frequencies of no ladder: zero, negative, above 1.",
        integers((1, 2, 9)),
        odd,
        "shifted-position",
        "sine-cosine-order",
        "rotation-sign",
        clauses=("rope.C3", "rope.C12", "conventions.C3"),
    )


def _tables_far() -> Iterator[Row]:
    below = integers([2**n - 1 for n in range(9, 21)])
    above = integers([2**n + 1 for n in range(9, 21)])
    rounded = ("position-rounding", "angle-rounding", "sine-cosine-order", "rotation-sign")
    yield _table("below-powers", "One below the powers 2^9 to 2^20.", below, SINGLE, *rounded)
    yield _table("above-powers", "One above the powers 2^9 to 2^20.", above, FOUR, *rounded)
    yield _table(
        "neighbours",
        "Consecutive positions far out: in a half format they collapse.",
        integers(range(65536, 65544)),
        SINGLE,
        *rounded,
        "restarted-positions",
    )
    yield _table(
        "far",
        "Beyond a million and at 2^31 - 1; the fast columns only float64 can resolve.",
        integers((1_000_003, 2**31 - 1)),
        (6, "float64"),
    )
    yield _table("near-zeros", "Near multiples of pi and pi/2.", integers((7, 11, 22, 355, 103_993)), SINGLE)
    yield _table(
        "near-zeros-far",
        "Near multiples of pi at up to 2^53: only float64 can resolve them.",
        integers((245_850_922, 6_134_899_525_417_045, 2**53, -(2**53))),
        tensor("float64", (1.0, 0.5)),
        clauses=("rope.C3", "conventions.C1", "conventions.C4"),
    )


def _tables_factor() -> Iterator[Row]:
    flags = ("magnitude", "sine-cosine-order", "rotation-sign")
    near = integers((0, 1, 5, 12, 77))
    yield _table("factor", "A factor of 1 + 0.1 ln 4.", near, SINGLE, *flags, factor=1.1386294361119891)
    yield _table("factor-half", "A factor below 1.", near, FOUR, *flags, factor=0.5)
    yield _table("factor-large", "A big factor, drawn frequencies.", near, (3, "float32"), *flags, factor=2.7)


def _tables_shape() -> Iterator[Row]:
    yield _table("w64", "A usual head.", integers((3, 300, 5001)), (32, "float32"), "position-rounding")
    yield _table("w80", "40 pairs.", integers((7, 1025)), (40, "float64"), "sine-cosine-order")
    yield _table("w96", "48 pairs.", integers((21, 4097)), (48, "float32"), "sine-cosine-order")
    yield _table("w128", "64 pairs.", integers((11, 2049)), (64, "float64"), "sine-cosine-order")
    yield _table("one-pair", "A single frequency.", integers((1, 3)), (1, "float32"), "sine-cosine-order")
    yield _table(
        "batch",
        "Left-padded rows with a head axis: each has positions of its own.",
        integers((3, 4, 5, 0, 1, 2), (2, 1, 3)),
        SINGLE,
        "batch-rows",
        clauses=("rope.C3", "rope.C11", "conventions.C5"),
    )
    yield _table(
        "batch-single",
        "One token a row, two rows that differ.",
        integers((5, 9), (2, 1)),
        FOUR,
        "batch-rows",
        "restarted-positions",
    )
    yield _table("empty", "No token: tables of shape (0, 3).", integers(()), (3, "float32"), "empty")


def _tables_refused(base: Baseline) -> Iterator[Group]:
    def refuse(name: str, kind: str, clause: str, comment: str, value: Tensor) -> Group:
        return base.refuse(name, (kind, "inv_freq"), clause, comment, inputs={"inv_freq": value})

    matrix = tensor("float32", (1.0, 0.5, 0.25), (1, 3))
    yield refuse("frequency-rank", "INVALID_SHAPE", "rope.C12", "Frequencies as a row.", matrix)
    yield refuse("no-frequency", "INVALID_SHAPE", "rope.C12", "No frequency.", tensor("float32", ()))
    yield refuse(
        "infinite-frequency", "INVALID_PARAMETER", "conventions.C3", "1/0.", tensor("float32", (1.0, inf))
    )
    yield refuse("integer-frequency", "INVALID_DTYPE", "conventions.C3", "Integers.", integers((1, 2)))
    factor = ("INVALID_PARAMETER", "attention_factor")
    yield base.refuse("zero-factor", factor, "rope.C3", "Everything would vanish.", attention_factor=0.0)
    yield base.refuse("negative-factor", factor, "rope.C3", "A half turn in disguise.", attention_factor=-1.0)
    missing = ("MISSING_PARAMETER", "attention_factor")
    text = "Null is not given: no factor is computed here."
    yield base.refuse("null-factor", missing, "conventions.C6", text, attention_factor=None)


@complete
def matrix() -> Iterator[Group]:
    """Yield the cases of ``rope.matrix``."""
    yield from grouped("rope.matrix", _matrices())
    params = {"rotary_dim": 4, "base": 10000.0, "pairing": "half"}
    base = Baseline("rope.matrix", {"positions": integers((1, 2, 3))}, params)
    yield from refused_ladder(base)
    yield from refused_pairing(base)
    yield from refused_positions(base, fractional=False)


def _matrix(
    width: int,
    pairing: str,
    base: float,
    positions: Tensor,
    comment: str,
    *flags: str,
    name: str = "near",
    clauses: tuple[str, ...] = ("rope.C10",),
) -> Row:
    params = {"rotary_dim": width, "base": base, "pairing": pairing}
    case_id = f"rope-matrix-w{width}-{pairing}-b{slug(base)}-{name}"
    return params, Case(case_id, comment, {"positions": positions}, clauses, flags)


def _matrices() -> Iterator[Row]:
    near, moved = integers((1, 2, 5)), ("restarted-positions", "shifted-position", "rotation-sign")
    most = ("pairing", "frequency-exponent", *moved)
    for pairing in ("adjacent", "half"):
        yield _matrix(2, pairing, 10000.0, near, "One pair: the plane rotation.", "width-2", *moved)
        yield _matrix(4, pairing, 10000.0, near, "Two pairs.", *most)
    first = integers((0, 1, 7))
    yield _matrix(
        4, "half", 1e7, first, "From 0: the identity first.", "position-zero", "pairing", name="from-0"
    )
    yield _matrix(6, "half", 10000.0, near, "Three pairs.", *most)
    yield _matrix(6, "adjacent", 160000.5, near, "A base that is no integer.", *most, "fixed-base")
    yield _matrix(8, "adjacent", 500000.0, integers((3, 9)), "Four pairs.", *most, "fixed-base")
    yield _matrix(8, "half", 10000.0, integers((31, 33)), "Around 2^5.", *most)
    yield _matrix(12, "half", 500000.0, integers((2,)), "Wider.", *most, "fixed-base")
    yield _matrix(12, "adjacent", 10000.0, integers((4,)), "Wider.", *most)
    back = integers((-1, -6, 3))
    negative = ("negative-position", "unsigned-position", "rotation-sign", "pairing")
    clauses = ("rope.C10", "rope.C11")
    yield _matrix(6, "half", 500000.0, back, "Both directions.", *negative, name="negative", clauses=clauses)
    yield _matrix(
        4, "adjacent", 10000.0, back, "Both directions.", *negative, name="negative", clauses=clauses
    )
    rounded = ("position-rounding", "rotation-sign", "pairing")
    powers = integers((257, 1025, 2049, 4097, 32769))
    yield _matrix(4, "adjacent", 500000.0, powers, "Above powers of two.", *rounded, name="powers")
    below = integers((511, 8191, 131071))
    yield _matrix(6, "half", 10000.0, below, "Below powers of two.", "rotation-sign", name="powers")
    far = integers((1_000_003, 2**31 - 1, 6_134_899_525_417_045))
    yield _matrix(4, "half", 10000.0, far, "Only float64 can resolve it.", name="far")
    rows = integers((3, 4, 5, 1, 2, 3), (2, 1, 3))
    clauses = ("rope.C10", "conventions.C5")
    yield _matrix(4, "half", 10000.0, rows, "Left padding.", "batch-rows", name="batch", clauses=clauses)
    single = integers((5, 9), (2, 1))
    yield _matrix(6, "adjacent", 10000.0, single, "One token a row.", "batch-rows", name="batch-single")
    yield _matrix(4, "adjacent", 10000.0, integers(()), "No token.", "empty", name="empty")
