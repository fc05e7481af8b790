"""Cases of ``positions.from_mask`` and ``positions.from_lengths``."""

from collections.abc import Iterator
from typing import Any

from posref.cases._build import Baseline, Row, grouped, integers, tensor
from posref.cases._refused import complete
from posref.operation import Case, Group, Tensor

Rule = tuple[str, int | None, int | None]
"""Rule, value of a pad, index of the padding row."""

RULES: tuple[Rule, ...] = (
    ("arange", None, None),
    ("cumsum", 0, None),
    ("cumsum", -3, None),
    ("roberta", None, 0),
    ("roberta", None, 3),
    ("opt", None, None),
)
LIMIT = 2**53


@complete
def from_mask() -> Iterator[Group]:
    """Yield the cases of ``positions.from_mask``."""
    yield from grouped("positions.from_mask", _masked())
    yield from _masked_refused()


def mask(*rows: str) -> Tensor:
    """Return a mask from rows of digits."""
    return integers([int(digit) for row in rows for digit in row], (len(rows), len(rows[0])))


def _mask_case(name: str, comment: str, rule: Rule, given: Tensor, *flags: str) -> Row:
    shown = "-".join(str(part).replace("-", "minus") for part in rule if part is not None)
    params = {"rule": rule[0], "pad_value": rule[1], "padding_idx": rule[2]}
    inputs = {"attention_mask": given}
    return params, Case(
        f"positions-from-mask-{shown}-{name}", comment, inputs, ("positions.C4",), _legal(rule, flags)
    )


def _legal(rule: Rule, flags: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out what the rule cannot show: the plain count sees no mask, a cumulative sum no offset."""
    if rule[0] == "arange":
        return tuple(flag for flag in flags if flag in ("empty", "all-padding", "shifted-position"))
    return tuple(flag for flag in flags if flag != "position-offset" or rule[0] != "cumsum")


def _masked() -> Iterator[Row]:
    for rule in RULES:
        counted = ("shifted-position", "padding-ignored", "padding-inverted", "position-offset")
        yield _mask_case(
            "left",
            "Left padding of three lengths: the first token of each row counts from the start.",
            rule,
            mask("0011111", "1111111", "0000011"),
            "batch-rows",
            "batch-run-on",
            *counted,
        )
        yield _mask_case(
            "right",
            "Right padding: the pads come after the tokens.",
            rule,
            mask("11100000", "10000000", "11111110"),
            "batch-rows",
            "batch-run-on",
            "padding-side",
            "pad-value",
            "shifted-position",
            "padding-inverted",
            "position-offset",
        )
        yield _mask_case(
            "gaps",
            "Pads between tokens: they do not advance the count.",
            rule,
            mask("101100101", "010110011"),
            "padding-gap",
            "batch-rows",
            "batch-run-on",
            "pad-value",
            "padding-side",
            *counted,
        )
        yield _mask_case(
            "blank-row",
            "A row of padding alone between two others.",
            rule,
            mask("0111", "0000", "1110"),
            "all-padding",
            "pad-value",
            "batch-rows",
            "shifted-position",
            "padding-inverted",
        )
    yield from _masked_once()


def _masked_once() -> Iterator[Row]:
    cumsum, roberta, opt = ("cumsum", 0, None), ("roberta", None, 1), ("opt", None, None)
    yield _mask_case(
        "report",
        "The input of the public reports: two pads on the left.",
        cumsum,
        mask("00111"),
        "padding-ignored",
        "shifted-position",
    )
    yield _mask_case(
        "report",
        "The table with 514 rows: the first token has row 2, pads have row 1.",
        roberta,
        mask("11100"),
        "position-offset",
        "pad-value",
        "shifted-position",
    )
    long = [1 if (7 * n * n + 3 * n + n // 31) % 5 > 1 else 0 for n in range(93)]
    for rule in (cumsum, roberta, opt):
        yield _mask_case(
            "long",
            "Many gaps in three long rows.",
            rule,
            integers(long, (3, 31)),
            "padding-gap",
            "padding-side",
            "batch-run-on",
            "padding-ignored",
            "padding-inverted",
        )
    yield _mask_case("one", "One token a row, or none.", opt, mask("1", "0", "1"), "batch-run-on")
    far = ("cumsum", LIMIT, None)
    yield _mask_case("limit", "The largest value a pad can have.", far, mask("0110", "1011"), "pad-value")
    yield _mask_case("empty", "Two sequences without a place.", roberta, integers((), (2, 0)), "empty")


def _masked_refused() -> Iterator[Group]:
    inputs = {"attention_mask": mask("0011", "1110")}
    params = {"rule": "cumsum", "pad_value": 0, "padding_idx": None}
    base = Baseline("positions.from_mask", inputs, params)
    clause, invalid, missing = "positions.C4", "INVALID_PARAMETER", "MISSING_PARAMETER"

    def refuse(name: str, kind: str, parameter: str, comment: str, **params: Any) -> Group:
        return base.refuse(name, (kind, parameter), clause, comment, **params)

    def masked(name: str, kind: str, rule: str, comment: str, given: Tensor) -> Group:
        return base.refuse(name, (kind, "attention_mask"), rule, comment, inputs={"attention_mask": given})

    yield masked("two", invalid, clause, "A 2 in the mask.", integers((0, 1, 2, 1), (2, 2)))
    yield masked("minus", invalid, clause, "An additive mask.", integers((0, -1, 0, 0), (2, 2)))
    rule = "conventions.C3"
    yield masked(
        "float", "INVALID_DTYPE", rule, "Zeros and ones as floats.", tensor("float32", (0.0, 1.0), (1, 2))
    )
    yield masked("boolean", "INVALID_DTYPE", rule, "A boolean mask.", tensor("bool", (0, 1), (1, 2)))
    yield masked("rank-1", "INVALID_SHAPE", clause, "No batch axis.", integers((0, 1, 1)))
    yield masked("no-rows", "INVALID_SHAPE", clause, "No sequence at all.", integers((), (0, 3)))
    unused, needed = "A parameter of another rule.", "The rule needs it."
    yield refuse("cumsum-index", invalid, "padding_idx", unused, padding_idx=1)
    roberta = {"rule": "roberta", "padding_idx": 1}
    yield refuse("roberta-pad", invalid, "pad_value", unused, **roberta)
    yield refuse("arange-pad", invalid, "pad_value", unused, rule="arange")
    yield refuse("opt-index", invalid, "padding_idx", unused, rule="opt", pad_value=None, padding_idx=1)
    yield refuse("cumsum-null", missing, "pad_value", needed, pad_value=None)
    yield refuse("roberta-null", missing, "padding_idx", needed, rule="roberta", pad_value=None)
    negative = {**roberta, "pad_value": None, "padding_idx": -1}
    yield refuse("negative-index", invalid, "padding_idx", "A negative row.", **negative)
    yield refuse("pad-beyond", "OUT_OF_RANGE", "pad_value", "One beyond 2^53.", pad_value=LIMIT + 1)
    yield refuse("pad-below", "OUT_OF_RANGE", "pad_value", "One below -2^53.", pad_value=-LIMIT - 1)
    clause = "conventions.C6"
    yield refuse("float-pad", invalid, "pad_value", "A pad's position is an integer.", pad_value=0.5)
    yield refuse("unknown-rule", invalid, "rule", "No such rule.", rule="fairseq")
    yield base.refuse("no-rule", (missing, "rule"), clause, "A convention left out.", without=("rule",))


@complete
def from_lengths() -> Iterator[Group]:
    """Yield the cases of ``positions.from_lengths``."""
    yield from grouped("positions.from_lengths", _packed())
    yield from _packed_refused()


def _length_case(name: str, comment: str, bounds: tuple[int, ...], *flags: str) -> Row:
    inputs = {"cu_seqlens": integers(bounds)}
    return {}, Case(f"positions-from-lengths-{name}", comment, inputs, ("positions.C5",), flags)


def _packed() -> Iterator[Row]:
    restart = ("document-restart", "document-boundary", "shifted-position")
    every = (*restart, "document-offset", "document-length", "document-index")
    yield _length_case(
        "report",
        "The input of the public reports: three tokens, then two.",
        (0, 3, 5),
        *restart,
        "document-index",
    )
    yield _length_case("one", "One document.", (0, 7), "shifted-position")
    yield _length_case("four", "Four documents of different lengths.", (0, 4, 6, 13, 18), *every)
    yield _length_case("growing", "Each longer than the one before.", (0, 1, 3, 6, 10, 15, 21), *every)
    yield _length_case("shrinking", "Each shorter than the one before.", (0, 9, 16, 21, 24, 25), *every)
    yield _length_case(
        "empty-document",
        "Documents without a token, in the middle and at the end.",
        (0, 5, 5, 8, 8, 8, 14, 14),
        "empty-document",
        *restart,
        "document-length",
        "document-index",
    )
    yield _length_case(
        "empty-first", "The first document has no token.", (0, 0, 4, 10), "empty-document", *restart
    )
    yield _length_case(
        "singles", "Documents of one token.", tuple(range(12)), "document-restart", "shifted-position"
    )
    far = (0, 130, 131, 260, 390)
    yield _length_case("long", "Beyond 256 tokens, so that no narrow type will do.", far, *every)
    yield _length_case("none", "No document.", (0,), "empty")
    yield _length_case(
        "all-empty", "Three documents without a token.", (0, 0, 0, 0), "empty", "empty-document"
    )


def _packed_refused() -> Iterator[Group]:
    base = Baseline("positions.from_lengths", {"cu_seqlens": integers((0, 3, 5))})

    def refuse(name: str, kind: str, clause: str, comment: str, given: Tensor) -> Group:
        return base.refuse(name, (kind, "cu_seqlens"), clause, comment, inputs={"cu_seqlens": given})

    clause, invalid = "positions.C5", "INVALID_PARAMETER"
    yield refuse("lengths", invalid, clause, "Lengths where their sums belong.", integers((3, 5, 9)))
    yield refuse("from-1", invalid, clause, "A count from 1.", integers((1, 4, 6)))
    yield refuse("negative", invalid, clause, "A negative start.", integers((-1, 4, 6)))
    yield refuse("decrease", invalid, clause, "A sum that decreases.", integers((0, 5, 3, 8)))
    yield refuse("nothing", "INVALID_SHAPE", clause, "Not even the zero.", integers(()))
    yield refuse("rank-2", "INVALID_SHAPE", clause, "A row a rank.", integers((0, 3, 0, 2), (2, 2)))
    wrong = tensor("float64", (0.0, 3.0))
    yield refuse("float", "INVALID_DTYPE", "conventions.C3", "Whole numbers as floats.", wrong)
