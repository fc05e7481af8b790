"""Cases of the operations in `spec/schemes/xpos.md`."""

from collections.abc import Iterator
from typing import Any

from posref.cases._build import SUFFIX, Baseline, Row, grouped, integers, slug, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._rope_common import refused_ladder, refused_pairing, refused_positions
from posref.operation import Case, Group, Tensor

Decay = tuple[float, float, float]
"""Gamma, scale base, center."""

PUBLISHED: Decay = (0.4, 512.0, 0.0)
KINDS: tuple[Kind, ...] = ("bfloat16", "float32", "float64")


@complete
def scale() -> Iterator[Group]:
    """Yield the cases of ``xpos.scale``."""
    yield from grouped("xpos.scale", _scales())
    yield from _refused_scales()


def _decayed(width: int, decay: Decay) -> dict[str, Any]:
    gamma, scale_base, center = decay
    return {"rotary_dim": width, "gamma": gamma, "scale_base": scale_base, "center": center}


def _named(width: int, decay: Decay) -> str:
    """Return width and decay as they stand in an id."""
    return "-".join((f"w{width}", *(f"{mark}{slug(one)}" for mark, one in zip("gbc", decay, strict=True))))


def _scale(
    name: str,
    comment: str,
    positions: Tensor,
    width: int,
    decay: Decay,
    *flags: str,
    clauses: tuple[str, ...] = ("xpos.C1",),
) -> Row:
    case_id = f"xpos-scale-{_named(width, decay)}-{name}"
    return _decayed(width, decay), Case(case_id, comment, {"positions": positions}, clauses, flags)


SIDE = ("decay-inverted", "decay-order")
WELL = (*SIDE, "decay-width", "restarted-positions")
NEAR = (*WELL, "shifted-position")


def _scales() -> Iterator[Row]:
    text = "The published decay around position 10."
    yield _scale("near", text, integers((10, 1, 0, 255, 256)), 8, PUBLISHED, *NEAR, "position-zero")
    text = "Far positions."
    far = (*WELL, "position-rounding")
    yield _scale("far", text, integers((4099, 2051, 16447)), 16, PUBLISHED, *far)
    text = "A usual width."
    yield _scale("wide", text, integers((600, 599)), 64, PUBLISHED, *WELL)
    text = "Positions before the origin: scales above 1."
    before = (*SIDE, "negative-position", "unsigned-position")
    yield _scale("before", text, integers((-1, -300, -4097)), 8, PUBLISHED, *before)
    text = "Centered: scale 1 at the center, not at 0."
    centered = (*SIDE, "decay-center", "position-zero")
    yield _scale("centered", text, integers((0, 8, 15, 16, 17)), 8, (0.4, 512.0, 16.0), *centered)
    text = "A center between two tokens."
    yield _scale("between", text, integers((0, 5, 9)), 6, (0.4, 512.0, 4.5), *centered)
    text = "A center before the origin."
    yield _scale("early", text, integers((0, 1, 70)), 4, (0.4, 64.0, -100.0), *centered, "decay-base")
    text = "A base that is no power of two."
    yield _scale("base", text, integers((3, 12, 700)), 8, (0.4, 100.0, 0.0), *NEAR, "decay-base")
    text = "Another gamma."
    yield _scale("gamma", text, integers((3, 130, 900)), 8, (1.0, 512.0, 0.0), *WELL, "decay-gamma")
    yield _scale("gamma", text, integers((3, 130)), 10, (0.1, 300.0, 1.0), *SIDE, "decay-gamma", "decay-base")
    text = "Whole octaves: the first scale is a power of two."
    yield _scale("octaves", text, integers((0, 1, 3, -2)), 2, (1.0, 1.0, 0.0), "decay-inverted", "decay-base")
    text = "Nearly no decay at all."
    yield _scale("slow", text, integers((2**40, 2**41 + 1)), 6, (0.4, 2.0**40, 0.0), *SIDE, "decay-base")
    text = "The smallest normal number of binary64, 2^-1022, and a scale of 2^120."
    yield _scale("range", text, integers((1022, -120)), 2, (1.0, 1.0, 0.0), "decay-inverted")
    text = "Rows of a batch."
    rows = integers((0, 1, 2, 30, 31, 32), (2, 3))
    yield _scale("batch", text, rows, 8, PUBLISHED, "batch-rows", *SIDE)
    yield _scale("pair", "A single pair.", integers((7, 1000)), 2, PUBLISHED, "decay-inverted")
    yield _scale("empty", "No token.", integers(()), 8, PUBLISHED, "empty")


def _refused_decay(base: Baseline, limit: str) -> Iterator[Group]:
    """Yield decays, and the positions that leave the range of `limit`."""

    def refuse(name: str, parameter: str, comment: str, **wrong: Any) -> Group:
        return base.refuse(name, ("INVALID_PARAMETER", parameter), "xpos.C1", comment, **wrong)

    yield refuse("gamma-0", "gamma", "The first pair would vanish.", gamma=0.0)
    yield refuse("negative-gamma", "gamma", "A base below 0.", gamma=-0.4)
    yield refuse("scale-base-0", "scale_base", "No tokens per unit.", scale_base=0.0)
    yield refuse("negative-scale-base", "scale_base", "A decay that grows.", scale_base=-512.0)
    for name in ("gamma", "scale_base", "center"):
        short, missing = name.replace("_", "-"), ("MISSING_PARAMETER", name)
        yield base.refuse(f"no-{short}", missing, "conventions.C6", "Left out.", without=(name,))
    refusal, clause = ("OUT_OF_RANGE", "positions"), "xpos.C1"
    text = f"{limit} of a scale: the first pair's base to the power of 10^6 / 512 or so."
    far = {"positions": integers((1, 2, 10**6))}
    yield base.refuse("underflow", refusal, clause, text, inputs=far)
    far = {"positions": integers((1, -(10**6), 2))}
    yield base.refuse("overflow", refusal, clause, text, inputs=far)
    text = "A base of a few tokens: one token beyond the smallest normal number."
    octave: dict[str, Any] = {"gamma": 1.0, "scale_base": 1.0, "rotary_dim": 2}
    far = {"positions": integers((1, 2, 1023))}
    yield base.refuse("below-normal", refusal, clause, text, inputs=far, **octave)
    far = {"positions": integers((-1024, 2, 3))}
    yield base.refuse("above-range", refusal, clause, text, inputs=far, **octave)


def _refused_scales() -> Iterator[Group]:
    base = Baseline("xpos.scale", {"positions": integers((1, 2, 3))}, _decayed(8, PUBLISHED))
    for group in refused_ladder(base):
        (case,) = group.cases
        if "base" not in case.id:
            yield group
    yield from _refused_decay(base, "Under- or overflow")
    yield from _positions(base)


def _positions(base: Baseline) -> Iterator[Group]:
    """Yield the positions that are refused; xpos has no fractional ones."""
    for group in refused_positions(base, fractional=True):
        (case,) = group.cases
        if not case.id.endswith("infinite"):
            yield group
    half = {"positions": tensor("float64", (0.5, 1.5, 2.5))}
    refusal = ("INVALID_DTYPE", "positions")
    yield base.refuse("fractional", refusal, "conventions.C4", "Fractional positions.", inputs=half)


@complete
def apply() -> Iterator[Group]:
    """Yield the cases of ``xpos.apply``."""
    yield from grouped("xpos.apply", _applied())
    yield from _refused()


Slice = tuple[int, str, float]
"""Rotated width, pairing, base."""


def _params(role: str, where: Slice, decay: Decay) -> dict[str, Any]:
    return {"role": role, **_decayed(where[0], decay), "base": where[2], "pairing": where[1]}


def _case(
    name: str,
    comment: str,
    x: tuple[Kind, tuple[int, ...]],
    positions: Tensor,
    where: Slice,
    decay: Decay,
    *flags: str,
    roles: tuple[str, ...] = ("query", "key"),
    clauses: tuple[str, ...] = ("xpos.C2",),
) -> Iterator[Row]:
    """Yield a case a role: keys have the fault of a reciprocal besides."""
    kind, shape = x
    for role in roles:
        case_id = f"xpos-apply-{role}-{where[1]}-b{slug(where[2])}-{_named(where[0], decay)}"
        case_id = f"{case_id}-{name}-{SUFFIX[kind]}"
        own = ("decay-key",) if role == "key" and "decay-inverted" in flags else ()
        inputs = {"x": draw(case_id, "x", shape, kind), "positions": positions}
        yield _params(role, where, decay), Case(case_id, comment, inputs, clauses, (*flags, *own))


DECAY = ("decay-missing", "decay-inverted")
ANGLE = (*DECAY, "pairing", "rotation-sign", "frequency-exponent")
TURN = (*ANGLE, "pairing-mixed")


def _turns() -> Iterator[Row]:
    text = "A million turns of a pair whose angle is the position, and hardly any decay."
    places, slow = integers((8_388_607, 4_194_301, 6_000_000)), (0.4, 2.0**24, 0.0)
    pair, flags = (2, "half", 10000.0), ("angle-reduction", "rotation-sign", "decay-base")
    yield from _case("turns", text, ("bfloat16", (3, 2)), places, pair, slow, *flags, roles=("query",))


def _applied() -> Iterator[Row]:
    half, adjacent = (8, "half", 10000.0), (8, "adjacent", 10000.0)
    text = "Queries and keys at the same positions."
    near = (*TURN, "position-zero", "shifted-position", "restarted-positions")
    for kind in KINDS:
        places = integers((0, 1, 30))
        yield from _case("near", text, (kind, (3, 8)), places, adjacent, PUBLISHED, *near)
    far = (*TURN, "position-rounding", "restarted-positions")
    text = "Far positions, as a longer context has them."
    yield from _case("far", text, ("bfloat16", (2, 8)), integers((600, 4099)), half, PUBLISHED, *far)
    yield from _turns()
    text = "Another base of the angles, another of the decay."
    where, decay = (6, "half", 500000.0), (1.0, 100.0, 0.0)
    other = (*TURN, "fixed-base", "decay-base", "decay-gamma")
    for kind in KINDS[:2]:
        yield from _case("other", text, (kind, (2, 6)), integers((77, 150)), where, decay, *other)
    text = "Centered: the center moves the scale, not the angle."
    centered = (*ANGLE, "decay-center", "decay-angle")
    decay = (0.4, 512.0, 16.0)
    for kind in KINDS[:2]:
        yield from _case("centered", text, (kind, (3, 8)), integers((0, 9, 33)), adjacent, decay, *centered)
    text = "A center between two tokens."
    decay = (0.25, 50.0, 4.5)
    yield from _case("between", text, ("float64", (2, 8)), integers((2, 9)), half, decay, *centered)
    text = "Positions before the origin."
    before = (*TURN, "negative-position", "unsigned-position")
    places = integers((-1, -70, -800))
    for kind in KINDS[:2]:
        yield from _case("before", text, (kind, (3, 8)), places, half, PUBLISHED, *before)
    text = "Part of the head: the rest neither turns nor decays."
    part = (*TURN, "pass-through", "decay-rest")
    where, clauses = (6, "half", 10000.0), ("xpos.C2", "rope.C6")
    x: Any = ("bfloat16", (3, 9))
    yield from _case("part", text, x, integers((3, 50, 300)), where, PUBLISHED, *part, clauses=clauses)
    where = (4, "adjacent", 10000.0)
    x = ("float64", (3, 7))
    yield from _case("part", text, x, integers((3, 50, 300)), where, PUBLISHED, *part, clauses=clauses)
    text = "Rows of a batch with positions of their own."
    places = integers((0, 1, 2, 26, 27, 28), (2, 1, 3))
    batch = (*DECAY, "batch-rows")
    for kind in KINDS[:2]:
        x = (kind, (2, 4, 3, 4))
        yield from _case("batch", text, x, places, where, PUBLISHED, *batch, roles=("key",))
    where, x = (4, "half", 10000.0), ("float32", (2, 4, 3, 4))
    yield from _case("batch", text, x, places, where, PUBLISHED, *batch, roles=("key",))
    text = "A token of each row."
    places = integers((5, 26), (2, 1, 1))
    x = ("bfloat16", (2, 3, 1, 4))
    yield from _case("single", text, x, places, where, PUBLISHED, *batch, roles=("query",))
    text = "A usual head."
    where = (64, "adjacent", 10000.0)
    yield from _case("head", text, ("bfloat16", (1, 64)), integers((742,)), where, PUBLISHED, *TURN)
    empty: tuple[Kind, tuple[int, ...]] = ("bfloat16", (0, 8))
    yield from _case("empty", "No token.", empty, integers(()), half, PUBLISHED, "empty", roles=("query",))


def _refused() -> Iterator[Group]:
    name = "xpos-apply-invalid"
    inputs = {"x": draw(name, "x", (3, 8), "bfloat16"), "positions": integers((1, 2, 3))}
    base = Baseline("xpos.apply", inputs, _params("query", (8, "half", 10000.0), PUBLISHED))
    yield from refused_ladder(base)
    yield from refused_pairing(base)
    yield from _refused_decay(base, "Under- or overflow")
    yield from _positions(base)
    role = "role"
    text = "The convention left out: there is no default."
    yield base.refuse("no-role", ("MISSING_PARAMETER", role), "conventions.C6", text, without=(role,))
    text = "Values are neither turned nor scaled."
    yield base.refuse("value-role", ("INVALID_PARAMETER", role), "xpos.C2", text, role="value")
    shape = "INVALID_SHAPE"
    wide = (shape, "rotary_dim")
    yield base.refuse("wide", wide, "xpos.C2", "A slice wider than the head.", rotary_dim=10)
    short = {"positions": integers((1, 2))}
    yield base.refuse("short", (shape, "positions"), "conventions.C5", "2 positions, 3 tokens.", inputs=short)
    large = {"positions": integers(range(6), (2, 3))}
    text = "Positions with a batch axis that x has not."
    yield base.refuse("enlarging", (shape, "positions"), "conventions.C5", text, inputs=large)
    one = {"x": integers(range(24), (3, 8))}
    yield base.refuse("integer", ("INVALID_DTYPE", "x"), "conventions.C3", "Integers.", inputs=one)
