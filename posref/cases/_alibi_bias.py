"""Cases of ``alibi.bias``."""

from collections.abc import Iterator, Mapping
from math import inf

from posref.cases._build import Baseline, Row, grouped, integers, tensor
from posref.cases._draw import Kind, draw
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor


@complete
def bias() -> Iterator[Group]:
    """Yield the cases of ``alibi.bias``."""
    yield from grouped("alibi.bias", _biases())
    yield from _biases_refused()


def _bias(
    name: str,
    comment: str,
    choice: tuple[str, str],
    positions: tuple[Tensor, Tensor],
    slopes: Tensor | tuple[int, Kind],
    *flags: str,
    clauses: tuple[str, ...] = ("alibi.C5",),
) -> Row:
    case_id = f"alibi-bias-{name}"
    if not isinstance(slopes, Tensor):
        slopes = draw(case_id, "slopes", (slopes[0],), slopes[1])
    inputs = {"q_positions": positions[0], "k_positions": positions[1], "slopes": slopes}
    return {"form": choice[0], "future": choice[1]}, Case(case_id, comment, inputs, clauses, flags)


def _biases() -> Iterator[Row]:
    yield from _biases_near()
    yield from _biases_offset()
    yield from _biases_far()
    yield from _biases_batch()
    yield from _biases_models()


PUBLISHED = tensor("float32", (0.5, 0.25, 0.125, 0.0625, 0.03125))
FORMS = ("neg_distance", "neg_abs", "key_index")


def _biases_near() -> Iterator[Row]:
    first, more = integers(range(5)), integers(range(7))
    for form in FORMS:
        flags = ("bias-form", "bias-sign", "slope-heads")
        short = form.replace("_", "-")
        yield _bias(
            f"{short}-keep",
            "Fewer queries than keys, five heads; future keys keep their value.",
            (form, "keep"),
            (first, more),
            (5, "float32"),
            *flags,
            "future-masked",
            clauses=("alibi.C5", "alibi.C6"),
        )
        yield _bias(
            f"{short}-neg-inf",
            "Fewer queries than keys, three heads; future keys are banned.",
            (form, "neg_inf"),
            (integers(range(4, 10)), integers(range(8))),
            (3, "float64"),
            *(flag for flag in flags if flag != "bias-form"),
            "future-kept",
            "mask-strict",
            clauses=("alibi.C5", "alibi.C6", "conventions.C3"),
        )


def _biases_offset() -> Iterator[Row]:
    decode = ("cross-lengths", "restarted-positions", "bias-sign", "slope-heads", "decode-bias")
    yield _bias(
        "decode",
        "One query at position 11 against twelve keys: not slope times 0.",
        ("neg_distance", "neg_inf"),
        (integers((11,)), integers(range(12))),
        PUBLISHED,
        *decode,
    )
    yield _bias(
        "decode-abs",
        "The same with the symmetric form, keys on both sides of the query.",
        ("neg_abs", "keep"),
        (integers((7,)), integers(range(12))),
        (4, "float32"),
        *decode,
        "end-alignment",
        "future-masked",
    )
    yield _bias(
        "chunk",
        "A chunk of a prompt: queries 40 to 43, keys 37 to 46.",
        ("neg_distance", "keep"),
        (integers(range(40, 44)), integers(range(37, 47))),
        (3, "float32"),
        "cross-lengths",
        "restarted-positions",
        "bias-sign",
        "future-masked",
    )
    yield _bias(
        "negative",
        "Negative positions on both sides.",
        ("neg_abs", "keep"),
        (integers((-3, -1, 2)), integers((-7, 0, 5, -2))),
        (5, "float64"),
        "negative-position",
        "unsigned-position",
        "restarted-positions",
        "bias-sign",
        clauses=("alibi.C5", "conventions.C4"),
    )
    yield _bias(
        "negative-key-index",
        "Negative keys with the key form.",
        ("key_index", "neg_inf"),
        (integers((-3, 4)), integers((-7, 0, 4, -2, 5))),
        (3, "float32"),
        "negative-position",
        "unsigned-position",
        "restarted-positions",
        "future-kept",
        "mask-strict",
    )


def _biases_far() -> Iterator[Row]:
    yield _bias(
        "long-range",
        "Distances up to 5000: the penalty stays proportional.",
        ("neg_distance", "neg_inf"),
        (integers((5000, 4097, 2049)), integers((0, 1, 257, 1023, 2047, 4095))),
        PUBLISHED,
        "bias-sign",
        "restarted-positions",
        "position-rounding",
        "slope-heads",
        clauses=("alibi.C5", "alibi.C7"),
    )
    yield _bias(
        "powers",
        "Neighbours of powers of two up to 2^20; float16 overflows and is left out.",
        ("key_index", "keep"),
        (integers((2**20 + 1, 3)), integers([2**n + (-1) ** n for n in range(5, 21)])),
        (3, "float32"),
        "bias-form",
        "restarted-positions",
        clauses=("alibi.C5", "alibi.C8", "conventions.C2"),
    )
    yield _bias(
        "far",
        "Positions near 2^31 and a million apart; slopes of both signs and of no published rule.",
        ("neg_abs", "keep"),
        (integers((2**31 - 1, 1_000_003)), integers((2**31 - 2, 1_000_000, 1_000_005, 0))),
        tensor("float64", (0.1, -0.75, 3.0)),
        "bias-sign",
        "restarted-positions",
        clauses=("alibi.C8", "conventions.C2"),
    )


def _biases_batch() -> Iterator[Row]:
    yield _bias(
        "batch",
        "Left-padded rows: each has positions of its own, four heads.",
        ("neg_distance", "neg_inf"),
        (
            integers((4, 5, 6, 1, 2, 3), (2, 3)),
            integers((0, 1, 2, 3, 4, 5, 6, 1, 1, 1, 0, 1, 2, 3), (2, 7)),
        ),
        (4, "float32"),
        "batch-rows",
        "bias-sign",
        "future-kept",
        "mask-strict",
        clauses=("alibi.C5", "conventions.C5"),
    )
    yield _bias(
        "batch-single",
        "One query a row, two rows that differ, keys shared.",
        ("neg_abs", "keep"),
        (integers((9, 4), (2, 1)), integers(range(7))),
        (3, "float64"),
        "batch-rows",
        "bias-sign",
        "cross-lengths",
    )
    yield _bias(
        "batch-index",
        "Two rows of keys that differ, the index of the key as the multiple.",
        ("key_index", "keep"),
        (integers((2, 3)), integers((0, 1, 2, 3, 3, 4, 5, 6), (2, 4))),
        (3, "float32"),
        "batch-rows",
        "bias-sign",
        "bias-form",
        clauses=("alibi.C5", "conventions.C5"),
    )
    yield _bias(
        "one-head",
        "A single head, as one rank of many holds it.",
        ("key_index", "neg_inf"),
        (integers((3, 6)), integers(range(8))),
        (1, "float32"),
        "bias-sign",
        "future-kept",
        "mask-strict",
    )
    empty = integers(())
    yield _bias(
        "no-queries", "No query.", ("neg_abs", "keep"), (empty, integers(range(3))), (3, "float32"), "empty"
    )
    yield _bias(
        "no-keys", "No key.", ("neg_distance", "neg_inf"), (integers((4, 5)), empty), (3, "float64"), "empty"
    )


def _biases_refused() -> Iterator[Group]:
    inputs: Mapping[str, Tensor] = {
        "q_positions": integers((3, 4)),
        "k_positions": integers(range(5)),
        "slopes": PUBLISHED,
    }
    base = Baseline("alibi.bias", inputs, {"form": "neg_abs", "future": "keep"})
    for name in ("q_positions", "k_positions"):
        side, half = name[0], {name: tensor("float64", (0.5, 2.0))}
        refusal = ("INVALID_DTYPE", name)
        yield base.refuse(
            f"{side}-fractional", refusal, "conventions.C4", "A fractional position.", inputs=half
        )
        beyond = {name: integers((2**53 + 1, 0))}
        yield base.refuse(
            f"{side}-limit", ("OUT_OF_RANGE", name), "conventions.C4", "One beyond 2^53.", inputs=beyond
        )
    yield base.refuse(
        "rows",
        ("INVALID_SHAPE", "k_positions"),
        "conventions.C5",
        "Two rows of queries, three of keys.",
        inputs={
            "q_positions": integers((3, 4, 5, 6), (2, 2)),
            "k_positions": integers(range(6), (3, 2)),
        },
    )
    yield base.refuse(
        "slopes-rank",
        ("INVALID_SHAPE", "slopes"),
        "alibi.C8",
        "Slopes as a column.",
        inputs={"slopes": tensor("float32", (0.5, 0.25, 0.125), (3, 1))},
    )
    yield base.refuse(
        "slopes-infinite",
        ("INVALID_PARAMETER", "slopes"),
        "alibi.C8",
        "An infinite slope.",
        inputs={"slopes": tensor("float32", (0.5, inf))},
    )
    yield base.refuse(
        "slopes-integer",
        ("INVALID_DTYPE", "slopes"),
        "conventions.C3",
        "Integer slopes.",
        inputs={"slopes": integers((1, 2, 3))},
    )
    missing, unknown = "MISSING_PARAMETER", "INVALID_PARAMETER"
    comment = "A convention left out."
    yield base.refuse("no-form", (missing, "form"), "conventions.C6", comment, without=("form",))
    yield base.refuse("no-future", (missing, "future"), "conventions.C6", comment, without=("future",))
    comment = "A convention of no name here."
    yield base.refuse("unknown-form", (unknown, "form"), "conventions.C6", comment, form="distance")
    yield base.refuse("unknown-future", (unknown, "future"), "conventions.C6", comment, future="zero")


def _biases_models() -> Iterator[Row]:
    eight = tensor("float32", tuple(2.0**-k for k in range(1, 9)))
    yield _bias(
        "bloom",
        "As BLOOM builds it: eight heads, keys counted from 0, future keys keep their value.",
        ("key_index", "keep"),
        (integers(range(3, 6)), integers(range(6))),
        eight,
        "bias-form",
    )
    yield _bias(
        "mpt-decode",
        "As MPT builds it: eight heads, one query at the last key.",
        ("neg_distance", "keep"),
        (integers((10,)), integers(range(11))),
        eight,
        "bias-sign",
    )
