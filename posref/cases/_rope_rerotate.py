"""Cases of ``rope.rerotate``."""

from collections.abc import Iterator, Mapping
from typing import Any

from posref.cases._build import SUFFIX, Baseline, Flags, Row, grouped, integers, slug, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.cases._rope_apply import Slice, rotary
from posref.cases._rope_common import refused_ladder, refused_pairing, refused_scaling
from posref.cases._rope_scaled import llama3, longrope, refused_scalings, scaling, yarn
from posref.operation import Case, Group, Tensor

Given = tuple[int | None, Mapping[str, Any]]
"""Current length, scaling."""


@complete
def rerotate() -> Iterator[Group]:
    """Yield the cases of ``rope.rerotate``."""
    yield from grouped("rope.rerotate", _values())
    yield from _refused()


def _case(
    name: str,
    comment: str,
    k: tuple[Kind, tuple[int, ...]],
    delta: Tensor,
    where: Slice,
    *flags: str,
    start: int = 0,
    given: Given = (None, {}),
    clauses: tuple[str, ...] = ("rope.C14",),
) -> Row:
    kind, shape = k
    case_id = f"rope-rerotate-w{where[0]}-{where[1]}-b{slug(where[2])}-{name}-{SUFFIX[kind]}"
    inputs = {"k": draw(case_id, "k", shape, kind), "delta": delta}
    params = rotary(where, start, given[0], dict(given[1]) or None)
    return params, Case(case_id, comment, inputs, clauses, flags)


def _one(delta: int) -> Tensor:
    return integers((delta,), ())


TURNED = ("shift-missing", "double-rotation", "rotation-sign")
BACK = (*TURNED, "unsigned-position", "negative-position")


def _values() -> Iterator[Row]:
    yield from _whole()
    yield from _partial()
    yield from _per_token()
    yield from _scaled()


def _whole() -> Iterator[Row]:
    half, adjacent = (8, "half", 10000.0), (8, "adjacent", 500000.0)
    text = "All keys two tokens back, as after an eviction."
    kinds: tuple[Kind, ...] = ("bfloat16", "float32", "float64")
    for kind in kinds:
        yield _case("back", text, (kind, (5, 8)), _one(-2), half, *BACK, "pairing", "frequency-exponent")
    flags: Flags = (*TURNED, "pairing", "fixed-base", "frequency-exponent")
    yield _case("forth", "All keys forth.", ("bfloat16", (3, 8)), _one(7), adjacent, *flags)
    yield _case("forth", "All keys forth.", ("float64", (3, 8)), _one(4097), adjacent, *flags)
    text = "A shift of 0 moves nothing."
    yield _case("zero", text, ("float32", (3, 8)), _one(0), half, "position-zero")
    text = "A usual head; the shift of half a window."
    wide = (64, "half", 500000.0)
    flags = (*BACK, "pairing", "fixed-base", "frequency-exponent")
    yield _case("window", text, ("bfloat16", (2, 64)), _one(-2048), wide, *flags)
    text = "A shift that bfloat16 does not hold."
    flags = (*TURNED, "position-rounding")
    yield _case("odd", text, ("bfloat16", (3, 8)), _one(257), half, *flags)
    yield _case("odd", text, ("float32", (3, 8)), _one(-4099), half, *BACK, "position-rounding")
    text = "A million turns of a pair whose angle is the shift."
    pair = (2, "half", 10000.0)
    yield _case("turns", text, ("bfloat16", (3, 2)), _one(-8_388_607), pair, "angle-reduction", *BACK)
    text = "The farthest shift: only float64 can resolve it."
    yield _case("far", text, ("float64", (3, 8)), _one(-(2**53)), half, *BACK)
    text = "A single pair."
    yield _case("pair", text, ("bfloat16", (4, 2)), _one(-5), (2, "half", 10000.0), *BACK)
    yield _case("pair", text, ("float32", (4, 2)), _one(3), (2, "adjacent", 10000.0), *TURNED)
    yield _case("empty", "No token.", ("bfloat16", (0, 8)), _one(-3), half, "empty")


def _partial() -> Iterator[Row]:
    text = "Half of the head was rotated, and half is rotated again."
    flags: Flags = (*BACK, "pass-through", "frequency-width", "pairing")
    clauses = ("rope.C14", "rope.C6")
    part = (4, "half", 10000.0)
    yield _case("part", text, ("bfloat16", (3, 8)), _one(-2), part, *flags, clauses=clauses)
    part = (4, "adjacent", 500000.0)
    yield _case("part", text, ("float64", (3, 10)), _one(-9), part, *flags, "fixed-base", clauses=clauses)
    text = "A slice inside the head."
    flags = (*TURNED, "pass-through", "slice-start", "pairing")
    part = (6, "half", 10000.0)
    yield _case("middle", text, ("float32", (4, 12)), _one(11), part, *flags, start=3, clauses=clauses)
    part = (4, "adjacent", 10000.0)
    yield _case("end", text, ("bfloat16", (3, 9)), _one(3), part, *flags, start=5, clauses=clauses)


def _per_token() -> Iterator[Row]:
    half = (8, "half", 10000.0)
    text = "Survivors of an eviction close ranks: each token has a shift of its own."
    flags: Flags = (*BACK, "token-shift")
    shifts = integers((0, -1, -1, -4, -300))
    yield _case("ranks", text, ("bfloat16", (5, 8)), shifts, half, *flags)
    yield _case("ranks", text, ("float64", (5, 8)), shifts, half, *flags)
    text = "Two rows of a batch, merged into one cache."
    batch = integers((0, 5, 3, 5), (2, 1, 2))
    where = (4, "adjacent", 10000.0)
    flags = (*TURNED, "token-shift", "pairing")
    yield _case("batch", text, ("float32", (2, 3, 2, 4)), batch, where, *flags)
    wide = integers((0, 5, -2, 3, 5, 4), (2, 1, 3))
    text = "Two rows, more tokens than rows."
    yield _case("rows", text, ("bfloat16", (2, 2, 3, 4)), wide, where, *flags)
    text = "A token of each row, each with a shift of its own."
    apart = integers((-3, 6), (2, 1, 1))
    yield _case("single", text, ("bfloat16", (2, 3, 1, 4)), apart, where, *TURNED, "pairing")
    text = "The same shifts for both rows and all heads."
    yield _case("heads", text, ("bfloat16", (2, 1, 3, 4)), integers((2, -7, 1)), where, *flags)
    yield _case("empty-tokens", "No token.", ("float32", (0, 8)), integers(()), half, "empty")


def _scaled() -> Iterator[Row]:
    half, clauses = (8, "half", 10000.0), ("rope.C14", "rope.C8")
    text = "The magnitude factor is in the keys already: the shift keeps their size."
    again = (*BACK, "magnitude-again", "scaling-ignored")
    given: Given = (None, yarn(4.0, 4096))
    for kind, delta in (("bfloat16", -700), ("float64", -5001)):
        k: Any = (kind, (3, 8))
        yield _case("yarn", text, k, _one(delta), half, *again, given=given, clauses=clauses)
    text = "A shift of 0 moves nothing, and scales nothing."
    flags: Flags = ("position-zero", "magnitude-again")
    size: tuple[Kind, tuple[int, ...]] = ("float32", (3, 8))
    yield _case("yarn-zero", text, size, _one(0), half, *flags, given=given, clauses=clauses)
    text = "A part of the head; a factor that the configuration gives."
    own = yarn(40.0, 4096, attention_factor=0.75, mscale_rule=None)
    flags = (*TURNED, "magnitude-again", "scaling-ignored", "pass-through", "slice-start")
    yield _case(
        "yarn-own",
        text,
        ("bfloat16", (3, 11)),
        _one(900),
        half,
        *flags,
        start=2,
        given=(None, own),
        clauses=clauses,
    )
    text = "Interpolated frequencies."
    flags = (*BACK, "scaling-ignored")
    given = (None, scaling("linear", factor=4.0))
    yield _case("linear", text, ("float32", (3, 8)), _one(-33), half, *flags, given=given, clauses=clauses)
    where = (16, "adjacent", 500000.0)
    given = (None, llama3(8.0))
    size = ("bfloat16", (2, 16))
    yield _case("llama3", "Llama 3.1.", size, _one(-8191), where, *flags, given=given, clauses=clauses)
    given = (None, scaling("ntk", factor=3.0))
    size = ("float64", (3, 8))
    yield _case("ntk", "Another base.", size, _one(-300), half, *flags, given=given, clauses=clauses)
    given = (None, scaling("proportional", factor=8.0, partial_rotary_factor=0.5))
    text = "Half of the pairs stand still."
    size = ("bfloat16", (3, 8))
    yield _case("proportional", text, size, _one(-11), half, *flags, given=given, clauses=clauses)
    text = "Up to the trained length the ladder is the plain one."
    given = (4096, scaling("dynamic", factor=2.0, original_max_position_embeddings=4096))
    yield _case("dynamic", text, size, _one(-9), half, *BACK, given=given, clauses=clauses)
    text = "At the trained length the short list still holds; the factor is in the keys."
    given = (4096, longrope())
    yield _case("longrope", text, ("float32", (3, 8)), _one(-901), half, *again, given=given, clauses=clauses)


def _refused() -> Iterator[Group]:
    name = "rope-rerotate-invalid"
    inputs = {"k": draw(name, "k", (3, 8), "bfloat16"), "delta": integers((-2,), ())}
    base = Baseline("rope.rerotate", inputs, rotary((8, "half", 10000.0), 0))
    yield from refused_ladder(base)
    yield from refused_pairing(base)
    yield from refused_scaling(base)
    yield from refused_scalings(base)

    def lengths(case: str, comment: str, given: Mapping[str, Any], seq_len: int) -> Group:
        refusal = ("INVALID_PARAMETER", "scaling")
        return base.refuse(case, refusal, "rope.C14", comment, scaling=given, seq_len=seq_len)

    grown = scaling("dynamic", factor=2.0, original_max_position_embeddings=4096)
    text = "One token beyond the trained length the base has changed: earlier keys lie on another ladder."
    yield lengths("dynamic-grown", text, grown, 4097)
    text = "One token beyond the trained length the long list holds: earlier keys lie on another ladder."
    yield lengths("longrope-long", text, longrope(), 4097)

    def shift(case: str, kind: str, clause: str, comment: str, given: Tensor) -> Group:
        return base.refuse(case, (kind, "delta"), clause, comment, inputs={"delta": given})

    shape, clause = "INVALID_SHAPE", "rope.C14"
    yield shift("short", shape, clause, "2 shifts, 3 tokens.", integers((1, 2)))
    text = "One shift with a token axis: that axis is not broadcast."
    yield shift("one-shift", shape, clause, text, integers((5,)))
    text = "Shifts with a batch axis that the keys have not."
    yield shift("enlarging", shape, clause, text, integers(range(6), (2, 3)))
    fractional = tensor("float64", (0.5,), ())
    yield shift("fractional", "INVALID_DTYPE", "conventions.C4", "Half a token.", fractional)
    boolean = tensor("bool", (1, 0, 1))
    yield shift("boolean", "INVALID_DTYPE", "conventions.C4", "A mask of keys to move.", boolean)
    far = integers((2**53 + 1,), ())
    yield shift("above-limit", "OUT_OF_RANGE", "conventions.C4", "One beyond 2^53.", far)
    one = {"k": draw(name, "k", (8,), "bfloat16")}
    yield base.refuse("rank", (shape, "k"), "conventions.C5", "No token axis.", inputs=one)
    one = {"k": integers(range(24), (3, 8))}
    yield base.refuse("integer", ("INVALID_DTYPE", "k"), "conventions.C3", "Integers.", inputs=one)
